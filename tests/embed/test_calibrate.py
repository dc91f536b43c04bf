"""The zero of a space's scale: measured where there is enough to measure."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.embed.fakes import InMemoryIndex, Long, memory

from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.calibrate import calibrate, questions_of
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.model.memory import SPEAKER, MemoryKind
from memory_fabric.text import exchange_text

THINGS = "anchor barrel candle drawer engine feather garden hammer island jacket kettle ladder".split()


def store(count: int) -> InMemoryIndex:
    """Memories about two things each."""
    index = InMemoryIndex(
        [memory(f"m{n}", f"{THINGS[n % 12]} with {THINGS[n * 5 % 11]} in room {n}") for n in range(count)]
    )
    backfill(index, HashedEmbedder())
    return index


def questions(count: int) -> list[str]:
    return [f"where is {THINGS[n % 12]} number {n}" for n in range(count)]


def test_the_background_is_measured_and_stored() -> None:
    """decision 7: the same store and questions give the same."""
    index, embedder = store(60), HashedEmbedder()
    background = calibrate(index, embedder, questions(40))
    assert background == index.background(embedder.space) == calibrate(index, embedder, questions(40))
    assert background.pairs == 40 * 59
    assert -0.1 < background.mean < 0.3
    assert background.deviation > 0.02


@pytest.mark.parametrize(
    ("asked", "kept", "measured"), [(19, 60, False), (20, 60, True), (60, 19, False), (60, 20, True)]
)
def test_below_twenty_of_either_the_prior_holds(asked: int, kept: int, measured: bool) -> None:
    index, embedder = store(kept), HashedEmbedder()
    background = calibrate(index, embedder, questions(asked))
    assert (background != embedder.prior) == measured
    assert index.background(embedder.space) == background


def test_an_empty_store_has_the_prior() -> None:
    index, embedder = InMemoryIndex([]), HashedEmbedder()
    assert calibrate(index, embedder, questions(30)) == embedder.prior


def test_no_more_than_two_hundred_questions_and_four_hundred_passages() -> None:
    index = store(410)
    assert calibrate(index, HashedEmbedder(), questions(1_000)).pairs == 200 * 399


def test_questions_are_spread_over_all_of_them() -> None:
    """A thousand old questions before as many new ones: both count."""
    index, embedder = store(60), HashedEmbedder()
    mixed = calibrate(index, embedder, ["kettle"] * 200 + questions(200))
    assert mixed not in (calibrate(index, embedder, ["kettle"] * 200), calibrate(index, embedder, questions(200)))


def test_a_questions_own_answer_does_not_raise_the_background() -> None:
    """In a small store every question has its answer; those pairs are not unrelated."""
    index, embedder = store(20), HashedEmbedder()
    texts = [each.text for each in index.memories]
    every_pair = embedder.embed(texts) @ embedder.embed(texts).T
    own = calibrate(index, embedder, texts)
    assert own.mean == pytest.approx((every_pair.sum() - 20) / 380, abs=1e-4)
    assert own.mean < float(every_pair.mean()) - 0.02
    assert own.deviation < float(every_pair.std()) - 0.02


def test_texts_that_are_all_the_same_have_no_scale() -> None:
    embedder = Long(16)
    index = InMemoryIndex([memory(f"m{number}", f"note {number}") for number in range(30)])
    backfill(index, embedder)
    assert calibrate(index, embedder, questions(30)) == embedder.prior


def test_a_question_is_the_first_sentence_of_a_prompt() -> None:
    memories = [
        memory("a", exchange_text("Why does it fail? It did not yesterday.", "A lock.")),
        memory("b", exchange_text("fix v1.2 of the parser\nthe log is below", "Done.")),
        memory("c", exchange_text("為什麼失敗？昨天還好。", "A lock.")),
        memory("d", "a note. With more"),
        memory("e", exchange_text("Why does it fail? Again.", "Another lock.")),
    ]
    assert questions_of(memories) == ["Why does it fail?", "fix v1.2 of the parser", "為什麼失敗？", "a note."]


def test_what_nobody_asked_is_no_question() -> None:
    memories = [
        memory("a", exchange_text("", "Hello, I am ready.")),
        memory("b", "The work so far.", MemoryKind.SUMMARY),
        memory("c", "and then the rest of a long reply", part=1, parts=2),
        memory("d", exchange_text("Where do we stand?", "…"), part=0, parts=2),
    ]
    assert questions_of(memories) == ["Where do we stand?"]


@pytest.mark.parametrize(("words", "kept"), [(23, 23), (24, 24), (25, 24)])
def test_a_question_has_at_most_twenty_four_words(words: int, kept: int) -> None:
    (question,) = questions_of([memory("a", exchange_text("word " * words, "ok"))])
    assert len(question.split()) == kept


def test_the_name_of_who_spoke_is_no_part_of_the_question() -> None:
    """With names all turns of a conversation seem alike: a mean of .37 in place of .22 (LoCoMo, five conversations)."""
    said = memory("a", "Rosa: Which fence is green?")
    assert questions_of([replace(said, metadata={SPEAKER: "Rosa"})]) == ["Which fence is green?"]
    assert questions_of([replace(said, metadata={SPEAKER: "Ada"}), said]) == ["Rosa: Which fence is green?"]
