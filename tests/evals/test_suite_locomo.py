"""The suite ``locomo``, over an invented conversation with every quirk of the official file."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.evals.data import counted, held
from tests.evals.sets import real

from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Data, Question
from memory_fabric.evals.suites import locomo
from memory_fabric.evals.suites.fields import NO_EVIDENCE
from memory_fabric.model.record import Conversation


def turn(id_: str, speaker: str, text: str, **more: str) -> dict[str, str]:
    return {"dia_id": id_, "speaker": speaker, "text": text, **more}


TALK: dict[str, Any] = {
    "speaker_a": "Ada",
    "speaker_b": "Ben",
    "session_10_date_time": "12:05 am on 1 February, 2024",
    "session_10": [turn("D10:1", "Ben", "The glider crashed into the orchard")],
    "session_2_date_time": "1:56 pm on 8 May, 2023",
    "session_2": [
        turn("D2:1", "Ada", "I bought a kayak in Bergen"),
        turn("D2:2", "Ben", "Look", blip_caption="a red kite over a beach", img_url="x"),
        turn("D2:3", "Ada", "", blip_caption="a loaf of bread"),
    ],
    "session_11_date_time": "2:00 pm on 2 February, 2024",
}


def asked(evidence: Any, category: Any = 4, question: str = "Where did Ada buy the kayak?") -> dict[str, Any]:
    return {"question": question, "answer": "Bergen", "evidence": evidence, "category": category}


def sample(*questions: dict[str, Any], name: str = "conv-1", talk: Any = None) -> dict[str, Any]:
    return {
        "sample_id": name,
        "conversation": TALK if talk is None else talk,
        "qa": list(questions) or [asked(["D2:1"])],
        "session_summary": {"session_1_summary": "nobody may read this"},
    }


Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def write(*samples: Any, name: str = "locomo_dev.json") -> Path:
        content = json.dumps(list(samples)).encode()
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return tmp_path

    return write


def first(data: Data) -> Question:
    return data.corpora[0].questions[0]


def test_a_session_is_a_conversation_with_its_time_and_its_turns_in_order(make: Make) -> None:
    (corpus,) = locomo.read(make(sample())).corpora
    second, tenth = corpus.records
    assert isinstance(second, Conversation)
    assert isinstance(tenth, Conversation)
    assert (second.id, second.at) == ("conv-1/session_2", datetime(2023, 5, 8, 13, 56, tzinfo=UTC))
    assert (tenth.id, tenth.at) == ("conv-1/session_10", datetime(2024, 2, 1, 0, 5, tzinfo=UTC))
    assert [(said.id, said.speaker) for said in second.turns] == [("D2:1", "Ada"), ("D2:2", "Ben"), ("D2:3", "Ada")]


def test_a_pictures_caption_is_part_of_what_was_said(make: Make) -> None:
    """A picture alone is a turn too: without its caption nothing of it could be found."""
    (corpus,) = locomo.read(make(sample())).corpora
    session = corpus.records[0]
    assert isinstance(session, Conversation)
    assert [said.text for said in session.turns] == [
        "I bought a kayak in Bergen",
        "Look [image: a red kite over a beach]",
        "[image: a loaf of bread]",
    ]


@pytest.mark.parametrize(
    ("evidence", "gold"),
    [
        (["D2:1"], {"D2:1"}),
        (["D2:1", "D10:1"], {"D2:1", "D10:1"}),
        (["D2:1; D10:1"], {"D2:1", "D10:1"}),
        (["D2:1 D2:2 D10:1"], {"D2:1", "D2:2", "D10:1"}),
        (["D02:01"], {"D2:1"}),
        (["D2:1", "D2:01", "D2:1"], {"D2:1"}),
        (["D2:1", "D:11:26"], {"D2:1"}),
        (["D2:1", "D"], {"D2:1"}),
        (["D2:1", "D2:99", "D11:1"], {"D2:1"}),
        ("D2:1", {"D2:1"}),
    ],
)
def test_every_turn_that_evidence_names_is_gold_however_it_is_written(make: Make, evidence: Any, gold: Any) -> None:
    assert first(locomo.read(make(sample(asked(evidence))))).gold == gold


@pytest.mark.parametrize("evidence", [[], ["D"], ["D:11:26"], ["D2:99"], ["D11:1"], None])
def test_a_question_without_usable_evidence_is_left_out_and_counted(make: Make, evidence: Any) -> None:
    data = locomo.read(make(sample(asked(evidence), asked(["D2:1"]))))
    assert [question.id for question in data.corpora[0].questions] == ["conv-1/2"]
    assert data.left_out == {NO_EVIDENCE: 1}


def test_no_reason_is_given_where_nothing_is_left_out(make: Make) -> None:
    assert locomo.read(make(sample())).left_out == {}


@pytest.mark.parametrize(
    ("number", "categories"),
    [
        (1, ("multi-hop", "answerable")),
        (2, ("temporal", "answerable")),
        (3, ("open-domain", "answerable")),
        (4, ("single-hop", "answerable")),
        (5, ("adversarial",)),
    ],
)
def test_all_but_adversarial_questions_are_answerable(make: Make, number: int, categories: tuple[str, ...]) -> None:
    assert first(locomo.read(make(sample(asked(["D2:1"], number))))).categories == categories


def test_questions_of_a_conversation_are_one_group(make: Make) -> None:
    data = locomo.read(make(sample(), sample(name="conv-2")))
    assert [(corpus.name, corpus.questions[0].group) for corpus in data.corpora] == [
        ("conv-1", "conv-1"),
        ("conv-2", "conv-2"),
    ]


def test_at_session_level_the_gold_is_the_sessions_of_the_gold_turns(make: Make) -> None:
    data = locomo.read_sessions(make(sample(asked(["D2:1", "D2:2", "D10:1"]))))
    assert first(data).gold == {"conv-1/session_2", "conv-1/session_10"}


@pytest.mark.parametrize(
    ("read", "items"),
    [
        (locomo.read, {"D2:1", "D2:2", "D2:3", "D10:1"}),
        (locomo.read_sessions, {"conv-1/session_2", "conv-1/session_10"}),
    ],
    ids=["turn", "session"],
)
def test_every_memory_of_it_is_a_turn_or_its_session(
    make: Make, tmp_path: Path, read: Callable[[Path], Data], items: set[str]
) -> None:
    (corpus,) = read(make(sample())).corpora
    assert held(corpus, tmp_path) == items


@pytest.mark.parametrize("name", ["locomo_dev.json.gz", "locomo10.json", "questions_x.json", "queries_x.json"])
def test_the_file_may_be_packed_and_may_be_the_official_one(make: Make, name: str) -> None:
    assert first(locomo.read(make(sample(), name=name))).gold == {"D2:1"}


def test_a_plain_file_wins_over_its_packed_self(make: Make) -> None:
    make(sample(asked(["D10:1"])), name="locomo_dev.json.gz")
    assert first(locomo.read(make(sample()))).gold == {"D2:1"}


def test_a_session_whose_time_cannot_be_read_has_none(make: Make) -> None:
    talk = {**TALK, "session_2_date_time": "some day in May"}
    assert [each.at is None for each in locomo.read(make(sample(talk=talk))).corpora[0].records] == [True, False]


@pytest.mark.parametrize(
    "broken",
    [
        5,
        {},
        sample(name=7),  # type: ignore[arg-type]
        sample(talk=[]),
        sample(talk={"session_1": "text"}),
        sample(talk={"session_1": [{"speaker": "Ada", "text": "no id"}]}),
        sample(talk={"session_1": [turn("7", "Ada", "an id of another form")]}),
        sample(talk={"session_1": [{**turn("D1:1", "Ada", ""), "text": None}]}),
        sample(asked(["D2:1"], 6)),
        sample(asked(["D2:1"], "4")),
        {**sample(), "qa": {}},
        {**sample(), "qa": [{"evidence": ["D2:1"], "category": 4}]},
    ],
)
def test_a_file_of_another_shape_is_named(make: Make, broken: Any) -> None:
    with pytest.raises(UsageError, match=r"locomo_dev\.json") as raised:
        locomo.read(make(broken))
    assert raised.value.hint


@pytest.mark.parametrize("content", [b"", b"[", b"{}", b"\xff\xfe\x00"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "locomo_dev.json").write_bytes(content)
    with pytest.raises(UsageError, match=r"locomo_dev\.json"):
        locomo.read(tmp_path)


def test_a_missing_file_two_files_and_a_conversation_twice_are_the_users_mistake(make: Make, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="locomo_"):
        locomo.read(tmp_path)
    make(sample(), sample())
    with pytest.raises(UsageError, match="conv-1 is there twice"):
        locomo.read(tmp_path)
    make(sample(), name="locomo_other.json")
    with pytest.raises(UsageError, match="2 files"):
        locomo.read(tmp_path)


def test_a_set_in_which_nothing_can_be_scored_is_the_users_mistake(make: Make) -> None:
    with pytest.raises(UsageError, match="no question"):
        locomo.read(make(sample(asked([]))))


def test_the_development_data_has_the_questions_of_its_readme() -> None:
    data = locomo.read(real("locomo"))
    assert counted(data) == {
        "single-hop": 419,
        "multi-hop": 151,
        "temporal": 157,
        "open-domain": 59,
        "adversarial": 232,
        "answerable": 786,
        "all": 1018,
    }
    assert data.left_out == {NO_EVIDENCE: 2}
    records = [record for corpus in data.corpora for record in corpus.records if isinstance(record, Conversation)]
    assert (len(data.corpora), len(records), sum(len(each.turns) for each in records)) == (5, 136, 2960)
    assert all(each.at for each in records)
