"""The scope is part of every query (decision 10)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from memory_fabric.model.graph import EntityId
from memory_fabric.model.memory import MemoryId, MemoryKind, ProjectId, StatementKind
from memory_fabric.model.query import Scope, Window
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.ports import Store

if TYPE_CHECKING:
    from tests.contract.conftest import Build

Ask = Callable[[Store, Scope], Any]

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)

ASKS: dict[str, Ask] = {
    "recent": lambda store, scope: {memory.id for memory in store.recent(scope, 99)},
    "near_in_time": lambda store, scope: {memory.id for memory in store.near_in_time(NOON, scope, 99)},
    "match": lambda store, scope: {unit.memory for unit in store.match(["secret"], scope, 99)},
    "references": lambda store, scope: set(store.references(["vault"], scope, 99)),
    "nearest": lambda store, scope: {key for key, _ in store.nearest("v", np.ones(2, dtype=np.float32), scope, 99)},
    "mentions": lambda store, scope: set(store.mentions([EntityId("hub")], scope, 99).get(EntityId("hub"), [])),
    "statements": lambda store, scope: {memory.id for memory, _ in store.statements(list(StatementKind), scope, 99)},
    "edges": lambda store, scope: {edge.evidence for edge in store.edges([EntityId("hub")], scope, 99)},
    "evidence": lambda store, scope: set(store.evidence([MemoryId(f"m{i}") for i in range(5)], scope)),
    "session_scores": lambda store, scope: {
        f"m{session[1:]}" for session in store.session_scores(["secret"], scope, 99)
    },
}  # fmt: skip
"""Every method that takes a scope, as the memories that it shows."""


@pytest.fixture
def filled(store: Store, build: Build) -> Store:
    """Five memories that match every question, each in its own session, project and day."""
    kinds = [StatementKind.DECISION, StatementKind.PROBLEM, StatementKind.QUESTION, StatementKind.PREFERENCE]
    for i in range(5):
        record = build.record(
            f"m{i}",
            "secret word",
            session=f"s{i}",
            project=f"p{i}",
            day=i,
            kind=MemoryKind.SUMMARY if i == 3 else MemoryKind.EXCHANGE,
            touched=("vault.py",),
            statements=(build.statement(kinds[i % 4], category="api" if i == 2 else "caching"),),
        )
        store.save(
            build.batch(
                record,
                entities=(build.entity("hub"),),
                mentions=(build.mention(f"m{i}", "hub"),),
                relations=(build.relation("hub", Predicate.USES, f"e{i}", evidence=f"m{i}", project=f"p{i}", day=i),),
            )
        )
        store.put("v", {MemoryId(f"m{i}"): np.ones((1, 2), dtype=np.float32)})
    return store


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), "01234"),
        (Scope(projects=(ProjectId("p1"),)), "1"),
        (Scope(projects=(ProjectId("p1"), ProjectId("p3"))), "13"),
        (Scope(projects=()), ""),
        (Scope(projects=(ProjectId("unknown"),)), ""),
        (Scope(projects=(ProjectId("x' OR 1=1 --"),)), ""),
        (Scope(projects=(ProjectId("p%"),)), ""),
        (Scope(projects=(ProjectId("p_"),)), ""),
        (Scope(kinds=("summary",)), "3"),
        (Scope(kinds=("decision",)), "04"),
        (Scope(kinds=("decision", "summary")), "034"),
        (Scope(kinds=("exchange",), categories=("api",)), "2"),
        (Scope(kinds=("nonsense",)), ""),
        (Scope(categories=("api",)), "2"),
        (Scope(kinds=("decision",), categories=("api",)), ""),
        (Scope(kinds=("question",), categories=("api",)), "2"),
        (Scope(categories=("a') --",)), ""),
    ],
)
def test_no_method_shows_what_is_out_of_scope(filled: Store, scope: Scope, expected: str) -> None:
    """C-055, C-115, C-148: for each of text, vector, graph, recent, statements."""
    shown = {name: ask(filled, scope) for name, ask in ASKS.items()}
    assert shown == {name: {f"m{i}" for i in expected} for name in ASKS}


@pytest.mark.parametrize("ask", ASKS)
def test_a_window_begins_inclusive_and_ends_exclusive(filled: Store, build: Build, ask: str) -> None:
    def shown(window: Window) -> str:
        return "".join(sorted(key[1:] for key in ASKS[ask](filled, Scope(window=window))))

    assert shown(Window(since=build.at(3))) == "34"
    assert shown(Window(since=build.at(3.0001))) == "4"
    assert shown(Window(before=build.at(1))) == "0"
    assert shown(Window(before=build.at(1.0001))) == "01"
    assert shown(Window(build.at(1), build.at(3))) == "12"
    assert shown(Window(build.at(3), build.at(1))) == ""


def test_a_window_leaves_out_what_has_no_date(store: Store, build: Build) -> None:
    store.save(build.batch(build.record("m1", day=None)))
    assert store.recent(Scope(window=Window(since=build.at(-9))), 9) == []
    assert len(store.recent(Scope(), 9)) == 1


def test_a_session_in_two_projects_is_scored_by_each_alone(store: Store, build: Build) -> None:
    """C-148: the other project's words must not lift a session."""
    store.save(build.batch(build.record("m1", "open"), build.record("m2", "secret", project="p2", seq=1)))
    assert store.session_scores(["secret"], Scope(projects=(ProjectId("p1"),)), 9) == {}
    assert list(store.session_scores(["secret"], Scope(projects=(ProjectId("p2"),)), 9)) == ["s1"]
    assert list(store.session_scores(["secret", "open"], Scope(), 9)) == ["s1"]


@pytest.mark.parametrize(("key", "other"), [("a_b", "axb"), ("100%", "100x"), ("a*", "ab"), ("p", "P")])
def test_project_names_are_compared_letter_by_letter(store: Store, build: Build, key: str, other: str) -> None:
    """C-055."""
    store.save(build.batch(build.record("m1", project=key), build.record("m2", project=other, seq=1)))
    assert [memory.id for memory in store.recent(Scope(projects=(ProjectId(key),)), 9)] == ["m1"]


def test_recent_is_newest_first_undated_last_and_limited(store: Store, build: Build) -> None:
    days = {"m1": 1, "m2": None, "m3": 3, "m4": 2}
    store.save(build.batch(*(build.record(key, day=day, seq=i) for i, (key, day) in enumerate(days.items()))))
    assert [memory.id for memory in store.recent(Scope(), 9)] == ["m3", "m4", "m1", "m2"]
    assert [memory.id for memory in store.recent(Scope(), 2)] == ["m3", "m4"]
    assert store.recent(Scope(), 0) == store.recent(Scope(), -1) == []


def test_near_in_time_takes_as_many_from_either_side_by_time_without_the_undated(store: Store, build: Build) -> None:
    """The instant itself counts as before it, to the millisecond that the store keeps."""
    days = {"m1": 1, "m2": None, "m3": 3, "m4": 2, "m5": 4}
    store.save(build.batch(*(build.record(key, day=day, seq=i) for i, (key, day) in enumerate(days.items()))))

    def near(at: datetime, limit: int) -> list[str]:
        return [memory.id for memory in store.near_in_time(at, Scope(), limit)]

    assert near(build.at(2), 9) == ["m1", "m4", "m3", "m5"]
    assert near(build.at(2), 1) == ["m4", "m3"]
    assert near(build.at(2) - timedelta(milliseconds=1), 1) == ["m1", "m4"]
    assert near(build.at(9), 2) == ["m3", "m5"]
    assert near(build.at(-9), 2) == ["m1", "m4"]
    assert near(build.at(2), 0) == near(build.at(2), -1) == []


def test_near_in_time_counts_what_belongs_to_every_project_with_the_rest(store: Store, build: Build) -> None:
    records = [
        build.record(f"m{day}", day=day, seq=day, project=None if day % 2 else "p",
                     kind=MemoryKind.NOTE if day % 2 else MemoryKind.EXCHANGE)
        for day in range(6)
    ]  # fmt: skip
    store.save(build.batch(*records))
    scope = Scope(projects=(ProjectId("p"),))
    assert [memory.id for memory in store.near_in_time(build.at(3), scope, 2)] == ["m2", "m3", "m4", "m5"]


def test_statements_are_those_asked_newest_first(store: Store, build: Build) -> None:
    decide, ask = build.statement(), build.statement(StatementKind.QUESTION, "why?")
    store.save(
        build.batch(
            build.record("m1", day=1, statements=(decide, ask)), build.record("m2", day=2, seq=1, statements=(decide,))
        )
    )
    rows = store.statements([StatementKind.DECISION], Scope(), 9)
    assert [(memory.id, statement) for memory, statement in rows] == [("m2", decide), ("m1", decide)]
    assert len(store.statements(list(StatementKind), Scope(), 2)) == 2
    assert store.statements([], Scope(), 9) == []
