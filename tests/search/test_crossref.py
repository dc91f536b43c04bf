"""What stands in more than one place is lifted, once (F-XREF-1 to F-XREF-6, decision 5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import Shelf, candidate, memory, question

from memory_fabric.model.result import Candidate
from memory_fabric.search.crossref import BOOST, boosted, crossref
from memory_fabric.store.sqlite import SqliteStore


@pytest.mark.parametrize(
    ("relevance", "after"),
    [(0.0, 0.0), (0.5, 0.6), (0.833, 0.9996), (0.834, 1.0), (0.9, 1.0), (1.0, 1.0), (1 / 1.2, 1.0)],
)
def test_the_boost_is_by_a_fifth_and_capped_at_one(relevance: float, after: float) -> None:
    """F-XREF-1, D-6."""
    assert BOOST == 1.2
    assert boosted(relevance) == pytest.approx(after, abs=1e-9)


@given(st.floats(0, 1), st.floats(1, 10))
def test_the_boost_stays_in_zero_to_one_and_never_lowers(relevance: float, factor: float) -> None:
    assert relevance <= boosted(relevance, factor) <= 1


@pytest.fixture
def shelf(store: SqliteStore) -> Shelf:
    """Redis and Kafka in two sessions, Valkey in one."""
    shelf = Shelf()
    one = shelf.put(memory("m1", "Redis and Kafka", session="s1"), "Redis", "Kafka", "Valkey")
    shelf.put(memory("m2", "Redis again", session="s1"), "Redis")
    shelf.put(memory("m3", "Redis and Kafka elsewhere", session="s2"), "Redis", "Kafka")
    shelf.entity("PostgreSQL", aliases=("postgres", "pg"))
    shelf.put(memory("m4", "PostgreSQL here", session="s1"), "PostgreSQL")
    shelf.put(memory("m5", "PostgreSQL there", session="s3"), "PostgreSQL")
    shelf.fact("Redis", "uses", "Kafka", evidence=one)
    shelf.save(store)
    return shelf


def lifted(store: SqliteStore, name: str, *hints: str, relevance: float = 0.5, **more: object) -> Candidate:
    (found,) = store.get([memory(name).id])
    (it,) = crossref([candidate(found, relevance, **more)], question("q", hints=hints), store)
    return it


@pytest.mark.usefixtures("shelf")
def test_an_entity_that_stands_elsewhere_lifts(store: SqliteStore) -> None:
    """F-XREF-1."""
    it = lifted(store, "m1", "redis")
    assert it.linked == ("Redis",)
    assert it.relevance == pytest.approx(0.6)


@pytest.mark.usefixtures("shelf")
def test_an_entity_of_this_session_alone_does_not(store: SqliteStore) -> None:
    """F-XREF-2: it has no evidence but this."""
    it = lifted(store, "m1", "valkey")
    assert it.linked == ()
    assert it.relevance == 0.5


@pytest.mark.usefixtures("shelf")
def test_several_entities_lift_once(store: SqliteStore) -> None:
    """F-XREF-3: the reference text multiplied once per entity."""
    it = lifted(store, "m1", "redis", "kafka")
    assert it.linked == ("Redis", "Kafka")
    assert it.relevance == pytest.approx(0.6)


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize("hint", ["REDIS", "redis", "Ｒedis"])
def test_case_is_folded_on_both_sides(store: SqliteStore, hint: str) -> None:
    """F-XREF-4: mixed-case entities never matched."""
    assert lifted(store, "m1", hint).linked == ("Redis",)


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("hint", "linked"), [("pg", ("PostgreSQL",)), ("postgres", ("PostgreSQL",)), ("postg", ()), ("sql", ())]
)
def test_aliases_match_and_parts_of_names_do_not(store: SqliteStore, hint: str, linked: tuple[str, ...]) -> None:
    """F-XREF-4."""
    assert lifted(store, "m4", hint).linked == linked


@pytest.mark.usefixtures("shelf")
def test_duplicates_are_not_elsewhere(store: SqliteStore) -> None:
    """F-XREF-2: other than this result and what it absorbed."""
    (other,) = store.get([memory("m3").id])
    it = lifted(store, "m1", "redis", absorbed=(other,))
    assert it.linked == ()
    assert it.relevance == 0.5


@pytest.mark.usefixtures("shelf")
def test_the_boost_is_no_witness(store: SqliteStore) -> None:
    """F-XREF-6: the shell code set it."""
    it = lifted(store, "m1", "redis")
    assert it.linked
    assert not it.cross_validated
    assert it.authority == 1.0


@pytest.mark.usefixtures("shelf")
def test_an_exact_match_cannot_gain(store: SqliteStore) -> None:
    """D-6."""
    assert lifted(store, "m1", "redis", relevance=1.0).relevance == 1.0


def test_nothing_in_gives_nothing_out(store: SqliteStore) -> None:
    assert crossref([], question("q"), store) == []
