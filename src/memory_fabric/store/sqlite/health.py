"""What the store holds, and whether it is sound."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from datetime import datetime

from memory_fabric.clock import to_millis
from memory_fabric.errors import StoreUnavailable
from memory_fabric.ports import Census
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.filesystem import exposed
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, instant
from memory_fabric.store.sqlite.vector_codes import teach_codes

_INDEXES = ("units_fts", "touched_fts", "session_fts")


def take_census(connections: Connections, now: datetime) -> Census:
    """Counts of everything; ``relations`` are the live ones."""
    values = {"now": to_millis(now)}
    with connections.reading() as connection:
        memories, sessions, projects, superseded, tombstones, files, oldest, newest, unmapped = all_rows(
            connection, query("counts"), values
        )[0]
        return Census(
            memories=_whole(memories),
            by_kind=_by(connection, "memory_counts"),
            sessions=_whole(sessions),
            projects=_whole(projects),
            entities=_by(connection, "entity_counts"),
            relations=_by(connection, "relation_counts", values),
            superseded=_whole(superseded),
            statements=_by(connection, "statement_counts"),
            tombstones=_whole(tombstones),
            files=_whole(files),
            oldest=instant(oldest),
            newest=instant(newest),
            bytes=_size(connections),
            unmapped=_whole(unmapped),
        )


def find_faults(connections: Connections) -> list[str]:
    """One plain sentence for each fault; empty when the store is sound."""
    faults = _damage(connections)
    # What else could be asked lies on pages that may not be readable then.
    if not faults:
        with connections.plain() as connection:
            faults += [
                f"Row {row} of {table} points to a row of {parent} that is not there"
                for table, row, parent, _ in connection.execute("PRAGMA foreign_key_check")
            ]
            faults += _counted(connection)
        faults += _index_faults(connections)
    return faults + exposed(connections.path)


def _damage(connections: Connections) -> list[str]:
    try:
        with connections.plain() as connection:
            rows = all_rows(connection, "PRAGMA quick_check")
    except StoreUnavailable as error:
        return [error.message]
    return [f"The file is damaged: {row[0]}" for row in rows if row[0] != "ok"]


def _counted(connection: sqlite3.Connection) -> list[str]:
    faults: list[str] = []
    if count := connection.execute(query("dangling_texts")).fetchone()[0]:
        faults.append(f"{count} memories have lost their text")
    if connection.execute(query("wrong_totals")).fetchone() is not None:
        faults.append("The running totals differ from the tables")
    if count := connection.execute(query("wrong_dimensions")).fetchone()[0]:
        faults.append(f"{count} vectors do not have the dimension of their space")
        return faults
    teach_codes(connection)
    if count := connection.execute(query("wrong_vector_blocks")).fetchone()[0]:
        faults.append(f"{count} blocks of the vectors' codes disagree with the vectors")
    return faults


def _index_faults(connections: Connections) -> list[str]:
    # FTS5 compares an index with its content by a write statement; it changes nothing.
    if connections.read_only:
        return []
    faults: list[str] = []
    with connections.plain() as connection:
        for index in _INDEXES:
            try:
                connection.execute(f"INSERT INTO {index} ({index}, rank) VALUES ('integrity-check', 1)")
            except sqlite3.DatabaseError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CORRUPT:
                    raise
                faults.append(f"The text index {index} disagrees with the memories")
    return faults


def _by(connection: sqlite3.Connection, name: str, values: Mapping[str, object] | None = None) -> dict[str, int]:
    return {str(what): _whole(count) for what, count in all_rows(connection, query(name), values or {})}


def _whole(value: object) -> int:
    return int(str(value))


def _size(connections: Connections) -> int:
    files = (connections.path, connections.path.with_name(connections.path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())
