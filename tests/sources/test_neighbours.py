"""Decision 17, for vectors: what stands around a short turn lends it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests.search.builders import Shelf, memory, question

from memory_fabric.clock import Deadline
from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.model.memory import SPEAKER, MemoryId, MemoryKind, SessionId
from memory_fabric.ports import TextUnit
from memory_fabric.sources.neighbours import IN_CONTEXT, LENT_AT_MOST, REPLY, lent, replies, vector_context
from memory_fabric.sources.vector import VectorSource
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.text import exchange_text

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


def unit(name: str, place: int, prompt: str = "", reply: str = "", session: str = "s1") -> TextUnit:
    return TextUnit(MemoryId(name), SessionId(session), place, prompt, reply, 1)


@pytest.mark.parametrize(
    ("next_turn", "replied"),
    [
        (unit("next", 1, reply=" cello "), True),
        (unit("next", 2, reply=" cello "), False),
        (unit("next", 1, reply=" cello ", session="s2"), False),
        (unit("next", 1, prompt=" cello "), False),
        (unit("next", 1, prompt=" so ", reply=" cello "), False),
        (unit("next", 1), False),
    ],
)
def test_a_reply_is_the_agents_turn_that_follows_at_once(next_turn: TextUnit, replied: bool) -> None:
    asked = unit("asked", 0, prompt=" instrument ")
    around = {SessionId("s1"): [asked], SessionId("s2"): []}
    around[next_turn.session] = [*around[next_turn.session], next_turn]
    assert replies([asked], around) == ({MemoryId("asked"): MemoryId("next")} if replied else {})


def chat(store: SqliteStore, turns: Sequence[tuple[str, str]], more: int = 0) -> None:
    """A chat whose every turn is a memory, then ``more`` long turns about other things; vectors of all."""
    shelf = Shelf()
    for number, (speaker, text) in enumerate([*turns, *[("user", "fence " * 200)] * more]):
        said = exchange_text(text, "") if speaker == "user" else exchange_text("", text)
        told = memory(f"{number:03}", said, session="chat", kind=MemoryKind.EXCHANGE)
        shelf.put(replace(told, metadata={SPEAKER: speaker}))
    shelf.save(store)
    backfill(store, Marked())


def test_a_users_turn_is_lent_half_of_what_its_reply_scores(store: SqliteStore) -> None:
    """Decision 23, where turns are long and their other neighbours lend nothing."""
    chat(store, [("user", "cello " * 200), ("assistant", "instrument " * 200), ("user", "cello " * 200)], more=5)
    scores = found(store)
    assert scores["000"] == pytest.approx(scores["002"] + REPLY * scores["001"])
    weighed = VectorSource(store, store, store, Marked()).weigh(
        question("which instrument"), store.get([MemoryId("000"), MemoryId("001"), MemoryId("002")])
    )
    assert weighed == {id_: pytest.approx(scores[id_]) for id_ in weighed}


def test_an_unrelated_reply_takes_nothing_away(store: SqliteStore) -> None:
    chat(store, [("user", "instrument " * 200), ("assistant", "fence " * 200), ("user", "instrument " * 200)], more=5)
    scores = found(store)
    assert scores["000"] == pytest.approx(scores["002"])


def test_in_a_chat_too_a_smaller_limit_is_the_beginning_of_a_larger_one(store: SqliteStore) -> None:
    chat(store, [("user", "cello " * 200), ("assistant", "instrument " * 200)] * 8, more=3)
    whole = list(found(store, IN_CONTEXT))
    assert all(list(found(store, limit)) == whole[:limit] for limit in (1, 3, 12))
