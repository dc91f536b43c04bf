"""The typed knowledge graph: entities and bi-temporal relations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

from memory_fabric.model.memory import MemoryId, ProjectId
from memory_fabric.model.vocabulary import Kind, Predicate, predicate_of

EntityId = NewType("EntityId", str)


class RelationOrigin(StrEnum):
    """How a relation is known."""

    OBSERVED = "observed"
    """From a tool call: it happened."""
    STATED = "stated"
    """Somebody said so in prose."""
    INFERRED = "inferred"
    """Derived from other relations."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing.  ``id`` is its canonical key (``text.entity_key``), so spelling never splits it."""

    id: EntityId
    name: str
    """Display form, as first met."""
    kind: Kind | None
    """None only for labels written by a client that have no canonical kind (F-VOC-4)."""
    aliases: tuple[str, ...] = ()
    label: str | None = None
    """The type as given (``agent``, ``pattern``); returned verbatim (F-VOC-3)."""


@dataclass(frozen=True, slots=True)
class Relation:
    """``subject predicate object``, true from ``valid_from`` until ``valid_to``, known since ``recorded_at``."""

    subject: EntityId
    predicate: Predicate | None
    """None only for labels without a canonical predicate (F-VOC-4)."""
    object: EntityId
    label: str
    """The relation as given (``recommends``, ``used_for``).  ``subject`` and ``object`` stand in the direction of
    ``predicate``; ``as_stated`` gives the direction as written (F-VOC-5)."""
    origin: RelationOrigin
    project: ProjectId | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    recorded_at: datetime | None = None
    evidence: MemoryId | None = None
    """The memory it was read from."""
    line: int | None = None
    """The transcript line, where one line shows it (F-EDGE-6)."""


def as_stated(relation: Relation) -> tuple[EntityId, str, EntityId]:
    """Subject, label and object as written: ``RAG uses pgvector``, said as ``pgvector used_for RAG``, is the latter."""
    canonical = predicate_of(relation.label)
    if canonical is not None and canonical.inverted and canonical.predicate is relation.predicate:
        return relation.object, relation.label, relation.subject
    return relation.subject, relation.label, relation.object


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity occurs in a memory."""

    memory: MemoryId
    entity: EntityId


@dataclass(frozen=True, slots=True)
class Step:
    """One edge of a path, in the direction it was stated."""

    relation: Relation
    hops: int
    """1 for an edge at the starting entity."""
