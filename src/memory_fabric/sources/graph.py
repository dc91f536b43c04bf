"""The knowledge graph: memories that relations lead to, from the entities a question names.

It adds, it never drowns (decision 18): only relations and entities reached from what the question names, each weighed
by how rare it is, so that a question naming nothing known gets nothing from here.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Protocol

from memory_fabric.clock import Deadline
from memory_fabric.errors import DeadlinePassed
from memory_fabric.model.graph import EntityId, Relation, Step
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query, Scope
from memory_fabric.model.result import Found, Hit
from memory_fabric.model.vocabulary import Kind
from memory_fabric.text import entity_key

if TYPE_CHECKING:
    from memory_fabric.ports import Graph, MemoryStore

HOPS = 2
"""Default depth of a search's walk (F-TRAV-7)."""

PER_ENTITY = 40
"""Memories of one starting entity that are looked at, newest first."""


def bent(score: float, ceiling: float) -> float:
    """The score as it is up to half the ceiling, from there bent smoothly so that it only nears it.

    A memory with many relations would pass the ceiling, and all that do would count the same.
    """
    return score if score <= ceiling / 2 else ceiling - ceiling * ceiling / (4.0 * score)


class Walked(Protocol):
    """What a walk gives: see ``search.traverse.Walk``."""

    @property
    def hops(self) -> Mapping[EntityId, int]: ...  # noqa: D102
    @property
    def steps(self) -> Sequence[Step]: ...  # noqa: D102


Walker = Callable[["Graph", Sequence[EntityId], Scope, int], Walked]


class GraphSource:
    """Relations and entities within two hops of what the question names.

    Σ over the relations that rest on a memory of idf/(1 + hops), divided by the square root of how many it holds
    (F-ROUTE-5), plus the idf of named entities that it mentions: a rare name means no less among many facts.
    """

    name = "graph"
    required = True

    def __init__(self, graph: Graph, store: MemoryStore, walk: Walker) -> None:
        self._graph = graph
        self._store = store
        self._walk = walk

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        """See ``ports.Source``; raw scores are sums of idf units."""
        started = monotonic()
        starts = self._starts(query)
        if not starts:
            return Found(self.name, (), seconds=monotonic() - started)
        walked = self._walk(self._graph, starts, query.scope, HOPS)
        if deadline.passed:
            raise DeadlinePassed("graph: the deadline passed during the walk")
        rarity = self._rarity(list(walked.hops))
        led, via = self._by_relation(walked, rarity)
        held = self._graph.evidence(list(led), query.scope)
        raw = defaultdict(float, {m: score / math.sqrt(1 + len(held.get(m, ()))) for m, score in led.items()})
        for entity, memories in self._graph.mentions(starts, query.scope, PER_ENTITY).items():
            for memory in memories:
                raw[memory] += rarity[entity]
        ceiling = 2.0 * sum(rarity[start] for start in starts)
        scores = {m: bent(score, ceiling) for m, score in raw.items()}
        best = sorted(scores, key=lambda memory: (-scores[memory], memory))[:limit]
        hits = tuple(Hit(m, scores[m.id], tuple(via[m.id])) for m in self._store.get(best))
        return Found(self.name, hits, ceiling=ceiling, seconds=monotonic() - started)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """See ``ports.Source``: what the walk did not reach counts nothing.

        The walk cannot reach memories kept elsewhere; those that name what it starts from count as ours that do.
        """
        outside = [memory for memory in memories if memory.origin.outside is not None]
        starts = self._starts(query) if outside else []
        if not starts:
            return {}
        rarity = self._rarity(starts)
        ceiling = 2.0 * sum(rarity.values())
        keys = {
            id_: {entity_key(name) for name in (entity.name, *entity.aliases)}
            for id_, entity in self._graph.entities(starts).items()
        }
        scores: dict[MemoryId, float] = {}
        for memory in outside:
            named = {entity_key(name) for name in memory.entities}
            score = sum(rarity[id_] for id_, names in keys.items() if not names.isdisjoint(named))
            if score:
                scores[memory.id] = bent(score, ceiling)
        return scores

    def _starts(self, query: Query) -> list[EntityId]:
        """What the question names; projects only where it names nothing else.

        Everything in a project is related to it, which tells little, but a question about a hub alone still gets its
        best-supported neighbours (F-TRAV-8).
        """
        named = self._graph.find(query.entity_hints) if query.entity_hints else []
        things = [entity.id for entity in named if entity.kind is not Kind.PROJECT]
        return things or [entity.id for entity in named]

    def _by_relation(
        self, walked: Walked, rarity: Mapping[EntityId, float]
    ) -> tuple[dict[MemoryId, float], dict[MemoryId, list[Relation]]]:
        raw: dict[MemoryId, float] = defaultdict(float)
        via: dict[MemoryId, list[Relation]] = defaultdict(list)
        for step in walked.steps:
            relation = step.relation
            if relation.evidence is not None:
                raw[relation.evidence] += max(rarity[relation.subject], rarity[relation.object]) / (1 + step.hops)
                via[relation.evidence].append(relation)
        return raw, via

    def _rarity(self, entities: Sequence[EntityId]) -> dict[EntityId, float]:
        """ln(1 + N/(1 + n)): how much it says that a memory holds the entity (F-ROUTE-5)."""
        spread = self._graph.spread(entities)
        total = self._store.count()
        return {entity: math.log(1.0 + total / (1.0 + spread.get(entity, (0, 0))[0])) for entity in entities}
