"""F-PARSE-6: an intent favours kinds of statement; it filters nothing and leaves the graph's weight alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.search.builders import Shelf, candidate, memory, question

from memory_fabric.model.graph import RelationOrigin
from memory_fabric.model.memory import Statement, StatementKind
from memory_fabric.model.query import Intent, Scope
from memory_fabric.search.favour import FAVOUR, favour
from memory_fabric.search.floor import relevant
from memory_fabric.store.sqlite import SqliteStore


@pytest.fixture
def stated(store: SqliteStore) -> SqliteStore:
    """One memory that decides, one that prefers, one that reports a problem, one that says nothing of the kind."""
    shelf = Shelf()
    for kind in (StatementKind.DECISION, StatementKind.PREFERENCE, StatementKind.PROBLEM):
        shelf.put(memory(kind.value), statements=(Statement(kind, "so be it", 0.8),))
    shelf.put(memory("plain"))
    shelf.save(store)
    return store


@pytest.mark.parametrize(
    ("intent", "lifted"),
    [
        (Intent.DECISION, {"decision"}),
        (Intent.PREFERENCE, {"preference"}),
        (Intent.PROBLEM, set()),
        (Intent.GENERAL, set()),
        (Intent.RECENT, set()),
    ],
)
def test_an_intent_lifts_what_states_its_kind(stated: SqliteStore, intent: Intent, lifted: set[str]) -> None:
    before = [candidate(name, 0.5) for name in ("plain", "decision", "preference", "problem")]
    after = favour(before, replace(question("what now"), intent=intent), stated)
    assert [each.memory.id for each in after] == [each.memory.id for each in before]
    assert {each.memory.id for each in after if each.relevance == pytest.approx(0.5 * FAVOUR)} == lifted
    assert all(each.relevance == 0.5 for each in after if each.memory.id not in lifted)


def test_nothing_is_lifted_above_one(stated: SqliteStore) -> None:
    (only,) = favour([candidate("decision", 0.95)], replace(question("x"), intent=Intent.DECISION), stated)
    assert only.relevance == 1.0


def test_a_store_knows_what_its_memories_state(stated: SqliteStore) -> None:
    """``MemoryStore.stated``: unknown memories and those without statements are left out."""
    ids = [memory(name).id for name in ("decision", "plain", "nowhere")]
    assert stated.stated(ids) == {"decision": frozenset({StatementKind.DECISION})}


def test_what_touched_a_file_that_is_asked_about_is_favoured_and_shown(store: SqliteStore) -> None:
    """F-EDGE-1: the file part_of its project is an observed relation; naming the file makes it an answer."""
    shelf = Shelf()
    touched = shelf.put(memory("touched"), "client.py")
    shelf.fact("client.py", "part_of", "shop", evidence=touched)
    shelf.save(store)
    (fact,) = store.evidence([touched.id], Scope())[touched.id]
    fact = replace(fact, origin=RelationOrigin.OBSERVED)
    asked = replace(question("who changed client.py"), named=frozenset({fact.subject}))
    weak = {"text": 0.1, "vector": 0.1, "graph": 0.5}
    one = candidate(touched, 0.5, found_by=weak, relations=(fact,))
    other = candidate("other", 0.5, found_by=weak)
    assert favour([one, other], asked, store)[0].relevance == pytest.approx(0.5 * FAVOUR)
    assert favour([one, other], question("who?"), store) == [one, other]
    assert relevant([one, other], named=asked.named) == [one]
    assert relevant([one, other]) == []
