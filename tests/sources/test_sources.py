"""What each source promises beyond the contract (F-VEC-2, F-ROUTE-5, C-066, C-155, decisions 7 and 18)."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import Shelf, memory, question

from memory_fabric.clock import Deadline
from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import DeadlinePassed, SourceUnavailable
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Scope
from memory_fabric.model.result import Found
from memory_fabric.ports import Background
from memory_fabric.search import traverse
from memory_fabric.sources.graph import GraphSource, bent
from memory_fabric.sources.neighbours import LENT_AT_MOST
from memory_fabric.sources.recent import RecentSource
from memory_fabric.sources.text import TextSource
from memory_fabric.sources.vector import VectorSource
from memory_fabric.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

LONG = Deadline.after(600.0)
PAST = Deadline(0.0, clock=lambda: 1.0)


def say(store: SqliteStore, *texts: str, first: int = 0, embed: bool = True) -> list[Memory]:
    """One exchange a session for each text."""
    shelf = Shelf()
    said = [shelf.say(f"m{first + place}", text, session=f"s{first + place}") for place, text in enumerate(texts)]
    shelf.save(store)
    if embed:
        backfill(store, HashedEmbedder())
    return said


def raws(found: Found) -> dict[str, float]:
    return {str(hit.memory.id): hit.raw for hit in found.hits}


# ── vectors ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Counting(HashedEmbedder):
    """Keeps what it was asked."""

    def __init__(self, dimension: int = 256) -> None:
        super().__init__(dimension)
        self.asked: list[str] = []

    def embed_query(self, text: str) -> Vectors:
        self.asked.append(text)
        return super().embed_query(text)


def vectors(store: SqliteStore, embedder: HashedEmbedder | None = None) -> VectorSource:
    return VectorSource(store, store, store, embedder or HashedEmbedder())


def test_without_vectors_it_is_unavailable_and_says_what_to_do(store: SqliteStore) -> None:
    """C-066, F-VEC-5."""
    say(store, "the cache", embed=False)
    with pytest.raises(SourceUnavailable, match="hashed-256") as caught:
        vectors(store).find(question("cache"), 20, LONG)
    assert "memory-fabric ingest" in caught.value.hint


def test_vectors_of_another_space_are_ignored(store: SqliteStore) -> None:
    """C-066, F-VEC-2: spaces never mix; only those of this one count."""
    say(store, "the redis cache", "the kafka queue")
    other = HashedEmbedder(64)
    with pytest.raises(SourceUnavailable, match="hashed-64"):
        vectors(store, other).find(question("redis cache"), 20, LONG)
    assert vectors(store, other).weigh(question("redis cache"), store.get([memory("m0").id])) == {}
    shelf = Shelf()
    shelf.say("late", "the redis cache again", session="late")
    shelf.save(store)
    assert set(raws(vectors(store).find(question("redis cache"), 20, LONG))) == {"m0", "m1"}


def test_unrelated_memories_change_no_score(store: SqliteStore) -> None:
    """F-NORM-5: absolute; it depends on the question and the memory alone."""
    say(store, "the redis cache is warm", "the kafka queue")
    before = vectors(store).find(question("redis cache"), 20, LONG)
    say(store, *(f"unrelated talk about gardens {'rose ' * place}" for place in range(9)), first=2)
    after = vectors(store).find(question("redis cache"), 20, LONG)
    assert raws(after)["m0"] == pytest.approx(raws(before)["m0"])
    assert after.ceiling == before.ceiling


def test_a_score_counts_deviations_above_the_background(store: SqliteStore) -> None:
    """Decision 7: zero is unrelated, whatever the model; the store's own calibration goes before the prior."""
    say(store, "the redis cache")
    embedder = HashedEmbedder()
    asked = question("which redis server is slow")
    cosine = float(embedder.embed_query(asked.text) @ embedder.embed(["the redis cache"])[0])
    assert 0.2 < cosine < 0.95
    prior = vectors(store).find(asked, 20, LONG)
    assert prior.hits[0].raw == pytest.approx((cosine - embedder.prior.mean) / embedder.prior.deviation, rel=1e-3)
    store.calibrate(embedder.space, Background(0.2, 0.1, 50))
    own = vectors(store).find(asked, 20, LONG)
    assert own.hits[0].raw == pytest.approx((cosine - 0.2) / 0.1, rel=1e-3)
    assert own.ceiling == pytest.approx(8.0 * (1 + LENT_AT_MOST))


def test_an_unrelated_pair_scores_below_a_related_one(store: SqliteStore) -> None:
    """C-155: the measure must be able to be wrong."""
    say(store, "redis cache eviction", "gardening with roses")
    found = raws(vectors(store).find(question("redis cache eviction policy"), 20, LONG))
    assert found["m1"] < 2.0 < found["m0"]


def test_the_question_is_embedded_once(store: SqliteStore) -> None:
    (said, *_) = say(store, "the redis cache", "the kafka queue")
    embedder = Counting()
    source = vectors(store, embedder)
    source.find(question("redis"), 20, LONG)
    source.weigh(question("redis"), [said])
    source.find(question("kafka"), 20, LONG)
    assert embedder.asked == ["redis", "kafka"]


class Rounding(SqliteStore):
    """Finds everything at a cosine that float32 made too large."""

    def nearest(self, space: str, vector: Vectors, scope: Scope, limit: int) -> list[tuple[MemoryId, float]]:
        return [(memory_, 1.0000002) for memory_, _ in super().nearest(space, vector, scope, limit)]


def test_rounding_does_not_lift_a_score_above_the_ceiling(tmp_path: Path) -> None:
    with contextlib.closing(Rounding.open(tmp_path / "memory.db")) as store:
        say(store, "the redis cache")
        found = vectors(store).find(question("the redis cache"), 20, LONG)
    assert found.hits[0].raw == pytest.approx(found.ceiling / (1 + LENT_AT_MOST))


# ── full text ────────────────────────────────────────────────────────────────────────────────────────────────────


def text(store: SqliteStore, tools: float = 0.0) -> TextSource:
    return TextSource(store, store, tools)


def test_rarer_words_count_more(store: SqliteStore) -> None:
    say(store, "the cache", "the cache", "the cache", "the ledger")
    found = raws(text(store).find(question("cache ledger"), 20, LONG))
    assert max(found, key=lambda name: found[name]) == "m3"


def test_question_words_alone_ask_for_nothing(store: SqliteStore) -> None:
    say(store, "what is the cache")
    assert text(store).find(question("what is the"), 20, LONG).hits == ()


def test_neighbours_lend_their_words(store: SqliteStore) -> None:
    """Decision 17: the answer stands beside the question more often than in it."""
    shelf = Shelf()
    shelf.say("asked", "which store for the ledger?", session="s1")
    shelf.say("told", "the second choice, then", "fine", session="s1")
    shelf.say("alone", "the second choice, then", "fine", session="s2")
    shelf.save(store)
    found = raws(text(store).find(question("ledger choice"), 20, LONG))
    assert found["told"] > found["alone"]


def test_what_tools_touched_is_found_with_a_weight_of_its_own(store: SqliteStore) -> None:
    """F-ING-5: and not at all when the weight is 0."""
    shelf = Shelf()
    it = replace(
        shelf.say("m0", "tidy up", "done"),
        metadata={"tools": [{"kind": "file", "name": "Edit", "target": "src/billing/invoice.py"}]},
    )
    shelf.records = [replace(shelf.records[0], memory=it)]
    shelf.save(store)
    asked = question("invoice.py")
    assert raws(text(store).find(asked, 20, LONG)) == {}
    light, heavy = (raws(text(store, weight).find(asked, 20, LONG)) for weight in (0.2, 0.4))
    assert 0 < light["m0"] * 2 == pytest.approx(heavy["m0"])


def test_it_notices_that_time_ran_out(store: SqliteStore) -> None:
    say(store, "the cache")
    with pytest.raises(DeadlinePassed, match="text"):
        text(store).find(question("cache"), 20, PAST)


# ── the graph ────────────────────────────────────────────────────────────────────────────────────────────────────


def graph(store: SqliteStore) -> GraphSource:
    return GraphSource(store, store, traverse.walk)


def test_a_question_that_names_nothing_known_gets_nothing(store: SqliteStore) -> None:
    """Decision 18."""
    shelf = Shelf()
    shelf.put(memory("m"), "Redis")
    shelf.save(store)
    for hints in ((), ("Kafka",)):
        assert graph(store).find(question("anything", hints=hints), 20, LONG).hits == ()


def test_the_score_of_a_chunk_by_hand(store: SqliteStore) -> None:
    """F-ROUTE-5: a fact at one hop, of the rarer end, by the root of one more than the facts held; and the mention.

    Four memories; ``a`` is in one, ``b`` in none: ln(1 + 4/2) for the mention of ``a``, ln(1 + 4/1) / 2 for the fact.
    """
    shelf = Shelf()
    both = shelf.put(memory("both"), "a")
    shelf.fact("a", "uses", "b", evidence=both)
    for name in ("x", "y", "z"):
        shelf.put(memory(name))
    shelf.save(store)
    found = graph(store).find(question("a", hints=("a",)), 20, LONG)
    assert found.ceiling == pytest.approx(2 * math.log(3))
    score = math.log(3) + math.log(5) / 2 / math.sqrt(2)
    assert raws(found) == {"both": pytest.approx(bent(score, found.ceiling))}
    assert [relation.object for relation in found.hits[0].via] == ["b"]


def test_what_is_two_hops_away_counts_less(store: SqliteStore) -> None:
    """F-TRAV-6, F-TRAV-7: and three hops away nothing."""
    shelf = Shelf()
    facts = [("a", "b"), ("b", "c"), ("c", "d")]
    for place, (one, other) in enumerate(facts, 1):
        shelf.fact(one, "uses", other, evidence=shelf.put(memory(f"hop{place}")))
    shelf.save(store)
    found = raws(graph(store).find(question("a", hints=("a",)), 20, LONG))
    assert list(found) == ["hop1", "hop2"]


def test_what_was_superseded_leads_nowhere(store: SqliteStore) -> None:
    """F-TRAV-10."""
    shelf = Shelf()
    shelf.fact("ledger", "part_of", "billing", evidence=shelf.put(memory("old")), days=30)
    shelf.fact("ledger", "part_of", "accounts", evidence=shelf.put(memory("new")), days=10)
    shelf.save(store)
    asked = question("ledger", hints=("ledger",))
    assert list(raws(graph(store).find(asked, 20, LONG))) == ["new"]
    every = replace(asked, scope=replace(asked.scope, superseded=True))
    assert set(raws(graph(store).find(every, 20, LONG))) == {"old", "new"}


def test_it_notices_that_time_ran_out_on_the_walk(store: SqliteStore) -> None:
    shelf = Shelf()
    shelf.put(memory("m"), "Redis")
    shelf.save(store)
    with pytest.raises(DeadlinePassed, match="graph"):
        graph(store).find(question("Redis", hints=("Redis",)), 20, PAST)


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0.01, 1e3))
def test_a_bent_score_keeps_its_order_below_the_ceiling(one: float, other: float, ceiling: float) -> None:
    low, high = sorted((one, other))
    assert 0 <= bent(low, ceiling) <= bent(high, ceiling) <= ceiling
    assert bent(ceiling / 2, ceiling) == ceiling / 2
    assert bent(ceiling, ceiling) == pytest.approx(0.75 * ceiling)


# ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_newest_first_and_the_undated_last(store: SqliteStore) -> None:
    """F-PARSE-7."""
    shelf = Shelf()
    days: Sequence[tuple[str, float | None]] = (("b", 2.0), ("undated", None), ("a", 1.0), ("tomorrow", -1.0))
    for name, ago_ in days:
        shelf.put(memory(name, days=ago_))
    shelf.save(store)
    found = RecentSource(store).find(question(""), 20, LONG)
    assert list(raws(found)) == ["tomorrow", "a", "b", "undated"]
    assert {hit.raw for hit in found.hits} == {found.ceiling} == {1.0}
