"""Connections to one file: a pool for readers, one transaction at a time for writers.

Locks between threads and between processes are SQLite's own, so a killed process leaves none behind (C-130).
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_fabric.errors import StoreUnavailable
from memory_fabric.store.sqlite.faults import translated

_CHECKPOINT = 4000
"""Pages (of 4 KiB) in the -wal before it is written back: a bulk ingest copies fewer pages twice."""

_MAPPED = 1 << 40
"""Bytes of the file that are mapped into memory at most; SQLite's own limit is lower, 2 GiB in most builds.

Reading 800 vectors in many places takes 2 ms so, and 8 by read calls (100,000 memories).  The pages that were touched
count as this process's memory, once a connection, though they are the system's cache of the file: so only connections
that read vectors map it."""

_IDLE = 8
"""Connections kept for reuse; more are opened while more threads read at once."""


class Connections:
    """Lends connections: each is used by one thread at a time, so any number of threads may read."""

    def __init__(self, path: Path, *, busy_timeout: float, read_only: bool, mapped: bool = False) -> None:
        """``mapped``: the file may be read through memory, which only a local file system does dependably."""
        self.path = path
        self._mapped = mapped
        self.read_only = read_only
        self._busy_timeout = busy_timeout
        self._idle: dict[bool, list[sqlite3.Connection]] = {False: [], True: []}
        self._lock = threading.Lock()
        self._closed = False
        self._mine = threading.local()

    @contextmanager
    def reading(self, *, scattered: bool = False) -> Iterator[sqlite3.Connection]:
        """A connection inside a read transaction: all statements see one state.

        Inside ``atomic`` on the same thread it is that transaction's connection, which sees its own writes.
        ``scattered`` is for reading rows in very many places.
        """
        current: sqlite3.Connection | None = getattr(self._mine, "writing", None)
        if current is not None:
            yield current
            return
        with self._lent(mapped=scattered and self._mapped) as connection:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                _roll_back(connection)

    @contextmanager
    def atomic(self) -> Iterator[sqlite3.Connection]:
        """A connection inside a write transaction (``BEGIN IMMEDIATE``): all or nothing; a nested one joins it.

        Raises:
            StoreUnavailable: opened read-only, locked beyond the busy timeout, disk full, damaged.
        """
        current: sqlite3.Connection | None = getattr(self._mine, "writing", None)
        if current is not None:
            yield current
            return
        if self.read_only:
            raise StoreUnavailable(f"{self.path}: it was opened for reading only", "Open it for writing.")
        with self._lent() as connection:
            connection.execute("BEGIN IMMEDIATE")
            self._mine.writing = connection
            try:
                yield connection
                connection.execute("COMMIT")
            finally:
                self._mine.writing = None
                _roll_back(connection)

    @contextmanager
    def plain(self) -> Iterator[sqlite3.Connection]:
        """A connection outside any transaction, for pragmas, migrations and VACUUM."""
        with self._lent() as connection:
            yield connection

    def close(self) -> None:
        """Close every connection; those still lent are closed when they come back."""
        with self._lock:
            self._closed = True
            idle = [connection for kept in self._idle.values() for connection in kept]
            self._idle = {False: [], True: []}
        for connection in idle:
            connection.close()

    @contextmanager
    def _lent(self, *, mapped: bool = False) -> Iterator[sqlite3.Connection]:
        with translated(self.path):
            connection = self._take(mapped)
            try:
                yield connection
            finally:
                self._give_back(connection, mapped)

    def _take(self, mapped: bool) -> sqlite3.Connection:
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"{self.path}: it was closed", "Open the store again.")
            if self._idle[mapped]:
                return self._idle[mapped].pop()
        return self._open(mapped)

    def _give_back(self, connection: sqlite3.Connection, mapped: bool) -> None:
        with self._lock:
            if not self._closed and len(self._idle[mapped]) < _IDLE:
                self._idle[mapped].append(connection)
                return
        connection.close()

    def _open(self, mapped: bool) -> sqlite3.Connection:
        mode = "ro" if self.read_only else "rw"
        connection = sqlite3.connect(
            f"{self.path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=self._busy_timeout,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA temp_store = MEMORY")
            connection.execute("PRAGMA cache_size = -32000")
            connection.execute(f"PRAGMA mmap_size = {_MAPPED if mapped else 0}")
            connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT}")
        except sqlite3.Error:
            connection.close()
            raise
        return connection


def _roll_back(connection: sqlite3.Connection) -> None:
    # SQLite itself rolls back on a full disk or a failed read; then there is nothing left to do.
    if connection.in_transaction:
        connection.execute("ROLLBACK")
