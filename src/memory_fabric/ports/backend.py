"""A back end: every storing port over one store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory_fabric.ports.indexes import Graph, TextIndex, VectorIndex
from memory_fabric.ports.nodes import NodeStore
from memory_fabric.ports.outbox import Outbox
from memory_fabric.ports.storing import Ledger, MemoryStore


@dataclass(frozen=True, slots=True)
class Census:
    """Counts for ``status``."""

    memories: int
    by_kind: Mapping[str, int]
    sessions: int
    projects: int
    entities: Mapping[str, int]
    relations: Mapping[str, int]
    superseded: int
    statements: Mapping[str, int]
    tombstones: int
    files: int
    oldest: datetime | None
    newest: datetime | None
    bytes: int
    unmapped: int
    """Entities and relations with a label outside the vocabulary (F-VOC-4)."""


class Store(Ledger, MemoryStore, TextIndex, VectorIndex, Graph, NodeStore, Outbox, Protocol):
    """A back end: all of the above over one store."""

    def census(self) -> Census:
        """Counts of everything."""
        ...

    def check(self) -> list[str]:
        """Faults found in the store (integrity, orphans, permissions), one plain sentence each; empty when sound."""
        ...

    def dump(self) -> Iterator[dict[str, object]]:
        """Everything, as JSON objects with a ``type`` each, in an order that ``restore`` takes; vectors left out."""
        ...

    def restore(self, rows: Iterable[Mapping[str, object]]) -> dict[str, int]:
        """Take what ``dump`` gave; rows that exist stay.  Returns counts by type.

        Raises:
            UsageError: a row that is not of our form, named by its number; nothing was written.
        """
        ...

    def close(self) -> None:
        """Release every connection."""
        ...
