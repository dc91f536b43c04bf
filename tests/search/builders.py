"""Values and small stores for the search: everything that a test does not care about is filled in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

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
)
from memory_fabric.model.query import Intent, Query, Scope, Window
from memory_fabric.model.result import Candidate
from memory_fabric.model.vocabulary import Kind, predicate_of
from memory_fabric.ports import Batch, Record, Store
from memory_fabric.text import analyse, entity_key, exchange_text

NOW = datetime(2026, 9, 15, 12, tzinfo=UTC)


def ago(days: float) -> datetime:
    """That many days before ``NOW``."""
    return NOW - timedelta(days=days)


def memory(
    name: str,
    text: str = "",
    *,
    session: str = "s1",
    source: str = "claude_code",
    project: str | None = "a",
    days: float | None = 0.0,
    kind: MemoryKind = MemoryKind.NOTE,
    entities: tuple[str, ...] = (),
) -> Memory:
    """A memory of ``days`` ago (None: undated)."""
    return Memory(
        MemoryId(name),
        text or f"memory {name}",
        kind,
        None if project is None else ProjectId(project),
        None if days is None else ago(days),
        Origin(source, SessionId(session)),
        entities,
    )


def candidate(of: Memory | str, relevance: float = 0.5, **more: object) -> Candidate:
    """A candidate found by the full text."""
    values: dict[str, object] = {"found_by": {"text": relevance}, **more}
    return Candidate(memory(of) if isinstance(of, str) else of, relevance, **values)  # type: ignore[arg-type]


def question(
    text: str = "",
    *,
    hints: Iterable[str] = (),
    window: Window | None = None,
    scope: Scope = Scope(),
    now: datetime = NOW,
) -> Query:
    """A parsed question, without the parser."""
    return Query(text, text, tuple(dict.fromkeys(analyse(text))), tuple(hints), Intent.GENERAL, window, scope, now)


@dataclass
class Shelf:
    """What one batch writes, collected in plain words."""

    records: list[Record] = field(default_factory=list)
    entities: dict[EntityId, Entity] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)

    def put(self, it: Memory, *mentions: str, statements: tuple[Statement, ...] = ()) -> Memory:
        """A memory that mentions these entities."""
        self.records.append(Record(it, len(self.records), statements=statements))
        self.mentions += [Mention(it.id, self.entity(name)) for name in mentions]
        return it

    def say(
        self,
        name: str,
        prompt: str,
        reply: str = "",
        *,
        mentions: tuple[str, ...] = (),
        session: str = "s1",
        project: str | None = "a",
        days: float | None = 0.0,
    ) -> Memory:
        """An exchange."""
        text = exchange_text(prompt, reply)
        it = memory(name, text, session=session, project=project, days=days, kind=MemoryKind.EXCHANGE)
        return self.put(it, *mentions)

    def entity(self, name: str, kind: Kind = Kind.TECHNOLOGY, aliases: tuple[str, ...] = ()) -> EntityId:
        """An entity, made when it is new."""
        id_ = EntityId(entity_key(name))
        self.entities.setdefault(id_, Entity(id_, name, kind, aliases))
        return id_

    def fact(
        self,
        subject: str,
        label: str,
        object_: str,
        *,
        evidence: Memory | None = None,
        days: float | None = 0.0,
        ends: float | None = None,
        project: str | None = "a",
    ) -> Relation:
        """A relation under a given label; its predicate is the label's canonical one, in that one's direction."""
        canonical = predicate_of(label)
        ends_of = (self.entity(subject), self.entity(object_))
        if canonical is not None and canonical.inverted:
            ends_of = ends_of[::-1]
        relation = Relation(
            ends_of[0],
            None if canonical is None else canonical.predicate,
            ends_of[1],
            label,
            RelationOrigin.STATED,
            None if project is None else ProjectId(project),
            None if days is None else ago(days),
            None if ends is None else ago(ends),
            NOW,
            None if evidence is None else evidence.id,
        )
        self.relations.append(relation)
        return relation

    def save(self, store: Store, *, ended: float | None = None) -> None:
        """Write it all; every session ends ``ended`` days before ``NOW``, if at all."""
        memories = [record.memory for record in self.records]
        projects = {each.project for each in memories if each.project} | {
            r.project for r in self.relations if r.project
        }
        sessions = {each.origin.session: each for each in memories}
        end = None if ended is None else ago(ended)
        store.save(
            Batch(
                projects=tuple(Project(id_, id_, f"/work/{id_}") for id_ in sorted(projects)),
                sessions=tuple(
                    Session(id_, each.origin.source, each.project, started_at=each.at, ended_at=end)
                    for id_, each in sessions.items()
                ),
                records=tuple(self.records),
                entities=tuple(self.entities.values()),
                relations=tuple(self.relations),
                mentions=tuple(self.mentions),
            )
        )
