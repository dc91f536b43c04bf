"""The suite ``longmemeval``, over an invented pool."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.evals.data import counted, held, memory_of
from tests.evals.sets import real

from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Question, Reader
from memory_fabric.evals.suites import longmemeval
from memory_fabric.evals.suites.fields import NO_EVIDENCE
from memory_fabric.model.record import Conversation


def session(id_: str, *said: str, date: Any = "2023/01/15 (Sun) 11:23") -> dict[str, Any]:
    turns = [{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(said)]
    return {"session_id": id_, "date": date, "turns": turns}


POOL = [
    session("s1", "My sourdough starter is called Fergus", "A fine name for a starter"),
    session("s2", "Which telescope shows the rings of Saturn?", "One of 60 mm does"),
    session("s3", "My sourdough starter is called Fergus", "A fine name for a starter", date="2023/02/01 (Wed) 09:00"),
    session("s4", "My sourdough starter is called Fergus", "Is it?"),
]


def asked(id_: str = "q1", gold: Any = ("s3",), *, abstention: Any = False, **more: Any) -> dict[str, Any]:
    return {
        "question_id": id_,
        "question_type": "single-session-user",
        "abstention": abstention,
        "question": "What did I call my sourdough starter?",
        "question_date": "2023/06/28 (Wed) 20:07",
        "answer": "Fergus",
        "gold_sessions": list(gold) if isinstance(gold, tuple) else gold,
        **more,
    }


Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def write(questions: Any = None, pool: Any = POOL, *, packed: bool = True) -> Path:
        content = json.dumps([asked()] if questions is None else questions)
        (tmp_path / "questions_dev.json").write_text(content, encoding="utf-8")
        lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in pool).encode()
        (tmp_path / f"sessions.jsonl{'.gz' if packed else ''}").write_bytes(gzip.compress(lines) if packed else lines)
        return tmp_path

    return write


def questions_of(folder: Path) -> tuple[Question, ...]:
    (corpus,) = longmemeval.read(folder).corpora
    return corpus.questions


@pytest.mark.parametrize("packed", [True, False])
def test_the_pool_is_one_corpus_of_conversations(make: Make, packed: bool) -> None:
    (corpus,) = longmemeval.read(make(packed=packed)).corpora
    one = corpus.records[0]
    assert isinstance(one, Conversation)
    assert (one.id, one.at) == ("s1", datetime(2023, 1, 15, 11, 23, tzinfo=UTC))
    assert [(said.speaker, said.text) for said in one.turns] == [
        ("user", "My sourdough starter is called Fergus"),
        ("assistant", "A fine name for a starter"),
    ]
    assert len(corpus.records) == 4


def test_nothing_but_the_question_is_asked(make: Make) -> None:
    assert questions_of(make()) == (
        Question("q1", "What did I call my sourdough starter?", frozenset({"s3"}), categories=("single-session-user",)),
    )


def test_abstention_questions_and_those_without_gold_are_left_out_and_counted(make: Make) -> None:
    folder = make([asked(), asked("q2", abstention=True), asked("q3", ()), asked("q4", abstention=True)])
    data = longmemeval.read(folder)
    assert [question.id for question in data.corpora[0].questions] == ["q1"]
    assert data.left_out == {longmemeval.ABSTENTION: 2, NO_EVIDENCE: 1}


def test_a_gold_session_that_the_pool_lacks_stays_gold(make: Make) -> None:
    """It can never be found: left out, it would flatter."""
    assert questions_of(make([asked(gold=("s1", "s999"))]))[0].gold == {"s1", "s999"}


def test_merged_sessions_of_identical_text_are_the_first_of_them(make: Make) -> None:
    """Another date makes no difference, another word does."""
    (corpus,) = longmemeval.read_merged(make([asked(gold=("s3", "s4"))])).corpora
    assert corpus.questions[0].gold == {"s1", "s4"}
    assert len(corpus.records) == 4


@pytest.mark.parametrize(
    ("read", "items"),
    [(longmemeval.read, {"s1", "s2", "s3", "s4"}), (longmemeval.read_merged, {"s1", "s2", "s4"})],
    ids=["by id", "merged"],
)
def test_every_memory_of_it_is_a_session(make: Make, tmp_path: Path, read: Reader, items: set[str]) -> None:
    (corpus,) = read(make()).corpora
    assert held(corpus, tmp_path) == items


def test_a_separator_that_json_leaves_as_it_is_ends_no_line(make: Make) -> None:
    """U+2028 may stand in a JSON string; it ends a line for ``str.splitlines`` only."""
    (corpus,) = longmemeval.read(make(pool=[session("s3", "first\u2028second\x85third")], packed=False)).corpora
    assert len(corpus.records) == 1


@pytest.mark.parametrize("date", [None, 7, "soon"])
def test_a_session_whose_time_cannot_be_read_has_none_that_misleads(make: Make, date: Any) -> None:
    (corpus,) = longmemeval.read(make(pool=[session("s3", "text", date=date)])).corpora
    assert corpus.records[0].at is None


@pytest.mark.parametrize(
    ("questions", "pool", "named"),
    [
        ({}, POOL, "questions_dev"),
        ([5], POOL, "questions_dev"),
        ([{**asked(), "question": None}], POOL, "questions_dev"),
        ([asked(gold="s1")], POOL, "questions_dev"),
        ([{"question_id": "q1"}], POOL, "questions_dev"),
        ([asked(), asked()], POOL, "questions_dev.*q1 is there twice"),
        ([asked(abstention=True)], POOL, "questions_dev.*no question"),
        ([], POOL, "questions_dev.*no question"),
        ([asked()], [5], r"sessions\.jsonl\.gz"),
        ([asked()], [{"session_id": "s1"}], r"sessions\.jsonl\.gz"),
        ([asked()], [{"session_id": "s1", "turns": "text"}], r"sessions\.jsonl\.gz"),
        ([asked()], [{"session_id": "s1", "turns": [{"role": "user"}]}], r"sessions\.jsonl\.gz"),
        ([asked()], [POOL[0], POOL[0]], r"sessions\.jsonl\.gz.*s1 is there twice"),
    ],
)
def test_a_file_of_another_shape_is_named(make: Make, questions: Any, pool: Any, named: str) -> None:
    with pytest.raises(UsageError, match=named) as raised:
        longmemeval.read(make(questions, pool))
    assert raised.value.hint


def test_a_missing_or_damaged_pool_is_the_users_mistake(make: Make) -> None:
    folder = make()
    packed = folder / "sessions.jsonl.gz"
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(UsageError, match=r"sessions\.jsonl\.gz"):
        longmemeval.read(folder)
    packed.unlink()
    with pytest.raises(UsageError, match=r"sessions\.jsonl"):
        longmemeval.read(folder)


@pytest.mark.parametrize(("read", "items"), [(longmemeval.read, 940), (longmemeval.read_merged, 861)])
def test_the_development_data_has_the_questions_of_its_readme(read: Reader, items: int) -> None:
    data = read(real("longmemeval"))
    assert counted(data) == {
        "knowledge-update": 9,
        "multi-session": 15,
        "single-session-assistant": 2,
        "single-session-preference": 5,
        "single-session-user": 6,
        "temporal-reasoning": 9,
        "all": 46,
    }
    assert data.left_out == {longmemeval.ABSTENTION: 4}
    (corpus,) = data.corpora
    records = [record for record in corpus.records if isinstance(record, Conversation)]
    assert (len(records), sum(len(each.turns) for each in records)) == (940, 10866)
    assert all(each.at for each in records)
    assert len({corpus.item(memory_of(each)) for each in records}) == items
    assert all(question.gold <= {corpus.item(memory_of(each)) for each in records} for question in corpus.questions)
