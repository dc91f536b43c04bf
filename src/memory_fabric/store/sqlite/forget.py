"""What forgetting removes, and what it leaves (decision 11)."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import datetime

from memory_fabric.clock import to_millis
from memory_fabric.model.memory import MemoryId
from memory_fabric.store.sqlite.facts import relations_on
from memory_fabric.store.sqlite.indexing import close_session_texts, open_session_texts, renumber, unindex_memories
from memory_fabric.store.sqlite.journal import strike
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, number
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.store.sqlite.supersession import settle
from memory_fabric.text import text_hash


def forget(connection: sqlite3.Connection, ids: Sequence[MemoryId], reason: str, at: datetime) -> int:
    """Remove memories with all that rests on them alone, and leave tombstones; returns how many there were."""
    found = all_rows(connection, query("forgettable"), {"ids": as_list(dict.fromkeys(ids))})
    if not found:
        return 0
    rows = [int(str(row[0])) for row in found]
    parts = list(dict.fromkeys((int(str(row[2])), number(row[3])) for row in found))
    connection.executemany(
        query("add_tombstone"), [(row[1], text_hash(str(row[4])), reason, to_millis(at)) for row in found]
    )
    close_session_texts(connection, parts)
    touched = relations_on(connection, rows)
    spoken_of = [row[0] for row in all_rows(connection, query("entities_of"), {"rows": as_list(rows)})]
    unindex_memories(connection, rows)
    connection.execute(query("drop_memories"), {"rows": as_list(rows)})
    drop_unused(connection, spoken_of)
    renumber(connection, {session for session, _ in parts})
    open_session_texts(connection, parts)
    settle(connection, touched)
    return len(rows)


def forget_copies(connection: sqlite3.Connection, ids: Sequence[MemoryId]) -> None:
    """Remove what else holds the words of these memories: the journal, and what waits to be pushed elsewhere."""
    values = {"ids": as_list(ids)}
    strike(connection, [str(row[0]) for row in all_rows(connection, query("words_of"), values)])
    connection.execute(query("unsend"), values)
    connection.execute(query("empty_parcels"), values)


def drop_unused(connection: sqlite3.Connection, entities: Sequence[object]) -> None:
    """Remove those of these rows of entities that nothing speaks of and no client created."""
    values = {"rows": as_list(entities)}
    connection.execute(query("unindex_unused_nodes"), values)
    connection.execute(query("drop_unused_entities"), values)
