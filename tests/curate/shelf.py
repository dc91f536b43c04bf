"""A memory elsewhere that keeps what it is given, and fails when it is told to; and short ways to fill a store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from memory_fabric.errors import SourceError, SourceUnavailable
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
from memory_fabric.ports import Batch, Claimed, Record
from memory_fabric.text import entity_key

START = datetime(2026, 3, 1, 12, tzinfo=UTC)
SHOP = Project(ProjectId("p_shop"), "Shop", "/work/shop")


@dataclass
class Clock:
    """Time that moves when it is told to."""

    at: datetime = START

    def __call__(self) -> datetime:
        return self.at

    def pass_by(self, time: timedelta) -> None:
        self.at += time


@dataclass
class Shelf:
    """Keeps parcels by key."""

    name: str = "there"
    graph: bool = True
    kept: dict[str, dict[str, object]] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    refuses: Callable[[Claimed], bool] = lambda _: False
    down_after: int | None = None
    """Pushes that get through before it is gone."""
    on_push: Callable[[Claimed], None] = lambda _: None

    def push(self, claimed: Claimed) -> str | None:
        if self.down_after is not None and len(self.calls) >= self.down_after:
            raise SourceUnavailable(f"{self.name}: nobody answers", "start it")
        self.on_push(claimed)
        self.calls.append(claimed.parcel.key)
        if self.refuses(claimed):
            raise SourceError(f"{self.name}: does not take {claimed.parcel.kind}s")
        self.kept[claimed.parcel.key] = dict(claimed.parcel.payload)
        return f"r-{len(self.kept)}"

    def close(self) -> None:
        """Nothing is open."""

    def texts(self) -> str:
        """Everything that arrived, as one text."""
        return repr(self.kept)


def exchange(key: str, *statements: Statement, day: float = 0, kind: MemoryKind = MemoryKind.EXCHANGE) -> Record:
    text = "USER: what now?\n\nASSISTANT: " + " ".join(statement.text for statement in statements)
    origin = Origin("claude_code", SessionId("s1"), "/t/a.jsonl", 1, 2, key)
    memory = Memory(MemoryId(key), text, kind, SHOP.id, START + timedelta(days=day), origin)
    return Record(memory, int(day), statements=statements)


def note(key: str, text: str, *entities: str, day: float = 0, project: str | None = None, **metadata: object) -> Record:
    origin = Origin("note", SessionId(f"note:{key}"), record=key)
    home = None if project is None else ProjectId(project)
    at = START + timedelta(days=day)
    return Record(Memory(MemoryId(key), text, MemoryKind.NOTE, home, at, origin, entities, metadata), 0)


def decided(text: str, *entities: str, kind: StatementKind = StatementKind.DECISION) -> Statement:
    return Statement(kind, text, 0.8, category="database", entities=entities)


def entity(name: str, kind: Kind | None = Kind.TECHNOLOGY) -> Entity:
    return Entity(EntityId(entity_key(name)), name, kind)


def relation(
    start: str, predicate: Predicate, end: str, evidence: str, origin: RelationOrigin = RelationOrigin.STATED
) -> Relation:
    return Relation(
        EntityId(entity_key(start)),
        predicate,
        EntityId(entity_key(end)),
        predicate.value,
        origin,
        SHOP.id,
        START,
        evidence=MemoryId(evidence),
    )


def batch(*records: Record, entities: tuple[Entity, ...] = (), relations: tuple[Relation, ...] = ()) -> Batch:
    names = {each.id for each in entities}
    mentions = tuple(
        Mention(record.memory.id, EntityId(entity_key(name)))
        for record in records
        for name in record.memory.entities
        if EntityId(entity_key(name)) in names
    )
    sessions = {record.memory.origin.session: record.memory.origin.source for record in records}
    return Batch(
        projects=(SHOP,),
        sessions=tuple(Session(id_, source, started_at=START) for id_, source in sessions.items()),
        records=records,
        entities=entities,
        relations=relations,
        mentions=mentions,
    )
