"""A suite, run end to end on a store of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.evals.conftest import FIRST, QUERIES, SECOND, MakeData

from memory_fabric import __version__
from memory_fabric.app import Fabric
from memory_fabric.clock import Deadline
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import UsageError
from memory_fabric.evals.asking import ask
from memory_fabric.evals.commits import read_commits
from memory_fabric.evals.measures import MEASURES, means, measure
from memory_fabric.evals.outcome import Outcome
from memory_fabric.evals.run import Means, Suite, run, run_all
from memory_fabric.evals.significance import SEED
from memory_fabric.evals.suite import Corpus, Data, Question
from memory_fabric.evals.suites import READERS
from memory_fabric.model.query import Mode, Scope
from memory_fabric.model.record import Conversation, Said
from memory_fabric.settings import Settings
from memory_fabric.sources.vector import VectorSource


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "users-own", embedder="hashed")


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.TEXT, Mode.HYBRID, Mode.VECTOR])
def test_a_run_gives_the_promised_shape_and_finds_the_sessions(
    make_data: MakeData, transcripts: Path, settings: Settings, mode: Mode
) -> None:
    """Design §7: ``{"suite", "mode", "n", "metrics", "by"}``."""
    report = run(Suite("commits", make_data(), transcripts), mode, Means(settings))
    assert (report["suite"], report["mode"], report["n"]) == ("commits", mode.value, 3)
    metrics, by = report["metrics"], report["by"]
    assert isinstance(metrics, dict)
    assert isinstance(by, dict)
    assert list(metrics) == list(MEASURES)
    assert metrics["hit@1"] == 1.0
    assert metrics["recall@5"] == 1.0
    assert by["not_verbatim"]["n"] == 2
    assert list(by["not_verbatim"]) == ["n", *MEASURES]
    assert report["memories"] == 4


def test_the_dated_suite_asks_with_the_date(make_data: MakeData, transcripts: Path, settings: Settings) -> None:
    """A subject that names nothing is answered by when it was committed."""
    rows = [{**QUERIES[1], "query": "Fix it at last", "date": "2026-03-02T09:10:00+01:00", "gold_sessions": [SECOND]}]
    data = make_data(rows)
    plain: Any = run(Suite("commits", data, transcripts), Mode.TEXT, Means(settings))
    dated: Any = run(Suite("commits-dated", data, transcripts), Mode.TEXT, Means(settings))
    assert (plain["metrics"]["hit@1"], dated["metrics"]["hit@1"]) == (0.0, 1.0)
    assert dated["suite"] == "commits-dated"


def test_the_users_own_memory_is_left_alone(make_data: MakeData, transcripts: Path, settings: Settings) -> None:
    run(Suite("commits", make_data(), transcripts), Mode.TEXT, Means(settings))
    assert not settings.home.exists()


def test_a_store_that_is_kept_is_used_again(
    make_data: MakeData, transcripts: Path, settings: Settings, tmp_path: Path
) -> None:
    """And tool calls stay out of it, because ``git commit -m`` holds the question."""
    keep = tmp_path / "kept"
    first = run(Suite("commits", make_data(), transcripts), Mode.TEXT, Means(settings, keep))
    again = run(Suite("commits", make_data(), transcripts), Mode.TEXT, Means(settings, keep))
    assert again["metrics"] == first["metrics"]
    with Fabric.open(Settings(home=keep, embedder="none")) as fabric:
        assert not any("tools" in memory.metadata for memory in fabric.store.recent(Scope(), 99))


def test_every_question_is_kept_with_its_answer(make_data: MakeData, transcripts: Path, settings: Settings) -> None:
    """So that two runs can be compared, and anybody can measure again."""
    report = run(Suite("commits", make_data(), transcripts, "odd half"), means=Means(settings))
    rows: Any = report["questions"]
    assert [row["id"] for row in rows] == ["c1", "c2", "c3"]
    first = Outcome.from_json(rows[0])
    assert first.gold == {FIRST, SECOND}
    assert set(first.ranking[:2]) == {FIRST, SECOND}
    assert len(first.ranking) <= 10
    assert first.measures == measure(first.ranking, first.gold)
    assert [row["categories"] for row in rows] == [["not_verbatim"], [], ["not_verbatim"]]
    assert all(row["milliseconds"] > 0 and 0 < row["score"] <= 1 and 0 <= row["graph"] < 1 for row in rows)
    assert means([row["measures"] for row in rows]) == report["metrics"]
    assert (report["split"], report["seed"], report["version"]) == ("odd half", SEED, __version__)
    assert report["model"] == HashedEmbedder().space
    assert set(cast("dict[str, object]", report["machine"])) == {"processors", "machine", "system", "python"}


def test_the_confidence_of_vectors_is_told_in_deviations(
    make_data: MakeData, transcripts: Path, settings: Settings, tmp_path: Path
) -> None:
    """What routing goes by: the raw score of the best vector hit."""
    report = run(Suite("commits", make_data(), transcripts), Mode.VECTOR, Means(settings, tmp_path / "kept"))
    rows: Any = report["questions"]
    with Fabric.open(replace(settings, home=tmp_path / "kept")) as fabric:
        assert fabric.embedder is not None
        source = VectorSource(fabric.store, fabric.store, fabric.store, fabric.embedder)
        for row, asked in zip(rows, QUERIES, strict=True):
            best = source.find(fabric.parsed(asked["query"]), 20, Deadline.after(60)).hits[0]
            assert row["confidence"] == pytest.approx(best.raw, abs=1e-3)
            assert row["graph"] is None


def test_all_modes_and_the_baseline_answer_the_same_questions_from_one_store(
    make_data: MakeData, transcripts: Path, settings: Settings
) -> None:
    """Issue 4, point 3: side by side; F-EVAL-6: none is left out."""
    steps: list[str] = []
    suite = Suite("commits", make_data(), transcripts)
    report = run_all(suite, Means(settings, progress=lambda *step: steps.append(step[0])))
    modes: Any = report["modes"]
    assert list(modes) == ["bm25", "text", "vector", "graph", "hybrid", "auto"]
    assert {tuple(row["id"] for row in each["questions"]) for each in modes.values()} == {("c1", "c2", "c3")}
    assert (report["mode"], report["metrics"], report["not_run"]) == ("auto", modes["auto"]["metrics"], {})
    assert "questions" not in report
    assert modes["bm25"]["metrics"]["hit@1"] == 1.0
    assert {name for name, each in modes.items() if each["model"]} == {"vector", "hybrid", "auto"}
    assert steps.count("reading") == 4
    assert steps.count("asking") == 3 * 6
    alone = run(suite, Mode.TEXT, Means(settings))
    assert alone["metrics"] == modes["text"]["metrics"]


def test_without_an_embedder_the_vectors_are_named_as_not_run(
    make_data: MakeData, transcripts: Path, settings: Settings
) -> None:
    report = run_all(Suite("commits", make_data(), transcripts), Means(replace(settings, embedder="none")))
    assert list(cast("dict[str, object]", report["modes"])) == ["bm25", "text", "graph", "hybrid", "auto"]
    assert report["not_run"] == {"vector": "embedding is switched off"}
    assert report["model"] is None


def test_a_question_that_a_source_did_not_answer_is_counted(
    make_data: MakeData, transcripts: Path, settings: Settings
) -> None:
    """A figure of a run in which something failed must not look like any other."""
    without = replace(settings, embedder="none")
    keep = settings.home.parent / "kept"
    run(Suite("commits", make_data(), transcripts), Mode.TEXT, Means(without, keep))
    with Fabric.open(replace(settings, home=keep)) as fabric:
        answered = ask(fabric, read_commits(make_data()), Mode.AUTO, 50, lambda *_: None)
    assert answered.outages == {"vector": 3}
    assert len(answered.outcomes) == 3


def read_talks(_: Path) -> Data:
    """Two conversations in which the same is said about different things."""

    def corpus(name: str, word: str) -> Corpus:
        said = (Said("Ann", f"We painted the {word} fence", "t1"), Said("Bob", "And the gate", "t2"))
        question = Question(f"{name}-q", "Who painted the fence?", frozenset({f"{name}:t1"}), ("single",), name)
        return Corpus(name, (Conversation(name, said),), (question,), lambda memory: f"{name}:{memory.origin.record}")

    return Data((corpus("a", "red"), corpus("b", "blue")), {"no evidence": 4})


def test_a_suite_of_records_gets_a_store_for_each_corpus(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands in one conversation is not found for a question about another; groups and categories are kept."""
    monkeypatch.setitem(cast("dict[str, str]", READERS), "talks", f"{__name__}:read_talks")
    report = run_all(Suite("talks", Path()), Means(settings))
    modes: Any = report["modes"]
    assert (report["n"], report["left_out"], report["memories"]) == (2, {"no evidence": 4}, 4)
    assert [row["group"] for row in modes["bm25"]["questions"]] == ["a", "b"]
    assert [row["ranking"][0] for row in modes["text"]["questions"]] == ["a:t1", "b:t1"]
    assert modes["bm25"]["by"]["single"]["hit@1"] == 1.0


def test_a_suite_that_asks_no_store_gives_its_figures_by_set(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "pan_1000.jsonl").write_text(
        '{"sentence1": "the cat sat on the mat", "sentence2": "the cat sat on the mat", "label": 1}\n'
        '{"sentence1": "port 8080 is open", "sentence2": "port 8081 is open", "label": 0}\n'
    )
    report: Any = run(Suite("neardup", tmp_path), means=Means(settings))
    assert (report["suite"], report["n"], report["metrics"]) == ("neardup", 2, {})
    assert (report["by"]["pan"]["precision"], report["by"]["pan"]["recall"]) == (1.0, 1.0)
    with pytest.raises(UsageError, match="has no modes"):
        run_all(Suite("neardup", tmp_path), Means(settings))


def test_a_suite_about_transcripts_needs_their_folder(make_data: MakeData, settings: Settings) -> None:
    with pytest.raises(UsageError, match="asks about transcripts") as raised:
        run(Suite("commits", make_data()), means=Means(settings))
    assert "--transcripts" in raised.value.hint


def test_progress_is_told_by_step(make_data: MakeData, transcripts: Path, settings: Settings) -> None:
    told: list[tuple[str, int, int]] = []
    run(
        Suite("commits", make_data(), transcripts),
        Mode.AUTO,
        Means(settings, progress=lambda *step: told.append(step)),
    )
    assert {what for what, _, _ in told} == {"reading", "embedding", "asking"}
    assert [step for step in told if step[0] == "asking"] == [("asking", n, 3) for n in (1, 2, 3)]
    assert all(0 <= done <= of for _, done, of in told)


def test_only_verbatim_questions_leave_nothing_to_report_apart(
    make_data: MakeData, transcripts: Path, settings: Settings
) -> None:
    report = run(Suite("commits", make_data([QUERIES[1]]), transcripts), Mode.TEXT, Means(settings))
    assert report["by"] == {}


def test_a_session_that_is_not_found_counts_nought(make_data: MakeData, transcripts: Path, settings: Settings) -> None:
    lost = {"commit": "c9", "query": "zzz qqq xxx", "gold_sessions": ["nowhere"]}
    report = run(Suite("commits", make_data([QUERIES[1], lost]), transcripts), Mode.TEXT, Means(settings))
    metrics = report["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["hit@10"] == 0.5


def test_an_unknown_suite_is_the_users_mistake(make_data: MakeData, transcripts: Path) -> None:
    with pytest.raises(UsageError) as raised:
        run(Suite("comits", make_data(), transcripts))
    assert "commits" in raised.value.hint


def test_transcripts_that_are_not_there_are_the_users_mistake(
    make_data: MakeData, tmp_path: Path, settings: Settings
) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        run(Suite("commits", make_data(), tmp_path / "nowhere"), means=Means(settings))
