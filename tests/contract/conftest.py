"""The store's contract, run against every back end, and short ways to what a batch holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory_fabric.model.graph import Entity, EntityId, Mention, Relation, RelationOrigin
from memory_fabric.model.memory import (
    Memory,
    MemoryId,
    MemoryKind,
    Origin,
    Project,
    ProjectId,
    Session,
    SessionId,
    Statement,
    StatementKind,
)
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Batch, Record, Store
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.text import entity_key, exchange_text

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
"""Day 0."""


class Build:
    """Values with everything that a test does not care about filled in."""

    @staticmethod
    def at(day: float) -> datetime:
        return START + timedelta(days=day)

    def memory(
        self,
        key: str,
        prompt: str = "fix the parser",
        reply: str = "",
        *,
        session: str = "s1",
        project: str | None = "p1",
        day: float | None = 0,
        kind: MemoryKind = MemoryKind.EXCHANGE,
        touched: tuple[str, ...] = (),
    ) -> Memory:
        return Memory(
            MemoryId(key),
            exchange_text(prompt, reply),
            kind,
            None if project is None else ProjectId(project),
            None if day is None else self.at(day),
            Origin("claude_code", SessionId(session), "/t/a.jsonl", 3, 9, f"record-{key}"),
            ("Redis",),
            {"part": 1, "tools": [{"kind": "file", "name": "Edit", "target": target} for target in touched]},
        )

    def record(
        self,
        key: str,
        prompt: str = "fix the parser",
        reply: str = "",
        *,
        session: str = "s1",
        project: str | None = "p1",
        day: float | None = 0,
        seq: int = 0,
        part: int = 0,
        kind: MemoryKind = MemoryKind.EXCHANGE,
        touched: tuple[str, ...] = (),
        statements: tuple[Statement, ...] = (),
    ) -> Record:
        memory = self.memory(key, prompt, reply, session=session, project=project, day=day, kind=kind, touched=touched)
        return Record(memory, seq, part, statements)

    @staticmethod
    def note(text: str, key: str = "n1") -> Record:
        origin = Origin("note", SessionId("notes"))
        return Record(Memory(MemoryId(key), text, MemoryKind.NOTE, None, START, origin), 0)

    @staticmethod
    def session(key: str, began: float | None = 0, ended: float | None = None, **more: object) -> Session:
        start = None if began is None else START + timedelta(days=began)
        end = None if ended is None else START + timedelta(days=ended)
        return replace(Session(SessionId(key), "claude_code", started_at=start, ended_at=end), **more)  # type: ignore[arg-type]

    @staticmethod
    def statement(
        kind: StatementKind = StatementKind.DECISION, text: str = "use Redis", category: str = "caching"
    ) -> Statement:
        return Statement(kind, text, 0.8, category=category)

    @staticmethod
    def entity(name: str, kind: Kind | None = Kind.TECHNOLOGY, *aliases: str, label: str | None = None) -> Entity:
        return Entity(EntityId(entity_key(name)), name, kind, aliases, label)

    def relation(
        self,
        subject: str,
        predicate: Predicate | None,
        target: str,
        *,
        day: float | None = 0,
        ends: float | None = None,
        project: str | None = "p1",
        evidence: str | None = None,
        label: str | None = None,
    ) -> Relation:
        return Relation(
            EntityId(subject),
            predicate,
            EntityId(target),
            label or (predicate.value if predicate else "relates"),
            RelationOrigin.STATED,
            None if project is None else ProjectId(project),
            None if day is None else self.at(day),
            None if ends is None else self.at(ends),
            None,
            None if evidence is None else MemoryId(evidence),
        )

    @staticmethod
    def mention(memory: str, entity: str) -> Mention:
        return Mention(MemoryId(memory), EntityId(entity))

    @staticmethod
    def project(key: str, name: str = "shop", root: str = "/work/shop") -> Project:
        return Project(ProjectId(key), name, root)

    @staticmethod
    def batch(*records: Record, **more: object) -> Batch:
        return replace(Batch(records=records), **more)  # type: ignore[arg-type]


OpenStore = Callable[[str], Store]


@pytest.fixture(params=["sqlite"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens an empty store of one back end by name; a name opened twice is the same store."""
    opened: list[Store] = []

    def open_one(name: str) -> Store:
        store: Store = SqliteStore.open(tmp_path / "memory" / f"{name}.db", now=lambda: START + timedelta(days=1000))
        opened.append(store)
        return store

    yield open_one
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store("one")


@pytest.fixture
def build() -> Build:
    return Build()
