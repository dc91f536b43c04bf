"""The newest memories: the answer to no question (F-PARSE-7, F-ERR-4), unless it names an instant (``time``)."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

from memory_fabric.clock import Deadline
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Hit

if TYPE_CHECKING:
    from memory_fabric.ports import MemoryStore


class RecentSource:
    """Memories by time alone; each matches an empty question wholly."""

    name = "recent"
    required = True

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:  # noqa: ARG002
        """See ``ports.Source``."""
        started = monotonic()
        hits = tuple(Hit(memory, 1.0) for memory in self._store.recent(query.scope, limit))
        return Found(self.name, hits, seconds=monotonic() - started)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:  # noqa: ARG002
        """See ``ports.Source``: time says nothing about any other question."""
        return {}
