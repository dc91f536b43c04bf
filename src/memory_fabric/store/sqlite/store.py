"""The store: opening a file, and the parts that share its connections."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memory_fabric.clock import utcnow
from memory_fabric.errors import StoreUnavailable
from memory_fabric.model.graph import Entity, EntityId, Relation
from memory_fabric.model.memory import Memory, MemoryId, Project, Session, SessionId, Statement, StatementKind
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.store.sqlite import lookup, migrations
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.filesystem import file_system_of, is_shared, prepare, require_database
from memory_fabric.store.sqlite.graph import ALL, GraphTable
from memory_fabric.store.sqlite.ledger import LedgerTable
from memory_fabric.store.sqlite.memories import MemoryTable
from memory_fabric.store.sqlite.nodes import NodeTable
from memory_fabric.store.sqlite.outbox import OutboxTable
from memory_fabric.store.sqlite.textindex import TextTable

if TYPE_CHECKING:
    from memory_fabric.ports import Background, Batch, Census, LedgerEntry, Saved, TextStatistics, TextUnit, Vectors
    from memory_fabric.store.sqlite.vectors import VectorTable


class SqliteStore(NodeTable, OutboxTable):
    """One memory in one SQLite file (``ports.Store``).

    A file is one space: the space id that a shared back end puts first in every key (decision 19) is the file itself
    here.  Threads and processes may use one file at the same time.
    """

    def __init__(self, connections: Connections, notes: tuple[str, ...], now: Callable[[], datetime]) -> None:
        NodeTable.__init__(self, connections, now)
        self._memories = MemoryTable(connections)
        self._ledger = LedgerTable(connections)
        self._text = TextTable(connections)
        self._graph = GraphTable(connections, now)
        self.notes = notes
        """Plain sentences for the user about this file, such as one on a network file system."""

    @cached_property
    def _vectors(self) -> VectorTable:
        from memory_fabric.store.sqlite.vectors import VectorTable

        return VectorTable(self._connections)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        busy_timeout: float = 5.0,
        read_only: bool = False,
        upgrade: bool = True,
        file_system: Callable[[Path], str] = file_system_of,
        now: Callable[[], datetime] = utcnow,
    ) -> Self:
        """The store in a file, made (0600, its folder 0700) where it is missing, brought to the present schema.

        An older file is brought up to date first, also for reading unless ``upgrade`` is False: that may take minutes.

        ``busy_timeout`` is in seconds.  ``file_system`` names the type of file system under a path.  ``now`` decides
        which facts have ended.

        Raises:
            SchemaTooNew: written by a newer version; the file is left untouched (C-122).
            StoreUnavailable: missing (read-only), locked, damaged, not a database, not ours, disk full.
        """
        path = Path(os.path.realpath(path))
        if read_only and not path.exists():
            raise StoreUnavailable(f"{path}: there is no store", "Ingest something first, or name another file.")
        if not read_only:
            prepare(path)
        require_database(path)
        if read_only and upgrade and migrations.is_older(path):
            cls.open(path, busy_timeout=busy_timeout, file_system=file_system, now=now).close()
        shared = is_shared(file_system(path))
        connections = Connections(path, busy_timeout=busy_timeout, read_only=read_only, mapped=not shared)
        try:
            _make_ready(connections, "DELETE" if shared else "WAL", busy_timeout)
        except BaseException:
            connections.close()
            raise
        return cls(connections, (_SHARED_NOTE.format(path=path),) if shared else (), now)

    @property
    def path(self) -> Path:
        """The file, resolved."""
        return self._connections.path

    def close(self) -> None:
        """Release every connection."""
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ── whole store ──────────────────────────────────────────────────────────────────────────────────────────────

    def census(self) -> Census:
        """Counts of everything."""
        from memory_fabric.store.sqlite.health import take_census

        return take_census(self._connections, self._now())

    def check(self) -> list[str]:
        """Faults found in the store, one plain sentence each."""
        from memory_fabric.store.sqlite.health import find_faults

        return find_faults(self._connections)

    def dump(self) -> Iterator[dict[str, object]]:
        """Everything as JSON objects, without vectors and ledger."""
        from memory_fabric.store.sqlite.transfer import dump

        return dump(self._connections)

    def restore(self, rows: Iterable[Mapping[str, object]]) -> dict[str, int]:
        """Take what ``dump`` gave; rows that exist stay."""
        from memory_fabric.store.sqlite.transfer import restore

        return restore(self._connections, rows)

    def back_up(self, target: Path) -> None:
        """Write a consistent copy of the file (0600), vectors included, while others may go on writing."""
        prepare(target)
        with self._connections.plain() as connection:
            migrations.back_up(connection, target)

    def compact(self) -> None:
        """Rewrite the file so that nothing removed is left in it or its -wal (C-112); needs as much free disk again."""
        with self._connections.plain() as connection:
            for index in ("units_fts", "touched_fts", "session_fts"):
                connection.execute(f"INSERT INTO {index} ({index}) VALUES ('optimize')")
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # ── ledger ───────────────────────────────────────────────────────────────────────────────────────────────────

    def entry(self, path: str) -> LedgerEntry | None:
        """The ledger's entry of a resolved path, or None."""
        return self._ledger.entry(path)

    def entries(self) -> Sequence[LedgerEntry]:
        """All entries of the ledger, by path."""
        return self._ledger.entries()

    # ── memories ─────────────────────────────────────────────────────────────────────────────────────────────────

    def save(self, batch: Batch) -> Saved:
        """Write a batch, all or nothing."""
        return self._memories.save(batch)

    def get(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """Live memories in the order asked."""
        return self._memories.get(ids)

    def owners(self, ids: Sequence[MemoryId]) -> dict[MemoryId, SessionId]:
        """The session of each memory."""
        return self._memories.owners(ids)

    def stated(self, ids: Sequence[MemoryId]) -> dict[MemoryId, frozenset[StatementKind]]:
        """Kinds of statement that each of these memories holds."""
        return self._memories.stated(ids)

    def count(self) -> int:
        """Live memories, all projects."""
        return self._memories.count()

    def recent(self, scope: Scope, limit: int) -> list[Memory]:
        """Newest first; undated last."""
        return self._memories.recent(scope, limit)

    def near_in_time(self, at: datetime, scope: Scope, limit: int) -> list[Memory]:
        """Dated memories nearest to an instant, on both sides, by time."""
        return lookup.near_in_time(self._connections, at, scope, limit)

    def containing(self, text: str, scope: Scope, limit: int) -> list[Memory]:
        """Memories in scope whose folded text holds this folded text."""
        return lookup.containing(self._connections, text, scope, limit)

    def of_session(self, session: SessionId) -> list[Memory]:
        """The memories of a session in their order."""
        return lookup.of_session(self._connections, session)

    def forget(self, ids: Sequence[MemoryId], reason: str, at: datetime) -> int:
        """Remove memories for good; entities that nothing else speaks of go with them.

        Their bytes stay in free pages of the file until ``compact``.
        """
        return self._memories.forget(ids, reason, at)

    def forgotten(self, ids: Sequence[MemoryId]) -> frozenset[MemoryId]:
        """Of these, those that a tombstone holds back."""
        return self._memories.forgotten(ids)

    def sessions(self, ids: Sequence[SessionId]) -> dict[SessionId, Session]:
        """The sessions known by these ids."""
        return self._memories.sessions(ids)

    def projects(self) -> list[Project]:
        """All projects, by name then id."""
        return self._memories.projects()

    def statements(self, kinds: Sequence[StatementKind], scope: Scope, limit: int) -> list[tuple[Memory, Statement]]:
        """Statements of these kinds, newest first."""
        return self._memories.statements(kinds, scope, limit)

    # ── text ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def match(self, terms: Sequence[str], scope: Scope, limit: int) -> list[TextUnit]:
        """Units in scope that hold any term, best first."""
        return self._text.match(terms, scope, limit)

    def units(self, ids: Sequence[MemoryId]) -> list[TextUnit]:
        """The units of these memories."""
        return self._text.units(ids)

    def around(self, units: Sequence[TextUnit], back: int, forward: int) -> dict[SessionId, list[TextUnit]]:
        """Those units and their neighbours in the same session, ordered by place."""
        return self._text.around(units, back, forward)

    def within(self, ids: Sequence[MemoryId], scope: Scope) -> frozenset[MemoryId]:
        """Those of these memories that are in scope."""
        return self._text.within(ids, scope)

    def session_scores(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[SessionId, float]:
        """Sessions by BM25 of all their text in scope."""
        return self._text.session_scores(terms, scope, limit)

    def references(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[MemoryId, float]:
        """Memories by BM25 of what their tool calls touched."""
        return self._text.references(terms, scope, limit)

    def rarest(self, terms: Sequence[str], most: int) -> dict[str, int]:
        """The terms with the units that they stand in, rarest first."""
        return self._text.rarest(terms, most)

    def statistics(self, terms: Sequence[str]) -> TextStatistics:
        """Counts for these terms."""
        return self._text.statistics(terms)

    # ── vectors ──────────────────────────────────────────────────────────────────────────────────────────────────

    def nearest(self, space: str, vector: Vectors, scope: Scope, limit: int) -> list[tuple[MemoryId, float]]:
        """Memories by the cosine of their best window."""
        return self._vectors.nearest(space, vector, scope, limit)

    def cosines(self, space: str, vector: Vectors, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        """The cosine of the best window of each of these memories."""
        return self._vectors.cosines(space, vector, ids)

    def pending(self, space: str, limit: int) -> list[Memory]:
        """Memories without vectors of this space, oldest first."""
        return self._vectors.pending(space, limit)

    def put(self, space: str, vectors: Mapping[MemoryId, Vectors]) -> None:
        """Store the windows' vectors of memories."""
        self._vectors.put(space, vectors)

    def coverage(self) -> dict[str, int]:
        """Space → memories that have vectors."""
        return self._vectors.coverage()

    def background(self, space: str) -> Background | None:
        """The stored calibration of this space, or None."""
        return self._vectors.background(space)

    def calibrate(self, space: str, background: Background) -> None:
        """Store the calibration of this space."""
        self._vectors.calibrate(space, background)

    def sample(self, space: str, limit: int) -> Vectors:
        """Up to ``limit`` stored windows of different memories."""
        return self._vectors.sample(space, limit)

    # ── graph ────────────────────────────────────────────────────────────────────────────────────────────────────

    def find(self, names: Sequence[str]) -> list[Entity]:
        """Entities whose name or alias equals one of these."""
        return self._graph.find(names)

    def suggest(self, name: str, limit: int) -> list[Entity]:
        """Entities with a name that resembles this one."""
        return self._graph.suggest(name, limit)

    def entities(self, ids: Sequence[EntityId]) -> dict[EntityId, Entity]:
        """The entities known by these ids."""
        return self._graph.entities(ids)

    def edges(
        self, ids: Sequence[EntityId], scope: Scope, limit: int, predicate: Predicate | None = None
    ) -> list[Relation]:
        """Facts at these entities, best supported first."""
        return self._graph.edges(ids, scope, limit, predicate)

    def degrees(self, ids: Sequence[EntityId], most: int = ALL) -> dict[EntityId, int]:
        """Live facts at each entity, counted up to ``most``."""
        return self._graph.degrees(ids, most)

    def mentions(self, ids: Sequence[EntityId], scope: Scope, limit: int) -> dict[EntityId, list[MemoryId]]:
        """Memories that mention each entity, newest first."""
        return self._graph.mentions(ids, scope, limit)

    def spread(self, ids: Sequence[EntityId]) -> dict[EntityId, tuple[int, int]]:
        """Memories and sessions that mention each entity."""
        return self._graph.spread(ids)

    def mentioned(self, memories: Sequence[MemoryId]) -> dict[MemoryId, list[Entity]]:
        """Entities that each memory mentions, in order of appearance."""
        return self._graph.mentioned(memories)

    def evidence(self, memories: Sequence[MemoryId], scope: Scope) -> dict[MemoryId, list[Relation]]:
        """Live relations that rest on each memory."""
        return self._graph.evidence(memories, scope)


_SHARED_NOTE = (
    "{path} lies on a network or FUSE file system: the store uses a rollback journal there, which is slower. "
    "Keep it on a local disk if you can; never delete its -journal."
)


def _make_ready(connections: Connections, journal: str, patience: float) -> None:
    steps = migrations.shipped()
    with connections.plain() as connection:
        migrations.verify(connection, connections.path, newest=steps[-1].version, read_only=connections.read_only)
        if connections.read_only:
            return
        if not _has_journal(connection, journal):
            migrations.set_journal(connection, journal, patience)
        migrations.migrate(connection, connections.path, steps)


def _has_journal(connection: sqlite3.Connection, mode: str) -> bool:
    return str(connection.execute("PRAGMA journal_mode").fetchone()[0]).upper() == mode
