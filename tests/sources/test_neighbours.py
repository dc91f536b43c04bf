"""Decision 17, for vectors: what stands around a short turn lends it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.search.builders import Shelf, question

from memory_fabric.clock import Deadline
from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.model.memory import MemoryId
from memory_fabric.sources.neighbours import IN_CONTEXT, LENT_AT_MOST, lent, vector_context
from memory_fabric.sources.vector import VectorSource
from memory_fabric.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

LONG = Deadline.after(600.0)


@pytest.mark.parametrize(
    ("length", "share"),
    [(0.0, 1.0), (30.0, 1.0), (30.1, 0.998), (67.08, 0.5), (149.9, 0.0004), (150.0, 0.0), (999.0, 0.0)],
)
def test_short_turns_lean_on_their_neighbours_and_long_ones_do_not(length: float, share: float) -> None:
    assert vector_context(length) == pytest.approx(share, abs=0.001)


def test_two_turns_before_and_two_after_lend_their_shares() -> None:
    places = {place: MemoryId(f"m{place}") for place in range(7)}
    for at, share in ((0, 0.0), (1, 0.3), (2, 0.4), (3, 0.0), (4, 0.35), (5, 0.2), (6, 0.0)):
        assert lent(places, 3, {MemoryId(f"m{at}"): 2.0}) == pytest.approx(2.0 * share)
    assert lent(places, 3, dict.fromkeys(places.values(), 1.0)) == pytest.approx(LENT_AT_MOST)
    assert lent({}, 3, {}) == 0.0


class Marked(HashedEmbedder):
    """One direction for what speaks of a cello, another for the rest; a question looks along the first."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            row[0 if "instrument" in text else 1] = 1.0
        return rows

    def embed_query(self, text: str) -> Vectors:
        vector: Vectors = self.embed([text])[0]
        return vector


def found(store: SqliteStore, limit: int = 20) -> dict[str, float]:
    answered = VectorSource(store, store, store, Marked()).find(question("which instrument"), limit, LONG)
    assert all(hit.raw <= answered.ceiling for hit in answered.hits)
    return {str(hit.memory.id): hit.raw for hit in answered.hits}


def test_an_answer_beside_the_question_outranks_one_that_stands_alone(store: SqliteStore) -> None:
    shelf = Shelf()
    for session, texts in (("s1", ("which instrument?", "the cello", "I see")), ("s2", ("the cello",))):
        for place, text in enumerate(texts):
            shelf.say(f"{session}.{place}", text, session=session)
    shelf.save(store)
    backfill(store, Marked())
    scores = found(store)
    assert scores["s1.0"] > scores["s1.1"] > scores["s1.2"] > scores["s2.0"]
    weighed = VectorSource(store, store, store, Marked()).weigh(
        question("which instrument"), store.get([MemoryId("s1.1"), MemoryId("s2.0")])
    )
    assert weighed == {MemoryId(name): pytest.approx(scores[name]) for name in ("s1.1", "s2.0")}


def test_a_smaller_limit_is_the_beginning_of_a_larger_one(store: SqliteStore) -> None:
    shelf = Shelf()
    for place in range(12):
        shelf.say(f"m{place}", "which instrument?" if place % 5 == 0 else "well", session="s1")
    shelf.save(store)
    backfill(store, Marked())
    whole = list(found(store, IN_CONTEXT))
    assert all(list(found(store, limit)) == whole[:limit] for limit in (1, 3, 12))
