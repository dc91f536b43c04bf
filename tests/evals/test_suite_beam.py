"""The suite ``beam``, over invented chats."""

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
from memory_fabric.evals.suite import Question
from memory_fabric.evals.suites import beam
from memory_fabric.evals.suites.fields import NO_EVIDENCE
from memory_fabric.model.record import Conversation


def user(id_: int, content: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "id": id_, "index": "1,1", "question_type": "main_question", "content": content, **more}


def assistant(id_: int, content: str) -> dict[str, Any]:
    return {"role": "assistant", "id": id_, "content": content}


def batch(number: int, *groups: list[dict[str, Any]], anchor: Any = None) -> dict[str, Any]:
    return {"batch_number": number, "time_anchor": anchor, "turns": list(groups)}


CHAT = [
    batch(
        1,
        [
            user(0, "My budget for the greenhouse is 900 euros ->-> 1,2", time_anchor="March-15-2024"),
            assistant(1, "OK"),
        ],
        [user(2, "I never met Bryan"), assistant(3, "Noted")],
    ),
    batch(2, [user(4, "The budget for the greenhouse is 1,200 now ->-> 2,13)"), assistant(5, "That helps")]),
]


def probe(ids: Any, question: str = "What is the budget for the greenhouse?") -> dict[str, Any]:
    return {"question": question, "rubric": ["nobody may read this"], "source_chat_ids": ids}


Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    def write(probes: Any = None, chat: Any = CHAT, *, folder: str = "3", name: str = "chat.json") -> Path:
        place = tmp_path / "beam" / folder
        place.mkdir(parents=True, exist_ok=True)
        content = json.dumps({"knowledge_update": [probe([0, 4])]} if probes is None else probes)
        (place / "probing_questions.json").write_text(content, encoding="utf-8")
        body = json.dumps(chat).encode()
        (place / name).write_bytes(gzip.compress(body) if name.endswith(".gz") else body)
        return tmp_path / "beam"

    return write


def one(folder: Path) -> Question:
    (corpus,) = beam.read(folder).corpora
    (question,) = corpus.questions
    return question


def batches(folder: Path) -> list[Conversation]:
    return [each for corpus in beam.read(folder).corpora for each in corpus.records if isinstance(each, Conversation)]


def test_a_batch_is_a_conversation_at_the_time_of_its_anchor(make: Make) -> None:
    """A batch without an anchor has no time."""
    first, second = batches(make())
    assert (first.id, first.at) == ("3/batch_1", datetime(2024, 3, 15, tzinfo=UTC))
    assert (second.id, second.at) == ("3/batch_2", None)
    assert [(said.id, said.speaker) for said in first.turns] == [
        ("0", "user"),
        ("1", "assistant"),
        ("2", "user"),
        ("3", "assistant"),
    ]


def test_the_batchs_own_anchor_comes_before_those_of_its_messages(make: Make) -> None:
    chat = [batch(1, [user(0, "text", time_anchor="March-15-2024")], anchor="April-02-2024")]
    assert batches(make(chat=chat))[0].at == datetime(2024, 4, 2, tzinfo=UTC)


def test_an_anchor_that_cannot_be_read_gives_way_to_the_next(make: Make) -> None:
    messages = [user(0, "text", time_anchor="spring"), user(1, "text", time_anchor="2024-05-01")]
    assert batches(make({"summarization": [probe([0])]}, [batch(1, messages)]))[0].at == datetime(
        2024, 5, 1, tzinfo=UTC
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("What now? ->-> 1,2", "What now?"),
        ("What now?  ->-> 2,13)\n", "What now?"),
        ("What now? ->-> ", "What now?"),
        ("a ->-> b", "a ->-> b"),
        ("the sum is 1,2", "the sum is 1,2"),
        ("f -> 1,2", "f -> 1,2"),
    ],
)
def test_the_generators_mark_is_taken_off_and_nothing_else(make: Make, content: str, said: str) -> None:
    assert batches(make(chat=[batch(1, [user(0, content)])]))[0].turns[0].text == said


@pytest.mark.parametrize(
    ("ids", "gold"),
    [
        ([0, 4], {"0", "4"}),
        ({"first_statement": [0], "second_statement": [2, 4]}, {"0", "2", "4"}),
        ([0, [2, 3], [[4]]], {"0", "2", "3", "4"}),
        ({"a": {"b": [1]}, "c": 2}, {"1", "2"}),
        ([0, 0, None], {"0"}),
        ([0, 99], {"0"}),
        (4, {"4"}),
    ],
)
def test_message_ids_are_taken_out_of_lists_and_dictionaries_of_any_depth(make: Make, ids: Any, gold: set[str]) -> None:
    assert one(make({"event_ordering": [probe(ids)]})).gold == gold


def test_abstention_questions_and_those_without_evidence_are_left_out_and_counted(make: Make) -> None:
    probes = {
        "abstention": [{"question": "Who is Shawn?"}, probe([0])],
        "summarization": [probe([]), probe({}), probe([99]), {"question": "Which?"}, probe([1])],
    }
    data = beam.read(make(probes))
    assert [question.id for question in data.corpora[0].questions] == ["3/summarization/5"]
    assert data.left_out == {beam.ABSTENTION: 2, NO_EVIDENCE: 4}


@pytest.mark.parametrize(
    ("ability", "categories"),
    [
        ("information_extraction", {"five", "six"}),
        ("temporal_reasoning", {"five", "six"}),
        ("knowledge_update", {"five", "six"}),
        ("contradiction_resolution", {"five", "six"}),
        ("multi_session_reasoning", {"five", "six"}),
        ("preference_following", {"six"}),
        ("instruction_following", set()),
        ("summarization", set()),
        ("event_ordering", set()),
    ],
)
def test_abilities_are_categories_and_those_that_search_can_serve_are_summed_up(
    make: Make, ability: str, categories: set[str]
) -> None:
    assert set(one(make({ability: [probe([0])]})).categories) == {ability, *categories}


def test_the_cut_chat_is_read_where_the_authors_cut_it(make: Make) -> None:
    make(chat=[*CHAT, batch(3, [user(6, "cut off")])])
    assert [each.id for each in batches(make(name="chat_trunecated.json"))] == ["3/batch_1", "3/batch_2"]


@pytest.mark.parametrize("name", ["chat.json.gz", "chat_trunecated.json.gz"])
def test_a_chat_may_be_packed(make: Make, name: str) -> None:
    assert len(batches(make(name=name))) == 2


def test_each_folder_is_a_corpus_and_a_group_in_the_order_of_the_numbers(make: Make) -> None:
    for folder in ("10", "9", "3"):
        data = beam.read(make(folder=folder))
    assert [corpus.name for corpus in data.corpora] == ["3", "9", "10"]
    assert [corpus.questions[0].group for corpus in data.corpora] == ["3", "9", "10"]


def test_the_folder_that_holds_the_folder_of_conversations_does_as_well(make: Make) -> None:
    assert one(make(folder="beam-100K/3")).id == "3/knowledge_update/1"


def test_every_memory_of_it_is_a_message(make: Make, tmp_path: Path) -> None:
    (corpus,) = beam.read(make()).corpora
    assert held(corpus, tmp_path) == {"0", "1", "2", "3", "4", "5"}


@pytest.mark.parametrize(
    ("probes", "chat", "named"),
    [
        (5, CHAT, "probing_questions"),
        ({"summarization": 5}, CHAT, "probing_questions"),
        ({"summarization": [5]}, CHAT, "probing_questions"),
        ({"summarization": [{"source_chat_ids": [0]}]}, CHAT, "probing_questions"),
        (None, {}, r"3/chat\.json"),
        (None, [5], r"3/chat\.json"),
        (None, [{"turns": []}], r"3/chat\.json"),
        (None, [batch(1, [5])], r"3/chat\.json"),  # type: ignore[list-item]
        (None, [batch(1, [{"role": "user", "content": "text"}])], r"3/chat\.json"),
        (None, [batch(1, [user(0, None)])], r"3/chat\.json"),  # type: ignore[arg-type]
        (None, [batch(1, [user(0, "one"), user(0, "two")])], r"3/chat\.json.*message 0 is there twice"),
    ],
)
def test_a_file_of_another_shape_is_named(make: Make, probes: Any, chat: Any, named: str) -> None:
    with pytest.raises(UsageError, match=named) as raised:
        beam.read(make(probes, chat))
    assert raised.value.hint


def test_missing_files_and_a_set_without_questions_are_the_users_mistake(make: Make, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="probing_questions"):
        beam.read(tmp_path)
    folder = make()
    (folder / "3" / "chat.json").unlink()
    with pytest.raises(UsageError, match=r"chat\.json"):
        beam.read(folder)
    with pytest.raises(UsageError, match="no question"):
        beam.read(make({"abstention": [probe([0])]}))


def test_the_development_data_has_the_questions_of_its_readme() -> None:
    data = beam.read(real("beam"))
    assert counted(data) == {
        "information_extraction": 16,
        "temporal_reasoning": 16,
        "knowledge_update": 16,
        "contradiction_resolution": 16,
        "multi_session_reasoning": 16,
        "preference_following": 15,
        "instruction_following": 16,
        "summarization": 14,
        "event_ordering": 16,
        "five": 80,
        "six": 95,
        "all": 141,
    }
    assert data.left_out == {beam.ABSTENTION: 16, NO_EVIDENCE: 3}
    records = [record for corpus in data.corpora for record in corpus.records if isinstance(record, Conversation)]
    assert (len(data.corpora), sum(len(each.turns) for each in records)) == (8, 2098)
    assert all(each.at for each in records)


def test_the_questions_may_lie_in_a_folder_of_their_own_as_the_authors_keep_them(make: Make) -> None:
    plain = beam.read(make())
    folder = next(make().glob("**/probing_questions.json")).parent
    (folder / "probing_questions").mkdir()
    (folder / "probing_questions.json").rename(folder / "probing_questions" / "probing_questions.json")
    assert beam.read(folder.parent) == plain
    assert beam.read(folder.parent.parent) == plain
