"""The facts beside a result: what led to it, and what else it bears out (F-XREF-5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_fabric.model.graph import EntityId, Relation, RelationOrigin
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Result
from memory_fabric.model.vocabulary import Predicate

if TYPE_CHECKING:
    from memory_fabric.ports import Graph

MAX_RELATIONS = 12
"""Relations shown beside one result."""


def attach(results: Sequence[Result], query: Query, graph: Graph) -> list[Result]:
    """The results with their relations, each once, those that say most first; done for what is shown alone."""
    evidence = graph.evidence([each.candidate.memory.id for each in results], query.scope)
    asked = {entity.id for entity in graph.find(query.entity_hints)} if query.entity_hints else set()
    return [
        replace(each, candidate=replace(each.candidate, relations=_best(each, evidence, asked))) for each in results
    ]


def _best(
    result: Result, evidence: Mapping[MemoryId, Sequence[Relation]], asked: Set[EntityId]
) -> tuple[Relation, ...]:
    own = (*result.candidate.relations, *evidence.get(result.candidate.memory.id, ()))
    return tuple(sorted(dict.fromkeys(own), key=lambda relation: _worth(relation, asked)))[:MAX_RELATIONS]


def _worth(relation: Relation, asked: Set[EntityId]) -> tuple[bool, bool, bool]:
    """Sorts what the question is about first, then what somebody said, then what was observed.

    What a project merely uses comes last: nearly every exchange shows that.
    """
    return (
        relation.subject not in asked and relation.object not in asked,
        relation.origin is RelationOrigin.OBSERVED,
        relation.predicate is Predicate.USES,
    )
