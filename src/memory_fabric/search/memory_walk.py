"""From memory to memory along what relates them, wherever they are kept (F-TRAV-2, F-TRAV-3, F-TRAV-4)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.memory_graph import MemoryPath, MemoryRelation, MemoryStep, RelatedMemory
from memory_fabric.model.vocabulary import fold_label
from memory_fabric.search.traverse import clamped

Neighbours = Callable[[Memory], Sequence[tuple[MemoryRelation, Memory]]]
"""The memories next to one, best first, each with the relation that leads there."""

MAX_MEMORIES = 200
"""Memories that one walk reaches (F-TRAV-7)."""

MAX_PATHS = 20
"""Paths that one question returns, as between entities."""

MAX_ASKED = 40
"""Memories whose neighbours are looked up: each may cost a request."""


def related_memories(
    start: Memory, neighbours: Neighbours, depth: int = 1, label: str | None = None
) -> list[RelatedMemory]:
    """Every memory within ``depth`` steps (1 to 4), nearest first, each once by its shortest way (F-TRAV-2).

    ``label`` follows relations of that type only.
    """
    asked = _remembering(neighbours, label)
    found: dict[MemoryId, RelatedMemory] = {}
    frontier = [start]
    for distance in range(1, clamped(depth) + 1):
        following: list[Memory] = []
        for memory in frontier:
            for relation, other in asked(memory):
                if other.id != start.id and other.id not in found and len(found) < MAX_MEMORIES:
                    found[other.id] = RelatedMemory(other, relation, distance)
                    following.append(other)
        frontier = following
    return list(found.values())


def memory_paths(
    start: Memory, neighbours: Neighbours, depth: int = 2, label: str | None = None, goal: MemoryId | None = None
) -> list[MemoryPath]:
    """Simple paths from a memory, shortest first: to ``goal``, or to whatever can be reached (F-TRAV-3).

    A path meets no memory twice, so a cycle ends it (F-TRAV-4).
    """
    asked = _remembering(neighbours, label)
    found: list[MemoryPath] = []
    queue = deque([MemoryPath((MemoryStep(start),))])
    while queue and len(found) < MAX_PATHS:
        path = queue.popleft()
        last = path.steps[-1].memory
        if path.depth and goal in (None, last.id):
            found.append(path)
        if path.depth >= clamped(depth) or last.id == goal:
            continue
        met = {step.memory.id for step in path.steps}
        queue.extend(
            MemoryPath((*path.steps, MemoryStep(other, relation)))
            for relation, other in asked(last)
            if other.id not in met
        )
    return found


def _remembering(neighbours: Neighbours, label: str | None) -> Neighbours:
    """Each memory's neighbours are looked up once, and those of the label kept."""
    known: dict[MemoryId, Sequence[tuple[MemoryRelation, Memory]]] = {}
    wanted = fold_label(label) if label else None

    def ask(memory: Memory) -> Sequence[tuple[MemoryRelation, Memory]]:
        if memory.id not in known:
            if len(known) >= MAX_ASKED:
                return ()
            known[memory.id] = [
                (relation, other)
                for relation, other in neighbours(memory)
                if wanted is None or fold_label(relation.type) == wanted
            ]
        return known[memory.id]

    return ask
