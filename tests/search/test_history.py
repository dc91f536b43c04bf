"""Decisions over time, and what became of them (F-CMD-11)."""

from __future__ import annotations

import pytest
from tests.search.builders import Shelf, ago, memory

from memory_fabric.model.memory import Memory, ProjectId, Statement, StatementKind
from memory_fabric.model.query import Scope, Window
from memory_fabric.search.history import HistoryItem, history
from memory_fabric.store.sqlite import SqliteStore

ALL = Scope()


def chose(
    name: str, choice: str | None, days: float | None, *entities: str, project: str = "a"
) -> tuple[Memory, Statement]:
    said = Statement(
        StatementKind.DECISION, f"we decided on {choice}", 0.8, choice=choice, category="caching", entities=entities
    )
    return memory(name, f"we decided on {choice}", days=days, project=project), said


def fill(store: SqliteStore, *said: tuple[Memory, Statement], replaced: float | None = None) -> None:
    """Statements, and Valkey replacing Redis so many days ago."""
    shelf = Shelf()
    shelf.entity("Redis", aliases=("redis-server",))
    for it, statement in said:
        shelf.put(it, statements=(statement,))
    if replaced is not None:
        shelf.fact("Valkey", "replaces", "Redis", days=replaced)
    shelf.save(store)


def only(items: list[HistoryItem]) -> HistoryItem:
    (it,) = items
    return it


def test_newest_first(store: SqliteStore) -> None:
    fill(store, chose("m1", "Redis", 30), chose("m2", "Kafka", 10), chose("m3", "Nats", 20))
    assert [item.memory.id for item in history(store, ALL)] == ["m2", "m3", "m1"]
    assert [item.memory.id for item in history(store, ALL, limit=2)] == ["m2", "m3"]


@pytest.mark.parametrize("choice", ["Redis", "redis", "REDIS", "redis-server", "Redis_Server"])
def test_a_later_replacement_supersedes_a_choice(store: SqliteStore, choice: str) -> None:
    """Decision 9: however the name was written then (C-050)."""
    fill(store, chose("m1", choice, 30), replaced=10)
    it = only(history(store, ALL))
    assert it.superseded_by == "Valkey"
    assert it.superseded_at == ago(10)


@pytest.mark.parametrize(("replaced", "by"), [(29.9, "Valkey"), (30.0, None), (30.1, None)])
def test_only_what_came_later_supersedes(store: SqliteStore, replaced: float, by: str | None) -> None:
    fill(store, chose("m1", "Redis", 30), replaced=replaced)
    assert only(history(store, ALL)).superseded_by == by


def test_the_first_replacement_counts(store: SqliteStore) -> None:
    shelf = Shelf()
    it, statement = chose("m1", "Redis", 30)
    shelf.put(it, statements=(statement,))
    shelf.fact("Dragonfly", "replaces", "Redis", days=5)
    shelf.fact("Valkey", "replaces", "Redis", days=15)
    shelf.save(store)
    assert only(history(store, ALL)).superseded_by == "Valkey"


def test_a_replacement_said_the_other_way_round_counts(store: SqliteStore) -> None:
    """F-VOC-5: ``replaced_by``."""
    shelf = Shelf()
    it, statement = chose("m1", "Redis", 30)
    shelf.put(it, statements=(statement,))
    shelf.fact("Redis", "replaced_by", "Valkey", days=5)
    shelf.save(store)
    assert only(history(store, ALL)).superseded_by == "Valkey"


def test_a_choice_that_was_rejected_is_not_superseded(store: SqliteStore) -> None:
    kafka = Statement(
        StatementKind.DECISION, "Kafka, not Redis", 0.8, entities=("Kafka", "Redis"), alternatives=("Redis",)
    )
    fill(store, (memory("m1", days=30), kafka), replaced=10)
    assert only(history(store, ALL)).superseded_by is None


def test_entities_stand_for_a_choice_that_was_not_spelled_out(store: SqliteStore) -> None:
    fill(store, chose("m1", None, 30, "Redis"), replaced=10)
    assert only(history(store, ALL)).superseded_by == "Valkey"


def test_an_undated_decision_has_no_later(store: SqliteStore) -> None:
    fill(store, chose("m1", "Redis", None), replaced=10)
    assert only(history(store, ALL)).superseded_by is None


def test_what_came_later_is_shown_whatever_is_asked_for(store: SqliteStore) -> None:
    """The window and the category choose decisions, not what became of them."""
    fill(store, chose("m1", "Redis", 30), replaced=10)
    narrow = Scope(window=Window(before=ago(20)), categories=("caching",), kinds=("decision",))
    assert only(history(store, narrow)).superseded_by == "Valkey"
    assert history(store, Scope(window=Window(since=ago(20)))) == []


def test_other_projects_neither_speak_nor_supersede(store: SqliteStore) -> None:
    """C-148."""
    shelf = Shelf()
    for it, statement in (chose("m1", "Redis", 30), chose("m2", "Redis", 30, project="b")):
        shelf.put(it, statements=(statement,))
    shelf.fact("Valkey", "replaces", "Redis", days=5, project="b")
    shelf.save(store)
    ours = only(history(store, Scope(projects=(ProjectId("a"),))))
    assert (ours.memory.id, ours.superseded_by) == ("m1", None)
    assert only(history(store, Scope(projects=(ProjectId("b"),)))).superseded_by == "Valkey"


def test_kinds_choose_statements(store: SqliteStore) -> None:
    likes = Statement(StatementKind.PREFERENCE, "I prefer tabs", 0.8)
    fill(store, chose("m1", "Redis", 30), (memory("m2"), likes))
    assert only(history(store, ALL, (StatementKind.PREFERENCE,))).statement == likes
    assert len(history(store, ALL, (StatementKind.PREFERENCE, StatementKind.DECISION))) == 2


def test_nothing_remembered_is_no_history(store: SqliteStore) -> None:
    assert history(store, ALL) == []
