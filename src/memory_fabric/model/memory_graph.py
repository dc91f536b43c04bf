"""How whole memories are related to each other (F-TRAV-2, F-TRAV-3), whichever memory they are kept in."""

from __future__ import annotations

from dataclasses import dataclass

from memory_fabric.model.memory import Memory


@dataclass(frozen=True, slots=True)
class MemoryRelation:
    """``source_id type target_id``: ids of memories, or names of entities where the outside memory relates those."""

    type: str
    """``shares_entity`` where nothing stored relates them but what both mention."""
    source_id: str
    target_id: str
    strength: float | None = None
    """In [0, 1] as its keeper says it; None where it does not say."""
    description: str = ""


@dataclass(frozen=True, slots=True)
class RelatedMemory:
    """A memory, and the relation by which it was reached."""

    memory: Memory
    relation: MemoryRelation
    depth: int
    """1 for a neighbour of the memory asked about."""


@dataclass(frozen=True, slots=True)
class MemoryStep:
    """One place on a path; only the first has no relation that led to it."""

    memory: Memory
    relation: MemoryRelation | None = None


@dataclass(frozen=True, slots=True)
class MemoryPath:
    """A way from one memory to another."""

    steps: tuple[MemoryStep, ...]

    @property
    def depth(self) -> int:
        """Relations on the way."""
        return len(self.steps) - 1
