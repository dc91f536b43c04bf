"""What became of it: when something found was replaced later, the replacement is found too (decisions 9 and 18).

A question about the state of things matches the words of the old decision best.  From the best passages one edge is
followed, ``new replaces old``, to the exchange that says so.  It can only add: what was found keeps its order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_fabric.model.graph import EntityId, Relation
from memory_fabric.model.memory import Memory
from memory_fabric.model.query import Query
from memory_fabric.model.result import Candidate
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.search.fuse import GRAPH_AUTHORITY

if TYPE_CHECKING:
    from memory_fabric.ports import Graph, MemoryStore

PASSAGES = 3
"""Best candidates whose entities are followed (retrieval.md §3: seeds from the top passages)."""

NEAR = 0.9
"""Relevance of the replacement as a share of what led to it: next to it, not above it."""

MAX_EDGES = 200


def succession(candidates: Sequence[Candidate], query: Query, graph: Graph, memories: MemoryStore) -> list[Candidate]:
    """The candidates, with the later exchanges that replace what the best of them speak of."""
    ordered = sorted(candidates, key=lambda each: (-each.relevance, each.memory.id))
    mentioned = graph.mentioned([each.memory.id for each in ordered[:PASSAGES]])
    known = {each.memory.id: each for each in ordered}
    edges = _replacing(graph, [entity.id for found in mentioned.values() for entity in found], query)
    said = {memory.id: memory for memory in memories.get([edge.evidence for edge in edges if edge.evidence])}
    for seed in ordered[:PASSAGES]:
        own = {entity.id for entity in mentioned.get(seed.memory.id, ())}
        for edge in edges:
            memory = said.get(edge.evidence) if edge.evidence else None
            if edge.object in own and memory is not None and _later(memory, seed.memory):
                known[memory.id] = _lifted(known.get(memory.id), memory, edge, seed.relevance * NEAR)
    return list(known.values())


def _replacing(graph: Graph, entities: Sequence[EntityId], query: Query) -> list[Relation]:
    """Relations in which one of these was replaced."""
    if not entities:
        return []
    among = set(entities)
    edges = graph.edges(list(dict.fromkeys(entities)), query.scope, MAX_EDGES, Predicate.REPLACES)
    return [edge for edge in edges if edge.object in among]


def _later(memory: Memory, seed: Memory) -> bool:
    return memory.at is not None and seed.at is not None and memory.at > seed.at


def _lifted(known: Candidate | None, memory: Memory, edge: Relation, relevance: float) -> Candidate:
    """The replacement as a candidate, at least as relevant as given."""
    base = known or Candidate(memory, relevance, {"graph": relevance}, authority=GRAPH_AUTHORITY)
    return replace(
        base,
        relevance=max(base.relevance, relevance),
        authority=max(base.authority, GRAPH_AUTHORITY),
        relations=tuple(dict.fromkeys((edge, *base.relations))),
    )
