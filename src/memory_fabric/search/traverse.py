"""Multi-hop traversal: what is related, and how two things are connected (F-TRAV-1 to F-TRAV-10).

Walks are undirected for reach and directed in what they report; each entity is met once, by its shortest way, so a
cycle ends the walk instead of repeating it; entities with very many relations are passed by unless asked about.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_fabric.model.graph import EntityId, Relation, Step
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import fold_label

if TYPE_CHECKING:
    from memory_fabric.ports import Graph

HUB_DEGREE = 40
"""Entities with more relations are not walked through (F-TRAV-8); the ones asked about are."""

MAX_NODES, MAX_EDGES = 200, 300
"""Bounds of one walk (F-TRAV-7)."""

LABELLED_EDGES = 10 * MAX_EDGES
"""Relations that are looked through for those of one label."""

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
    crowded = {entity for entity, degree in graph.degrees(frontier, HUB_DEGREE + 1).items() if degree > HUB_DEGREE}
    for distance in range(1, clamped(depth) + 1):
        following: list[EntityId] = []
        for relation, ends in _edges_of(graph, frontier, crowded, scope, label):
            if len(hops) >= MAX_NODES or len(steps) >= MAX_EDGES:
                return Walk(hops, tuple(steps.values()), tuple(hubs), cut=True)
            steps.setdefault((relation.subject, relation.label, relation.object), Step(relation, distance))
            for end in ends:
                if end not in hops:
                    hops[end] = distance
                    following.append(end)
        degrees = graph.degrees(following, HUB_DEGREE + 1)
        hubs.update((entity, None) for entity in following if degrees.get(entity, 0) > HUB_DEGREE)
        frontier = [entity for entity in following if entity not in hubs]
        if not frontier:
            break
    return Walk(hops, tuple(steps.values()), tuple(hubs))


def clamped(depth: int) -> int:
    """A depth within what is allowed."""
    return max(MIN_HOPS, min(MAX_HOPS, depth))


def _edges_of(
    graph: Graph, frontier: Sequence[EntityId], crowded: Set[EntityId], scope: Scope, label: str | None
) -> Iterator[tuple[Relation, tuple[EntityId, EntityId]]]:
    """Relations at the frontier; of the ``crowded`` among it the best-supported ones only."""
    taken: Counter[EntityId] = Counter()
    among = set(frontier)
    for relation in graph.edges(frontier, scope, MAX_EDGES + 1 if label is None else LABELLED_EDGES):
        if label is not None and not carries(relation, label):
            continue
        near = {relation.subject, relation.object} & among
        if all(end in crowded and taken[end] >= HUB_NEIGHBOURS for end in near):
            continue
        taken.update(near)
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

    They run inside the walk around the end with fewer relations, so its bounds and its hub rule hold here too.
    """
    degrees = graph.degrees([start, goal])
    around = walk(graph, [min((start, goal), key=lambda end: degrees.get(end, 0))], scope, depth, label)
    blocked = set(around.hubs) - {start, goal}
    links = _links(around)
    left = _distances(links, goal, blocked)
    found: list[Path] = []
    queue = deque([Path((start,), ())])
    while queue and len(found) < MAX_PATHS:
        path = queue.popleft()
        last = path.entities[-1]
        if last == goal and path.relations:
            found.append(path)
            continue
        for entity, relation in () if last in blocked else links.get(last, ()):
            if entity not in path.entities and path.hops + 1 + left.get(entity, MAX_HOPS) <= clamped(depth):
                queue.append(Path((*path.entities, entity), (*path.relations, relation)))
    return found


Links = Mapping[EntityId, Sequence[tuple[EntityId, Relation]]]


def _links(around: Walk) -> Links:
    """The neighbours of every entity of a walk, with the relation that leads there."""
    links: dict[EntityId, list[tuple[EntityId, Relation]]] = {}
    for step in around.steps:
        relation = step.relation
        links.setdefault(relation.subject, []).append((relation.object, relation))
        links.setdefault(relation.object, []).append((relation.subject, relation))
    return links


def _distances(links: Links, goal: EntityId, blocked: Set[EntityId]) -> dict[EntityId, int]:
    """Hops from every entity to the goal, so that no way is followed that cannot arrive in time."""
    left = {goal: 0}
    queue = deque([goal])
    while queue:
        last = queue.popleft()
        for entity, _ in links.get(last, ()):
            if entity not in left and entity not in blocked:
                left[entity] = left[last] + 1
                queue.append(entity)
    return left
