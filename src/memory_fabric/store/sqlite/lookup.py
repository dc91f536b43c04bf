"""Memories looked up by what they hold, or by where they stand: in a session, in time."""

from __future__ import annotations

from datetime import datetime
from itertools import islice

from memory_fabric.clock import to_millis
from memory_fabric.model.memory import Memory, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, memory_of
from memory_fabric.store.sqlite.scope import as_list, memories_apart, memories_in
from memory_fabric.text import fold


def containing(connections: Connections, text: str, scope: Scope, limit: int) -> list[Memory]:
    """Memories in scope whose folded text holds this folded text, newest first (``ports.MemoryStore``)."""
    wanted = fold(text)
    condition = memories_in(scope)
    with connections.reading() as connection:
        texts = connection.execute(query("texts", condition.sql), condition.values)
        # Folded here, not by SQLite, whose own knows ASCII only; and no pattern, in which % and _ would mean more.
        rows = list(islice((row for row, body in texts if wanted in fold(str(body))), max(limit, 0)))
        found = all_rows(connection, query("memories_by_row"), {"rows": as_list(rows)})
    return [memory_of(row) for row in found]


def of_session(connections: Connections, session: SessionId) -> list[Memory]:
    """The memories of a session in their order."""
    with connections.reading() as connection:
        return [memory_of(row) for row in all_rows(connection, query("memories_of_session"), {"session": session})]


def near_in_time(connections: Connections, at: datetime, scope: Scope, limit: int) -> list[Memory]:
    """Dated memories in scope nearest to an instant, on both sides, by time (``ports.MemoryStore``)."""
    most, found = max(limit, 0), []
    with connections.reading() as connection:
        for part in memories_apart(scope):
            values = part.values | {"instant": to_millis(at), "limit": most}
            found += [memory_of(row) for row in all_rows(connection, query("memories_near", part.sql), values)]
    # Each part is in order already, and sorting is stable; a part hands in the nearest of its own on either side.
    dated = sorted(((memory.at, memory) for memory in found if memory.at is not None), key=lambda pair: pair[0])
    upto = [memory for when, memory in dated if to_millis(when) <= to_millis(at)]
    return upto[len(upto) - min(most, len(upto)) :] + [memory for _, memory in dated[len(upto) :][:most]]
