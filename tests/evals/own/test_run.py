"""``eval own`` from end to end, on a small memory: nothing leaks, both halves are reported, nothing is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.evals.own.conftest import SUBJECTS, session_of

from memory_fabric.app import Fabric
from memory_fabric.errors import UsageError
from memory_fabric.evals.half import Half
from memory_fabric.evals.outcome import Run
from memory_fabric.evals.own.aside import copy, take_out, tells
from memory_fabric.evals.own.run import DEPTHS, Wishes, evaluate, made_of
from memory_fabric.evals.own.watched import Watched
from memory_fabric.evals.results import read_runs
from memory_fabric.evals.significance import SEED
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.query import Mode, Scope
from memory_fabric.search.route import Routing
from memory_fabric.settings import Settings
from memory_fabric.text import analyse

MODES = ["bm25", "text", "vector", "graph", "hybrid", "auto"]


def report(fabric: Fabric, **wishes: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", evaluate(fabric, Wishes(**wishes)))


def everything(fabric: Fabric) -> str:
    return json.dumps(list(fabric.export()), default=str)


def relations(fabric: Fabric) -> list[tuple[str, str, str, str]]:
    """Subject, label, object and evidence, in order."""
    rows = cast("list[dict[str, str]]", list(fabric.export()))
    return sorted(
        (row["subject"], row["label"], row["object"], row["evidence"]) for row in rows if row["type"] == "relation"
    )


def told_by_calls(fabric: Fabric, subject: str) -> list[MemoryId]:
    """Memories whose tool calls hold every word of a subject."""
    terms = analyse(subject)
    return [
        each for each in fabric.store.references(terms, Scope(), 20)
        if all(each in fabric.store.references([term], Scope(), 20) for term in terms)
    ]  # fmt: skip


# ── no leak ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "target", "told"),
    [
        ("commit", "anything at all", True),
        ("command", "git commit -m 'Another subject'", True),
        ("command", "gh pr create --title 'parse  DATES with the strict reader'", True),
        ("file", "/w/Parse dates with the strict reader.md", True),
        ("command", "git commit --amend --no-edit", False),
        ("command", "pytest -q", False),
        ("file", "/w/app/dates.py", False),
    ],
)
def test_a_call_that_commits_or_holds_an_asked_subject_tells(kind: str, target: str, told: bool) -> None:
    assert tells({"kind": kind, "name": "Bash", "target": target}, ["parse dates with the strict reader"]) is told


def test_a_subject_is_found_in_the_store_and_not_in_the_copy(own: Fabric, tmp_path: Path) -> None:
    """``git commit -m`` holds the question: what the tool calls say must not answer it, in any mode."""
    copy(own, tmp_path)
    with Fabric.open(replace(own.settings, home=tmp_path)) as copied:
        assert take_out(copied, SUBJECTS) == len(SUBJECTS)
        for number, subject in enumerate(SUBJECTS):
            told = told_by_calls(own, subject)
            assert {each.origin.session for each in own.get(told)} == {session_of(number)}
            assert own.store.find([subject])
            assert not told_by_calls(copied, subject)
            assert not copied.store.find([subject])
            for mode in (Mode.TEXT, Mode.GRAPH):
                assert not copied.search(subject, mode=mode).results


def test_all_but_what_tells_stays_in_the_copy(own: Fabric, tmp_path: Path) -> None:
    """Texts, vectors, the other calls with their relations, and the order in the sessions."""
    copy(own, tmp_path)
    with Fabric.open(replace(own.settings, home=tmp_path)) as copied:
        take_out(copied, SUBJECTS)
        assert copied.store.coverage() == own.store.coverage()
        assert copied.store.check() == []
        ours = {each.id: each for each in own.store.recent(Scope(), 100)}
        theirs = {each.id: each for each in copied.store.recent(Scope(), 100)}
        assert {id_: each.text for id_, each in ours.items()} == {id_: each.text for id_, each in theirs.items()}
        kept = [tool["target"] for each in theirs.values() for tool in cast("Any", each.metadata.get("tools", []))]
        assert sorted(kept) == sorted(
            [*("/w/app/shared.py" for _ in SUBJECTS), *(f"/w/app/part{n}.py" for n in range(len(SUBJECTS)))]
        )
        facts = [fact for fact in relations(own) if "/commit/" not in fact[0]]
        assert relations(copied) == facts != relations(own)
        found = copied.search("shared.py", mode=Mode.GRAPH)
        assert {r.candidate.memory.id for r in found.results} == {
            r.candidate.memory.id for r in own.search("shared.py", mode=Mode.GRAPH).results
        }


def test_the_memory_itself_is_left_as_it_was(own: Fabric) -> None:
    before = everything(own)
    report(own, tune=True, ablate=True)
    assert everything(own) == before


def test_a_memory_that_is_open_for_reading_only_is_enough(own: Fabric) -> None:
    with Fabric.open(own.settings, read_only=True) as reading:
        assert report(reading)["n"] > 0


def test_the_report_holds_no_word_of_the_memory(own: Fabric) -> None:
    told = json.dumps(report(own, each=True, tune=True, ablate=True, sweep_k=True)).casefold()
    for subject in SUBJECTS:
        assert subject.casefold() not in told
    assert "shared.py" not in told
    assert "ledger" not in told


# ── the report ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_every_mode_is_reported_on_both_halves(own: Fabric) -> None:
    """F-EVAL-1, F-EVAL-4, F-EVAL-5, F-EVAL-6."""
    found = report(own)
    assert list(found["figures"]) == ["tune", "check"]
    for half, modes in found["figures"].items():
        assert list(modes) == MODES
        for parts in modes.values():
            for cell in parts.values():
                assert {"n", "mrr", "low", "high", "hit@1", "hit@3", "hit@5", "hit@10", "empty"} == set(cell)
                assert 0.0 <= cell["low"] <= cell["mrr"] <= cell["high"] <= 1.0
        for part, tests in found["tests"][half].items():
            assert list(tests) == MODES[:-1]
            for test in tests.values():
                assert test["better"] + test["equal"] + test["worse"] == modes["auto"][part]["n"]
    assert set(found["milliseconds"]["auto"]) == {"p50", "p95", "service"}
    assert {"text", "vector", "graph"} <= set(found["milliseconds"]["auto"]["service"])
    assert set(found["milliseconds"]["text"]["service"]) == {"text"}
    assert set(found["milliseconds"]["vector"]["service"]) == {"vector"}
    assert found["milliseconds"]["bm25"]["service"] == {}
    assert "semantic" in next(iter(found["not_run"]))
    assert (found["suite"], found["seed"]) == ("own", SEED)


def test_both_halves_together_are_all_questions(own: Fabric) -> None:
    found = report(own)
    sets, _ = made_of(own, Wishes())
    for made in sets:
        counted = [
            modes["auto"][made.bias.value]["n"] if made.bias.value in modes["auto"] else 0
            for modes in found["figures"].values()
        ]
        assert sum(counted) == len(made.questions) == found["sets"][made.bias.value]["n"]
        assert counted[0] == sum(Half.of(each.id) is Half.TUNE for each in made.questions)
    assert found["n"] == sum(len(made.questions) for made in sets)


def test_a_question_without_an_answer_counts_nothing(own: Fabric) -> None:
    """No retriever can know a subject that was only said in a tool call: it is measured all the same."""
    found = report(own)
    for modes in found["figures"].values():
        cell = modes["text"]["commits"]
        assert (cell["mrr"], cell["empty"]) == (0.0, cell["n"])


def test_the_same_memory_gives_the_same_figures(own: Fabric) -> None:
    first, second = report(own), report(own)
    assert first["figures"] == second["figures"]
    assert first["tests"] == second["tests"]


@pytest.mark.parametrize("half", list(Half))
def test_one_half_may_be_asked_alone(own: Fabric, half: Half) -> None:
    alone, both = report(own, half=half), report(own)
    assert list(alone["figures"]) == [half.value]
    assert alone["figures"][half.value] == both["figures"][half.value]


def test_the_sweep_asks_the_tuning_half_alone(own: Fabric) -> None:
    """F-EVAL-5: its first trial is the present search, on that half."""
    found = report(own, tune=True)
    tuning = found["figures"]["tune"]["auto"]
    sets = [name for name in ("commits", "single-hop", "cross-session") if name in tuning]
    assert found["tune"]["trials"][0]["mrr"] == {name: tuning[name]["mrr"] for name in sets}
    assert "auto, tuned" in found["figures"]["check"]
    assert found["tune"]["now"] == {name: found["tune"]["trials"][0][name] for name in found["tune"]["now"]}


def test_tuning_needs_both_halves(own: Fabric) -> None:
    with pytest.raises(UsageError, match="both halves"):
        report(own, half=Half.TUNE, tune=True)


def test_a_memory_without_questions_is_told(tmp_path: Path) -> None:
    with (
        Fabric.open(Settings(home=tmp_path / "none", embedder="none")) as empty,
        pytest.raises(UsageError, match="no question can be made"),
    ):
        report(empty)


def test_without_vectors_their_mode_is_not_run(own: Fabric) -> None:
    with Fabric.open(replace(own.settings, embedder="none"), read_only=True) as without:
        found = report(without)
    assert found["not_run"]["vector"] == "embedding is switched off"
    assert list(found["figures"]["check"]) == [mode for mode in MODES if mode != "vector"]
    assert found["model"] is None


def test_a_memory_that_was_not_embedded_says_so(own: Fabric, tmp_path: Path) -> None:
    with Fabric.open(replace(own.settings, home=tmp_path / "other")) as other:
        other.restore(own.export())
        found = report(other)
    assert found["not_run"]["vector"] == "no memory has vectors yet"
    assert found["without_vectors"] == found["memories"]


def test_questions_may_be_given(own: Fabric, tmp_path: Path) -> None:
    file = tmp_path / "questions.json"
    rows = [{"id": f"q{n}", "query": f"part{n}.py", "gold_sessions": [session_of(n)]} for n in range(8)]
    file.write_text(json.dumps(rows), encoding="utf-8")
    found = report(own, questions=file)
    assert found["sets"]["commits"]["gold_from"] == {"the file": 8}
    for modes in found["figures"].values():
        assert modes["graph"]["commits"]["hit@10"] == 1.0


def test_a_source_may_be_left_out_and_depths_be_tried(own: Fabric) -> None:
    """F-EVAL-4."""
    found = report(own, ablate=True, sweep_k=True)
    assert list(found["ablate"]["check"]) == [f"auto without {each}" for each in ("text", "graph", "vector")]
    assert list(found["sweep_k"]) == [str(depth) for depth in DEPTHS] == ["5", "10", "20", "60", "120"]
    parts = found["figures"]["tune"]["auto"]
    assert any(variant != parts for variant in found["ablate"]["tune"].values())
    assert all(variant.keys() == parts.keys() for variant in found["ablate"]["tune"].values())


def test_each_questions_outcome_can_be_compared_and_reported(own: Fabric, tmp_path: Path) -> None:
    """``eval compare`` and ``eval report`` read what ``--each --json`` prints."""
    file = tmp_path / "own.json"
    file.write_text(json.dumps(report(own, each=True)), encoding="utf-8")
    runs: list[Run] = read_runs(file)
    assert [run.mode for run in runs] == MODES
    assert len({outcome.id for outcome in runs[0].outcomes}) == len(runs[0].outcomes)
    assert "modes" not in report(own)


# ── changing the search for a while ──────────────────────────────────────────────────────────────────────────────────


def test_a_search_that_was_changed_is_itself_again(own: Fabric) -> None:
    with Watched.open(own.settings) as watched:
        before = watched.routing
        with watched.changed(routing=Routing(graph=9.0), without=["text"]):
            assert watched.routing.graph == 9.0
            assert watched.sources == ["graph", "vector"]
            assert "text" not in watched.search("shared.py").mix
        assert watched.routing == before
        assert "text" in watched.search("shared.py").mix
        assert set(watched.service) >= {"text", "vector", "graph"}


def test_it_is_itself_again_after_an_error(own: Fabric) -> None:
    with Watched.open(own.settings) as watched:
        with pytest.raises(ZeroDivisionError), watched.changed(without=["text"]):
            raise ZeroDivisionError
        assert "text" in watched.sources


def test_fewer_hits_of_each_source_give_fewer_results(own: Fabric) -> None:
    with Watched.open(own.settings) as watched:
        many = watched.search("tests pass works again", mode=Mode.TEXT, limit=1)
        with watched.changed(per_source=2):
            few = watched.search("tests pass works again", mode=Mode.TEXT, limit=1)
    assert sum(few.counts.values()) == 2 < sum(many.counts.values())
