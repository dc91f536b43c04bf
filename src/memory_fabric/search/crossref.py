"""Lift what stands in more than one place: ×1.2 once, capped at 1 (F-XREF-1 to F-XREF-6, decision 5)."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from memory_fabric.model.graph import Entity
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Candidate
from memory_fabric.ports import Graph
from memory_fabric.text import entity_key

BOOST = 1.2
"""Factor on the relevance (F-XREF-1)."""

COMMON = 100
"""An entity that more memories than this mention stands everywhere: that it stands elsewhere too says nothing."""


def crossref(candidates: Sequence[Candidate], query: Query, graph: Graph, factor: float = BOOST) -> list[Candidate]:
    """The candidates, boosted when an entity of the question also stands in another session.

    Only entities of the question count, and of those only such as few memories mention: nearly every exchange names
    *some* entity known elsewhere, and a boost that everything gets orders nothing.  The boost is no witness: it does
    not cross-validate (F-XREF-6).
    """
    named = _named([candidate.memory.id for candidate in candidates], query, graph)
    spread = graph.spread(list({entity.id for entities in named.values() for entity in entities})) if named else {}
    result = []
    for candidate in candidates:
        linked = tuple(
            entity.name
            for entity in named.get(candidate.memory.id, ())
            if _elsewhere(spread.get(entity.id, (0, 0)), _own_sessions(candidate))
        )
        relevance = boosted(candidate.relevance, factor) if linked else candidate.relevance
        result.append(replace(candidate, linked=linked, relevance=relevance))
    return result


def _is_asked(entity: Entity, asked: Set[str]) -> bool:
    """Whether the question names this entity, by whatever spelling."""
    return not asked.isdisjoint(map(entity_key, (entity.name, *entity.aliases)))


def _named(ids: Sequence[MemoryId], query: Query, graph: Graph) -> dict[MemoryId, list[Entity]]:
    """The entities of the question that each memory mentions; nothing is looked up where it names none."""
    asked = {entity_key(hint) for hint in query.entity_hints}
    if not asked:
        return {}
    return {
        memory: found
        for memory, entities in graph.mentioned(ids).items()
        if (found := [each for each in entities if _is_asked(each, asked)])
    }


def _elsewhere(spread: tuple[int, int], own: int) -> bool:
    """Whether an entity stands in another session than the candidate's own, without standing everywhere."""
    memories, sessions = spread
    return sessions > own and memories <= COMMON


def boosted(relevance: float, factor: float = BOOST) -> float:
    """The relevance after the boost, never above 1 (D-6)."""
    return min(1.0, relevance * factor)


def _own_sessions(candidate: Candidate) -> int:
    """Sessions that the candidate and what it absorbed already stand for: they are not "elsewhere" (F-XREF-2)."""
    return len({memory.origin.session for memory in (candidate.memory, *candidate.absorbed)})
