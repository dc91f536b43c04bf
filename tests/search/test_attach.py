"""F-XREF-5: the facts beside a result."""

from __future__ import annotations

import pytest
from tests.search.builders import Shelf, candidate, memory, question

from memory_fabric.model.graph import Relation
from memory_fabric.model.result import Result
from memory_fabric.search.attach import MAX_RELATIONS, attach
from memory_fabric.store.sqlite import SqliteStore


def shown(store: SqliteStore, name: str, *hints: str, led: tuple[Relation, ...] = ()) -> tuple[Relation, ...]:
    (result,) = attach([Result(candidate(name, relations=led), ())], question("q", hints=hints), store)
    return result.candidate.relations


def said(relations: tuple[Relation, ...]) -> list[tuple[str, str, str]]:
    return [(each.subject, each.label, each.object) for each in relations]


@pytest.fixture
def store_of_facts(store: SqliteStore) -> SqliteStore:
    shelf = Shelf()
    one = shelf.put(memory("m1"), "redis", "kafka", "celery")
    shelf.fact("celery", "uses", "redis", evidence=one)
    shelf.fact("redis", "depends_on", "kafka", evidence=one)
    shelf.fact("kafka", "replaces", "celery", evidence=one)
    two = shelf.put(memory("m2"))
    for number in range(MAX_RELATIONS + 1):
        shelf.fact(f"thing{number}", "depends_on", "kafka", evidence=two)
    shelf.save(store)
    return store


def test_what_a_memory_bears_out_is_shown_with_it(store_of_facts: SqliteStore) -> None:
    """What is merely used comes last."""
    assert said(shown(store_of_facts, "m1"))[-1] == ("celery", "uses", "redis")
    assert len(shown(store_of_facts, "m1")) == 3
    assert shown(store_of_facts, "unknown") == ()


def test_what_the_question_names_comes_first(store_of_facts: SqliteStore) -> None:
    assert said(shown(store_of_facts, "m1", "redis"))[0] == ("redis", "depends_on", "kafka")
    assert said(shown(store_of_facts, "m1", "celery"))[0] == ("kafka", "replaces", "celery")


def test_a_relation_that_led_to_it_is_shown_once(store_of_facts: SqliteStore) -> None:
    """F-XREF-5."""
    own = shown(store_of_facts, "m1")
    assert shown(store_of_facts, "m1", led=own) == own


def test_there_are_at_most_twelve(store_of_facts: SqliteStore) -> None:
    assert len(shown(store_of_facts, "m2")) == MAX_RELATIONS
