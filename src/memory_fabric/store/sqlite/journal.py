"""What was deleted through the graph's tools, as it was: history, and the means to undo (F-MCP-7)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from memory_fabric.clock import to_millis
from memory_fabric.store.sqlite.rows import all_rows, to_json
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.text import fold


def enter(connection: sqlite3.Connection, act: str, at: datetime, content: Mapping[str, object]) -> None:
    """Keep what an act deletes: values of the model, by name."""
    import msgspec

    connection.execute(
        "INSERT INTO journal (at, act, content) VALUES (?, ?, ?)",
        (to_millis(at), act, to_json(msgspec.to_builtins(dict(content)))),
    )


def strike(connection: sqlite3.Connection, texts: Iterable[str]) -> int:
    """Remove entries in which one of these texts stands, letter case and white space aside: forgetting holds here too.

    Returns how many there were.
    """
    wanted = [folded for text in texts if (folded := fold(text))]
    if not wanted:
        return 0
    entries = all_rows(connection, "SELECT row, content FROM journal")
    gone = [row for row, content in entries if _holds(json.loads(str(content)), wanted)]
    connection.execute("DELETE FROM journal WHERE row IN (SELECT value FROM json_each(:rows))", {"rows": as_list(gone)})
    return len(gone)


def _holds(value: object, wanted: Sequence[str]) -> bool:
    if isinstance(value, str):
        folded = fold(value)
        return any(text in folded for text in wanted)
    if isinstance(value, Mapping):
        return any(_holds(item, wanted) for item in value.values())
    return isinstance(value, list) and any(_holds(item, wanted) for item in value)
