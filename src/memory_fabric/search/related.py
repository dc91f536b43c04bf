"""What is related to a thing, and how two things are connected, with names for people (F-TRAV-1, F-MCP-2)."""

from __future__ import annotations

from dataclasses import dataclass

from memory_fabric.errors import UsageError
from memory_fabric.model.graph import Entity, EntityId, Relation, Step, as_stated
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Store
from memory_fabric.search.traverse import DEFAULT_HOPS, Path, paths, walk

MAX_STARTS = 3
"""Entities that stand for a memory without relations of its own (F-TRAV-2)."""


@dataclass(frozen=True, slots=True)
class Related:
    """Everything within some hops of a thing."""

    starts: tuple[Entity, ...]
    """Several may share the name (F-ERR-12)."""
    entities: tuple[tuple[Entity, int], ...]
    """Other entities with their distance, nearest first."""
    steps: tuple[Step, ...]
    memories: tuple[Memory, ...]
    """The memories that the relations rest on, in the order of the steps."""
    cut: bool
    """True when a bound ended the walk."""
    names: dict[EntityId, Entity]
    """Every entity named by a step."""


@dataclass(frozen=True, slots=True)
class Connections:
    """Ways between two things, shortest first."""

    paths: tuple[Path, ...]
    names: dict[EntityId, Entity]


def related(
    store: Store, name: str, scope: Scope, depth: int = DEFAULT_HOPS, label: str | None = None, limit: int = 40
) -> Related:
    """What is related to an entity, or to a memory given by its id.

    Raises:
        UsageError: nothing of that name; the hint names what resembles it.
    """
    starts = _starts(store, name)
    walked = walk(store, [entity.id for entity in starts], scope, depth, label)
    names = store.entities(list(walked.hops))
    near = [(names[id_], hops) for id_, hops in walked.hops.items() if hops and id_ in names][:limit]
    shown = {entity.id for entity, _ in near} | {entity.id for entity in starts}
    steps = tuple(s for s in walked.steps if s.relation.subject in shown and s.relation.object in shown)
    evidence = list(dict.fromkeys(s.relation.evidence for s in steps if s.relation.evidence))
    return Related(tuple(starts), tuple(near), steps, tuple(store.get(evidence[:limit])), walked.cut, names)


def connections(
    store: Store, start: str, goal: str, scope: Scope, depth: int = DEFAULT_HOPS, label: str | None = None
) -> Connections:
    """The simple paths between two entities.

    Raises:
        UsageError: one of them is not known.
    """
    goals = _starts(store, goal)
    found = [
        path
        for one in _starts(store, start)
        for other in goals
        if one.id != other.id
        for path in paths(store, one.id, other.id, scope, depth, label)
    ]
    found.sort(key=lambda path: path.hops)
    return Connections(tuple(found), store.entities(list({id_ for path in found for id_ in path.entities})))


def _starts(store: Store, name: str) -> list[Entity]:
    found = store.find([name])
    if found:
        return found
    memory = MemoryId(name.rpartition(":")[2])
    mentioned = store.mentioned([memory]).get(memory)
    if mentioned:
        return mentioned[:MAX_STARTS]
    close = ", ".join(entity.name for entity in store.suggest(name, 5))
    raise UsageError(
        f"nothing is known of {name!r}", f"did you mean: {close}?" if close else "see `memory-fabric status`"
    )


def as_written(relation: Relation, names: dict[EntityId, Entity]) -> tuple[str, str, str]:
    """Subject, label and object as they were said: an inverted label gets its own direction back (F-VOC-5)."""
    subject, label, object_ = as_stated(relation)
    return _name(subject, names), label, _name(object_, names)


def _name(id_: EntityId, names: dict[EntityId, Entity]) -> str:
    return names[id_].name if id_ in names else str(id_)
