"""Which files were read, and how far."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_fabric.model.memory import SessionId
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import Row, all_rows, optional, to_json

if TYPE_CHECKING:
    from memory_fabric.ports import LedgerEntry


class LedgerTable:
    """The ledger of one file (``ports.Ledger``)."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def entry(self, path: str) -> LedgerEntry | None:
        """The entry of a resolved path, or None."""
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("ledger_entry"), (path,))
        return _entry_of(rows[0]) if rows else None

    def entries(self) -> Sequence[LedgerEntry]:
        """All entries, by path."""
        with self._connections.reading() as connection:
            return [_entry_of(row) for row in all_rows(connection, query("ledger_entries"))]


def keep_entry(connection: sqlite3.Connection, entry: LedgerEntry) -> None:
    """Store an entry in place of the path's former one."""
    connection.execute(
        query("put_ledger_entry"),
        (
            entry.path,
            entry.format,
            entry.size,
            entry.mtime_ns,
            str(entry.inode),
            entry.head_hash,
            entry.cursor.offset,
            entry.cursor.line,
            entry.session,
            entry.last_seq,
            to_json(entry.used),
            to_json(entry.skipped),
            entry.error,
        ),
    )


def _entry_of(row: Row) -> LedgerEntry:
    from memory_fabric.ports import Cursor, LedgerEntry

    path, format_, size, mtime, inode, head, offset, line, session, last_seq, used, skipped, error = row
    return LedgerEntry(
        path=str(path),
        format=str(format_),
        size=int(str(size)),
        mtime_ns=int(str(mtime)),
        inode=int(str(inode)),
        head_hash=str(head),
        cursor=Cursor(int(str(offset)), int(str(line))),
        session=None if session is None else SessionId(str(session)),
        last_seq=int(str(last_seq)),
        used=json.loads(str(used)),
        skipped=json.loads(str(skipped)),
        error=optional(error),
    )
