"""Searching: a memory that can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found

if TYPE_CHECKING:
    from memory_fabric.clock import Deadline


class Source(Protocol):
    """A memory that can be asked (F-SRC-1 to F-SRC-6)."""

    @property
    def name(self) -> str:
        """Its name: ``text``, ``vector``, ``graph``, ``recent``, …."""
        ...

    @property
    def required(self) -> bool:
        """True when its failure fails the search (F-SRC-5)."""
        ...

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        """Its best hits in the query's scope, best first, no memory twice; called from a worker thread.

        Scores are absolute: they depend on the query and the memory, never on the other hits (F-NORM-5).

        Raises:
            SourceUnavailable: it cannot answer now; the rest of the search goes on.
            DeadlinePassed: it noticed that time ran out.
        """
        ...

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """Raw scores of memories that others found, in the unit and scale of ``find``.

        Memories it knows nothing of are left out and count 0.  Lets the fusion add scores instead of ranks.

        Raises:
            SourceUnavailable: as ``find``.
        """
        ...
