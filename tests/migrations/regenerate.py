"""Writes ``released/v<n>.sql`` for the present schema, with one memory in it: run once before each release."""

from __future__ import annotations

import sqlite3
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.store.sqlite.migrations import shipped

CONTENT = ("sessions", "memories", "bodies", "units", "session_texts")
INDEXES = {"units_fts": "units", "touched_fts": "touched", "session_fts": "session_content"}


def main() -> None:
    memory = Memory(
        MemoryId("m1"),
        "USER: a walrus",
        MemoryKind.NOTE,
        None,
        datetime(2026, 3, 1, tzinfo=UTC),
        Origin("note", SessionId("s1")),
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "memory.db"
        with SqliteStore.open(path) as store:
            store.save(Batch(records=(Record(memory, 0),)))
        lines = [step.script for step in shipped()] + [f"PRAGMA user_version = {len(shipped())};"]
        connection = sqlite3.connect(path)
        for table in CONTENT:
            for row in connection.execute(f"SELECT * FROM {table}"):
                values = connection.execute(f"SELECT {', '.join(['quote(?)'] * len(row))}", row).fetchone()
                lines.append(f"INSERT INTO {table} VALUES ({', '.join(values)});")
        connection.close()
        lines += [f"INSERT INTO {index} ({index}) VALUES ('rebuild');" for index in INDEXES]
    target = Path(__file__).with_name("released") / f"v{len(shipped())}.sql"
    target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
