"""The suite ``longmemeval`` over the files that its authors publish; their content here is invented."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.evals.data import held

from memory_fabric.errors import UsageError
from memory_fabric.evals.run import Suite, run
from memory_fabric.evals.suite import Corpus
from memory_fabric.evals.suites import longmemeval
from memory_fabric.evals.suites.fields import NO_EVIDENCE
from memory_fabric.model.query import Mode
from memory_fabric.model.record import Conversation

STARTER = ("My sourdough starter is called Fergus", "A fine name for a starter")
TELESCOPE = ("Which telescope shows the rings of Saturn?", "One of 60 mm does")
BOILER = ("The boiler is serviced every October", "Noted")
TEXTS = {"answer_4be1b6b4_1": STARTER, "sharegpt_yywfIrx_0": TELESCOPE, "ultrachat_9": BOILER, "twin": STARTER}


def turns(*said: str) -> list[dict[str, Any]]:
    return [
        {"role": ("user", "assistant")[place % 2], "content": content, "has_answer": place == 0}
        for place, content in enumerate(said)
    ]


def asked(id_: str, gold: tuple[str, ...], *haystack: str, **more: Any) -> dict[str, Any]:
    return {
        "question_id": id_,
        "question_type": "single-session-user",
        "question": "What did I call my sourdough starter?",
        "answer": "Fergus",
        "question_date": "2023/06/28 (Wed) 20:07",
        "haystack_dates": [f"2023/05/{day:02} (Sat) 02:21" for day in range(1, len(haystack) + 1)],
        "haystack_session_ids": list(haystack),
        "haystack_sessions": [turns(*TEXTS[name]) for name in haystack],
        "answer_session_ids": list(gold),
        **more,
    }


def write(folder: Path, *questions: dict[str, Any], name: str = "longmemeval_s_cleaned.json") -> Path:
    (folder / name).write_text(json.dumps(questions), encoding="utf-8")
    return folder


EVIDENCE = "answer_4be1b6b4_1"
FIRST = asked("q1", (EVIDENCE,), "sharegpt_yywfIrx_0", EVIDENCE, "ultrachat_9")
SECOND = asked("q2", (EVIDENCE,), EVIDENCE, "sharegpt_yywfIrx_0")


def text_of(corpus: Corpus, id_: str) -> str:
    (record,) = (each for each in corpus.records if each.id == id_)
    assert isinstance(record, Conversation)
    return record.turns[0].text


def test_each_question_is_asked_of_its_own_haystack(tmp_path: Path) -> None:
    first, second = longmemeval.read(write(tmp_path, FIRST, SECOND)).corpora
    assert (first.name, len(first.records), second.name, len(second.records)) == ("q1", 3, "q2", 2)
    (question,) = first.questions
    assert (question.id, question.text, question.categories) == (
        "q1",
        "What did I call my sourdough starter?",
        ("single-session-user",),
    )
    assert [text_of(first, item) for item in question.gold] == [STARTER[0]]
    assert first.records[0].at == datetime(2023, 5, 1, 2, 21, tzinfo=UTC)


def test_no_id_tells_which_session_answers(tmp_path: Path) -> None:
    """Issue 4: no gold ids that leak; the published ids of evidence begin with ``answer``."""
    (corpus,) = longmemeval.read(write(tmp_path, FIRST)).corpora
    assert all(set(record.id) <= set("0123456789abcdef") for record in corpus.records)
    assert len({len(record.id) for record in corpus.records}) == 1


def test_every_memory_is_a_session_of_the_haystack(tmp_path: Path) -> None:
    (corpus,) = longmemeval.read(write(tmp_path, FIRST)).corpora
    assert held(corpus, tmp_path / "store") == {record.id for record in corpus.records}


def test_questions_that_nothing_answers_are_left_out_and_counted(tmp_path: Path) -> None:
    data = longmemeval.read(write(tmp_path, FIRST, {**FIRST, "question_id": "q1_abs"}, asked("q3", (), "ultrachat_9")))
    assert [corpus.name for corpus in data.corpora] == ["q1"]
    assert data.left_out == {longmemeval.ABSTENTION: 1, NO_EVIDENCE: 1}


def test_evidence_that_a_haystack_lacks_stays_evidence(tmp_path: Path) -> None:
    (corpus,) = longmemeval.read(write(tmp_path, asked("q1", (EVIDENCE, "answer_x_2"), EVIDENCE, "twin"))).corpora
    assert len(corpus.questions[0].gold) == 2


def test_a_session_that_a_haystack_holds_twice_is_one(tmp_path: Path) -> None:
    (corpus,) = longmemeval.read(write(tmp_path, asked("q1", (EVIDENCE,), EVIDENCE, "twin", EVIDENCE))).corpora
    assert len(corpus.records) == 2


def test_the_oracle_file_is_one_pool(tmp_path: Path) -> None:
    """Its haystacks hold the evidence alone: by themselves each question would be answered by any order."""
    later = {**asked("q2_abs", ("twin", EVIDENCE), "twin", EVIDENCE), "haystack_dates": ["2022/01/01 (Sat) 00:00"] * 2}
    data = longmemeval.read(write(tmp_path, asked("q1", (EVIDENCE,), EVIDENCE), later, name="longmemeval_oracle.json"))
    (corpus,) = data.corpora
    assert [record.id for record in corpus.records] == sorted(record.id for record in corpus.records)
    assert {record.at for record in corpus.records} == {datetime(2022, 1, 1, tzinfo=UTC)}
    assert data.left_out == {longmemeval.ABSTENTION: 1}


def test_merged_sessions_of_a_haystack_are_the_first_of_them(tmp_path: Path) -> None:
    (corpus,) = longmemeval.read_merged(
        write(tmp_path, asked("q1", (EVIDENCE,), "twin", EVIDENCE, "ultrachat_9"))
    ).corpora
    assert corpus.questions[0].gold == {corpus.records[0].id}


@pytest.mark.parametrize(
    "wrong",
    [
        {"haystack_dates": []},
        {"haystack_sessions": [[{"role": "user"}]]},
        {"haystack_session_ids": "s1"},
        {"answer_session_ids": None},
        {"haystack_session_ids": ["one", "one", "two"]},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_another_shape_is_refused_by_name(tmp_path: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="longmemeval_s_cleaned"):
        longmemeval.read(write(tmp_path, {**FIRST, **wrong}))


def test_files_of_both_forms_are_refused(tmp_path: Path) -> None:
    write(tmp_path, FIRST)
    (tmp_path / "sessions.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="both forms"):
        longmemeval.read(tmp_path)


def test_it_is_run_like_any_suite(tmp_path: Path) -> None:
    found = run(Suite("longmemeval", write(tmp_path, FIRST, SECOND)), Mode.TEXT)
    assert found["n"] == 2
    metrics = found["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["hit@1"] == 1.0
