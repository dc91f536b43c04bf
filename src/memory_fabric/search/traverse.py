"""Multi-hop traversal: what is related, and how two things are connected (F-TRAV-1 to F-TRAV-10).

Walks are undirected for reach and directed in what they report; each entity is met once, by its shortest way, so a
cycle ends the walk instead of repeating it; entities with very many relations are passed by unless asked about.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory_fabric.model.graph import EntityId, Relation, Step
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import fold_label
from memory_fabric.ports import Graph

HUB_DEGREE = 40
"""Entities with more relations are not walked through (F-TRAV-8); the ones asked about are."""

MAX_NODES, MAX_EDGES = 200, 300
"""Bounds of one walk (F-TRAV-7)."""

MIN_HOPS, MAX_HOPS, DEFAULT_HOPS = 1, 4, 2
"""Allowed depth (F-TRAV-7)."""

HUB_NEIGHBOURS = 20
"""A starting entity that is itself a hub leads to its best-supported neighbours only (F-TRAV-8)."""


@dataclass(frozen=True, slots=True)
class Walk:
    """Where a walk came."""

    hops: dict[EntityId, int]
    """Entity → distance from the nearest start; starts are 0.  In the order of discovery."""
    steps: tuple[Step, ...]
    """Each relation once, nearest first."""
    hubs: tuple[EntityId, ...] = ()
    """Entities that were reached but not walked through."""
    cut: bool = False
    """True when a bound ended the walk before it was done."""


def walk(graph: Graph, starts: Sequence[EntityId], scope: Scope, depth: int, label: str | None = None) -> Walk:
    """Breadth first from the starts, nearest first, at most ``depth`` hops (clamped to 1 to 4).

    ``label`` keeps relations of that predicate or of that given label only (F-VOC-3).
    """
    hops = dict.fromkeys(starts, 0)
    steps: dict[tuple[EntityId, str, EntityId], Step] = {}
    hubs: dict[EntityId, None] = {}
    frontier = list(hops)
    for distance in range(1, max(MIN_HOPS, min(MAX_HOPS, depth)) + 1):
        following: list[EntityId] = []
        for relation, ends in _edges_of(graph, frontier, scope, label):
            if len(hops) >= MAX_NODES or len(steps) >= MAX_EDGES:
                return Walk(hops, tuple(steps.values()), tuple(hubs), cut=True)
            steps.setdefault((relation.subject, relation.label, relation.object), Step(relation, distance))
            for end in ends:
                if end not in hops:
                    hops[end] = distance
                    following.append(end)
        degrees = graph.degrees(following)
        hubs.update((entity, None) for entity in following if degrees.get(entity, 0) > HUB_DEGREE)
        frontier = [entity for entity in following if entity not in hubs]
        if not frontier:
            break
    return Walk(hops, tuple(steps.values()), tuple(hubs))


def _edges_of(
    graph: Graph, frontier: Sequence[EntityId], scope: Scope, label: str | None
) -> Iterator[tuple[Relation, tuple[EntityId, EntityId]]]:
    """Relations at the frontier; a hub among them gives its best-supported ones only."""
    taken: dict[EntityId, int] = {}
    among = set(frontier)
    for relation in graph.edges(frontier, scope, MAX_EDGES):
        if label is not None and not carries(relation, label):
            continue
        near = [end for end in (relation.subject, relation.object) if end in among]
        if all(taken.get(end, 0) >= HUB_NEIGHBOURS for end in near):
            continue
        for end in near:
            taken[end] = taken.get(end, 0) + 1
        yield relation, (relation.subject, relation.object)


def carries(relation: Relation, label: str) -> bool:
    """Whether a relation is of this predicate, or was given under this label."""
    wanted = fold_label(label)
    return wanted in (relation.predicate, fold_label(relation.label))


@dataclass(frozen=True, slots=True)
class Path:
    """A way between two entities: ``entities`` has one more member than ``relations``."""

    entities: tuple[EntityId, ...]
    relations: tuple[Relation, ...]

    @property
    def hops(self) -> int:
        """Length of the path."""
        return len(self.relations)


MAX_PATHS = 20
"""Paths that one question returns."""


def paths(
    graph: Graph, start: EntityId, goal: EntityId, scope: Scope, depth: int, label: str | None = None
) -> list[Path]:
    """Simple paths from one entity to another, shortest first, at most ``MAX_PATHS`` (F-TRAV-3, F-TRAV-4).

    They run inside the walk around the start, so its bounds and its hub rule hold here too.
    """
    around = walk(graph, [start], scope, depth, label)
    links: dict[EntityId, list[tuple[EntityId, Relation]]] = {}
    blocked = set(around.hubs) - {start, goal}
    for step in around.steps:
        relation = step.relation
        links.setdefault(relation.subject, []).append((relation.object, relation))
        links.setdefault(relation.object, []).append((relation.subject, relation))
    found: list[Path] = []
    queue = deque([Path((start,), ())])
    while queue and len(found) < MAX_PATHS:
        path = queue.popleft()
        last = path.entities[-1]
        if last == goal and path.relations:
            found.append(path)
            continue
        if path.hops >= min(MAX_HOPS, depth) or last in blocked:
            continue
        for entity, relation in links.get(last, ()):
            if entity not in path.entities:
                queue.append(Path((*path.entities, entity), (*path.relations, relation)))
    return found
