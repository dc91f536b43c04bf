"""Memories, sessions, projects and statements of one file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memory_fabric.clock import to_millis
from memory_fabric.model.memory import (
    Memory,
    MemoryId,
    Project,
    ProjectId,
    Session,
    SessionId,
    Statement,
    StatementKind,
)
from memory_fabric.model.query import Scope
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, memory_of, optional, statement_of
from memory_fabric.store.sqlite.scope import as_list, memories_apart, statements_in

if TYPE_CHECKING:
    from memory_fabric.ports import Batch, Saved


class MemoryTable:
    """The memories of one file (``ports.MemoryStore``)."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def save(self, batch: Batch) -> Saved:
        """Write a batch, all or nothing."""
        from memory_fabric.store.sqlite.save import repaired, save

        try:
            with self._connections.atomic() as connection:
                return save(connection, batch)
        except UnicodeEncodeError:
            # A lone surrogate that no reader repaired: rare enough to find out by failing; the transaction is undone.
            with self._connections.atomic() as connection:
                return save(connection, repaired(batch))

    def get(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """Live memories in the order asked."""
        with self._connections.reading() as connection:
            found = [memory_of(row) for row in all_rows(connection, query("get_memories"), {"ids": as_list(ids)})]
        by_id = {memory.id: memory for memory in found}
        return [by_id[id_] for id_ in ids if id_ in by_id]

    def owners(self, ids: Sequence[MemoryId]) -> dict[MemoryId, SessionId]:
        """The session of each memory."""
        with self._connections.reading() as connection:
            found = all_rows(connection, query("owners"), {"ids": as_list(ids)})
        return {MemoryId(str(memory)): SessionId(str(session)) for memory, session in found}

    def stated(self, ids: Sequence[MemoryId]) -> dict[MemoryId, frozenset[StatementKind]]:
        """Kinds of statement that each of these memories holds."""
        with self._connections.reading() as connection:
            found = all_rows(connection, query("stated"), {"ids": as_list(ids)})
        kinds: dict[MemoryId, frozenset[StatementKind]] = {}
        for memory, kind in found:
            known = MemoryId(str(memory))
            kinds[known] = kinds.get(known, frozenset()) | {StatementKind(str(kind))}
        return kinds

    def count(self) -> int:
        """Live memories: every one has its unit, and those are counted as they come and go."""
        with self._connections.reading() as connection:
            return int(connection.execute(query("totals")).fetchone()[0])

    def recent(self, scope: Scope, limit: int) -> list[Memory]:
        """Newest first; undated last."""
        found: list[Memory] = []
        with self._connections.reading() as connection:
            for part in memories_apart(scope):
                values = part.values | {"limit": max(limit, 0)}
                found += [memory_of(row) for row in all_rows(connection, query("recent_memories", part.sql), values)]
        # Each part is in order already, and sorting is stable; undated ones come last.
        found.sort(key=lambda memory: (memory.at is None, -to_millis(memory.at) if memory.at else 0))
        return found[: max(limit, 0)]

    def forgotten(self, ids: Sequence[MemoryId]) -> frozenset[MemoryId]:
        """Of these, those that a tombstone holds back."""
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("tombstones_by_id"), {"ids": as_list(ids)})
        return frozenset(MemoryId(str(row[0])) for row in rows)

    def sessions(self, ids: Sequence[SessionId]) -> dict[SessionId, Session]:
        """The sessions known by these ids."""
        from memory_fabric.store.sqlite.owners import known_sessions

        with self._connections.reading() as connection:
            known = known_sessions(connection, ids)
        return {id_: known[id_].session for id_ in ids if id_ in known}

    def projects(self) -> list[Project]:
        """All projects, by name then id."""
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("all_projects"))
        return [Project(ProjectId(str(r[0])), str(r[1]), str(r[2]), optional(r[3]), optional(r[4])) for r in rows]

    def statements(self, kinds: Sequence[StatementKind], scope: Scope, limit: int) -> list[tuple[Memory, Statement]]:
        """Statements of these kinds, newest first."""
        condition = statements_in(scope)
        values = condition.values | {"wanted": as_list(kinds), "limit": max(limit, 0)}
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("find_statements", condition.sql), values)
        return [(memory_of(row[1:]), statement_of(row[0])) for row in rows]

    def forget(self, ids: Sequence[MemoryId], reason: str, at: datetime) -> int:
        """Remove memories and leave tombstones."""
        from memory_fabric.store.sqlite.forget import forget, forget_copies

        with self._connections.atomic() as connection:
            forget_copies(connection, ids)
            return forget(connection, ids, reason, at)
