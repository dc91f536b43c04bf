"""Keeps the full-text tables in step with the memories.

They hold no text of their own (external content), so what they index is taken out before it changes.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from memory_fabric.model.memory import Memory
from memory_fabric.store.sqlite.owners import next_row
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.text import analyse, split_exchange

Part = tuple[int, int | None]
"""The rows of a session and of a project: the memories of one in the other are one text."""


def spaced(tokens: Sequence[str]) -> str:
    """Tokens each between single spaces, as ``TextUnit`` holds them; empty for none."""
    return f" {'  '.join(tokens)} " if tokens else ""


def index_memories(connection: sqlite3.Connection, memories: Iterable[tuple[int, Memory]]) -> None:
    """Analyse and index the texts of new rows."""
    units: list[tuple[int, int, str, str]] = []
    touched: list[tuple[int, str]] = []
    for row, memory in memories:
        prompt, reply = (analyse(half) for half in split_exchange(memory.text))
        units.append((row, len(prompt) + len(reply), spaced(prompt), spaced(reply)))
        if refs := spaced(analyse(targets(memory.metadata))):
            touched.append((row, refs))
    connection.executemany("INSERT INTO units (row, length, prompt, reply) VALUES (?, ?, ?, ?)", units)
    connection.executemany(query("index_unit"), ((row, prompt, reply) for row, _, prompt, reply in units))
    connection.executemany("INSERT INTO touched (row, refs) VALUES (?, ?)", touched)
    connection.executemany(query("index_touched"), touched)


def targets(metadata: Mapping[str, object]) -> str:
    """What the tool calls of a memory touched, a line each."""
    tools = metadata.get("tools")
    if not isinstance(tools, list | tuple):
        return ""
    found = (tool.get("target") for tool in tools if isinstance(tool, Mapping))
    return "\n".join(target for target in found if isinstance(target, str))


def unindex_memories(connection: sqlite3.Connection, rows: Iterable[int]) -> None:
    """Take rows out of the text indexes and drop their tokens."""
    values = {"rows": as_list(rows)}
    for name in ("unindex_units", "unindex_touched", "drop_units", "drop_touched"):
        connection.execute(query(name), values)


def close_session_texts(connection: sqlite3.Connection, parts: Iterable[Part]) -> None:
    """Take the texts of these parts out of the session index: they are about to change."""
    connection.execute(query("unindex_sessions"), {"parts": as_list(parts)})


def open_session_texts(connection: sqlite3.Connection, parts: Sequence[Part]) -> None:
    """Index the texts of these parts as they now are; parts without memories go."""
    values = {"parts": as_list(parts)}
    connection.execute(query("drop_empty_sessions"), values)
    connection.execute(query("add_sessions"), values | {"first": next_row(connection, "session_texts")})
    connection.execute(query("index_sessions"), values)


def renumber(connection: sqlite3.Connection, sessions: Iterable[int]) -> None:
    """Give the memories of these sessions consecutive places, ordered by (seq, part)."""
    connection.execute(query("renumber"), {"sessions": as_list(sessions)})
