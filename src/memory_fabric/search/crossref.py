"""Lift what stands in more than one place: ×1.2 once, capped at 1 (F-XREF-1 to F-XREF-6, decision 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_fabric.model.graph import Entity, EntityId
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Candidate
from memory_fabric.text import entity_key

if TYPE_CHECKING:
    from memory_fabric.ports import Graph

BOOST = 1.2
"""Factor on the relevance (F-XREF-1)."""

COMMON = 100
"""An entity that more memories than this mention stands everywhere: that it stands elsewhere too says nothing."""


def crossref(candidates: Sequence[Candidate], query: Query, graph: Graph, factor: float = BOOST) -> list[Candidate]:
    """The candidates, boosted when an entity of the question also stands in another session or another memory.

    Only entities of the question count, and of those only such as few memories mention: nearly every exchange names
    *some* entity known elsewhere, and a boost that everything gets orders nothing.  The boost is no witness: it does
    not cross-validate (F-XREF-6).
    """
    named = _named([candidate.memory for candidate in candidates], query, graph)
    entities = {entity.id: entity for found in named.values() for entity in found}
    spread = graph.spread(list(entities)) if named else {}
    sighted = _sighted(candidates, entities)
    result = []
    for candidate in candidates:
        linked = tuple(
            entity.name
            for entity in named.get(candidate.memory.id, ())
            if _elsewhere(candidate, spread.get(entity.id, (0, 0)), sighted.get(entity.id, frozenset()))
        )
        relevance = boosted(candidate.relevance, factor) if linked else candidate.relevance
        result.append(replace(candidate, linked=linked, relevance=relevance))
    return result


def _named(memories: Sequence[Memory], query: Query, graph: Graph) -> dict[MemoryId, list[Entity]]:
    """The entities of the question that each memory mentions; nothing is looked up where it names none.

    Our graph knows what our own memories mention; outside memories say it themselves.
    """
    asked = {entity_key(hint) for hint in query.entity_hints}
    if not asked:
        return {}
    mentioned: dict[MemoryId, list[Entity]] = dict(
        graph.mentioned([memory.id for memory in memories if memory.origin.outside is None])
    )
    outside = [memory for memory in memories if memory.origin.outside is not None]
    known = graph.find(query.entity_hints) if outside else []
    mentioned |= {memory.id: [entity for entity in known if _names(memory, entity)] for memory in outside}
    return {
        memory: found
        for memory, entities in mentioned.items()
        if (found := [each for each in entities if not asked.isdisjoint(_keys(each))])
    }


def _sighted(candidates: Sequence[Candidate], entities: Mapping[EntityId, Entity]) -> dict[EntityId, frozenset[str]]:
    """Entity → the outside memories (by their session) that name it among the candidates; no echoes of ours."""
    outside = [
        memory
        for candidate in candidates
        for memory in (candidate.memory, *candidate.absorbed)
        if memory.origin.outside is not None and not memory.origin.echo
    ]
    if not outside:
        return {}
    return {
        id_: frozenset(memory.origin.session for memory in outside if _names(memory, entity))
        for id_, entity in entities.items()
    }


def _names(memory: Memory, entity: Entity) -> bool:
    return not _keys(entity).isdisjoint(map(entity_key, memory.entities))


def _keys(entity: Entity) -> Set[str]:
    """Every spelling under which it is one entity."""
    return {entity_key(name) for name in (entity.name, *entity.aliases)}


def _elsewhere(candidate: Candidate, spread: tuple[int, int], sighted: Set[str]) -> bool:
    """Whether an entity stands in another session than the candidate's own, without standing everywhere."""
    memories, sessions = spread
    if memories > COMMON:
        return False
    together = (candidate.memory, *candidate.absorbed)
    return sessions > _own_sessions(together) or bool(sighted - {memory.origin.session for memory in together})


def boosted(relevance: float, factor: float = BOOST) -> float:
    """The relevance after the boost, never above 1 (D-6)."""
    return min(1.0, relevance * factor)


def _own_sessions(together: Sequence[Memory]) -> int:
    """Sessions of our store that these already stand for: they are not "elsewhere" (F-XREF-2)."""
    return len({memory.origin.session for memory in together if memory.origin.outside is None or memory.origin.echo})
