"""Decision 17: who spoke is a part of the score."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.search.builders import memory, question

from memory_fabric.model.memory import SPEAKER
from memory_fabric.model.result import Found, Hit
from memory_fabric.search.fuse import fuse
from memory_fabric.search.voice import voice


@pytest.mark.parametrize(
    ("speaker", "asked", "factor"),
    [
        ("assistant", "which store for the ledger", 1 / 1.4),
        ("AI", "which store for the ledger", 1 / 1.4),
        ("user", "which store for the ledger", 1.0),
        ("Rosa", "which store for the ledger", 1.0),
        ("Rosa", "which fence did rosa's brother paint", 1.2),
        ("Rosa Lind", "what did Rosa paint", 1.0),
        ("Rosa Lind", "what did Rosa Lind paint", 1.2),
        ("the", "what did the other paint", 1.0),
        ("", "what", 1.0),
        (None, "what did Rosa paint", 1.0),
    ],
)
def test_a_speakers_words_count_by_who_they_are(speaker: str | None, asked: str, factor: float) -> None:
    told = memory("m", "I painted it green")
    if speaker is not None:
        told = replace(told, metadata={SPEAKER: speaker})
    assert voice(told, question(asked)) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("speaker", "said", "factor"),
    [
        ("Rosa", "Rosa: Which green was it?", 0.85 * 1.2),
        ("Ben", "Ben: Which green was it?  \n", 0.85),
        ("Ben", "Ben: 什么颜色？", 0.85),
        ("Ben", "Ben: Was it green? It was.", 1.0),
        ("user", "USER: Which green was it?", 1.0),
        ("Human", "USER: Which green was it?", 1.0),
        ("assistant", "ASSISTANT: Which green was it?", 1 / 1.4),
        (None, "Which green was it?", 1.0),
    ],
)
def test_a_turn_between_people_that_asks_counts_less(speaker: str | None, said: str, factor: float) -> None:
    """Decision 23: what a user asks an agent for is often the very answer, so that this holds among people only."""
    told = memory("m", said)
    if speaker is not None:
        told = replace(told, metadata={SPEAKER: speaker})
    assert voice(told, question("what did Rosa paint")) == pytest.approx(factor)


def test_a_question_about_users_names_no_one() -> None:
    told = replace(memory("m", "USER: paint it green"), metadata={SPEAKER: "user"})
    assert voice(told, question("which user painted")) == 1.0


def test_the_factor_is_on_the_sum_of_all_sources() -> None:
    """BEAM, half of the questions: on the text alone it gains 15 points of recall@5, on both 17."""
    said = [replace(memory(name), metadata={SPEAKER: name}) for name in ("user", "assistant")]
    found = [Found(source, tuple(Hit(each, 4.0) for each in said), ceiling=10.0) for source in ("text", "vector")]
    by = {each.memory.id: each for each in fuse(question("x"), found, {}, {"text": 1.0, "vector": 2.5})}
    assert by["user"].relevance == pytest.approx(0.4)  # type: ignore[index]
    assert by["assistant"].relevance == pytest.approx(0.4 / 1.4)  # type: ignore[index]
    assert by["user"].found_by == by["assistant"].found_by  # type: ignore[index]
