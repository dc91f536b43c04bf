"""A store written when Japanese, Chinese and Korean were cut into plain pairs is analysed anew, and nothing else is."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_fabric.model.graph import Entity, EntityId
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Kind
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.store.sqlite.indexing import spaced
from memory_fabric.store.sqlite.migrations import migrate, shipped
from memory_fabric.text import split_exchange

STEP = 4
"""The schema whose step analyses anew; an index before it held plain pairs."""

TEXTS = {
    "zh": "USER: 猫可以吃什么\n\nASSISTANT: 只能吃肾脏处方粮",
    "ja": "USER: サーバーの設定はどこ\n\nASSISTANT: config フォルダにあります",
    "ko": "USER: 서버 설정",
    "en": "USER: where is the walrus\n\nASSISTANT: in the garden",
}
TOUCHED = {"zh": "文档/部署.md", "en": "docs/walrus.md"}


def memory(name: str) -> Memory:
    target = TOUCHED.get(name)
    metadata = {"tools": [{"name": "Read", "target": target}]} if target else {}
    origin = Origin("note", SessionId("s1" if name in ("zh", "en") else name))
    at = datetime(2026, 3, 1, tzinfo=UTC)
    return Memory(MemoryId(name), TEXTS[name], MemoryKind.EXCHANGE, None, at, origin, metadata=metadata)


def write(path: Path) -> None:
    records = tuple(Record(memory(name), seq) for seq, name in enumerate(TEXTS))
    entities = (Entity(EntityId("e1"), "部署流水线", Kind.CONCEPT), Entity(EntityId("e2"), "walrus", Kind.CONCEPT))
    with SqliteStore.open(path) as store:
        store.save(Batch(records=records, entities=entities))


def old(text: str) -> str:
    """Tokens as they were: words of these samples, and every pair of a CJK run."""
    tokens = []
    for run in re.findall(r"[a-z]+|[^\W\da-zA-Z_]+", text):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        tokens.extend([run] if run.isascii() else pairs)
    return spaced([token for token in tokens if token not in ("where", "is", "the", "in")])


def age(path: Path) -> None:
    """Make the index what an earlier release would have written."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO session_fts (session_fts) VALUES ('delete-all')")
        for row, text in connection.execute("SELECT row, text FROM bodies").fetchall():
            prompt, reply = (old(half) for half in split_exchange(text))
            length = len((prompt + reply).split())
            connection.execute("UPDATE units SET prompt=?, reply=?, length=? WHERE row=?", (prompt, reply, length, row))
        connection.execute("UPDATE totals SET tokens = (SELECT sum(length) FROM units)")
        connection.execute("UPDATE touched SET refs = ? WHERE refs LIKE '%部署%'", (old(TOUCHED["zh"]),))
        connection.execute("UPDATE nodes_fts SET names = ? WHERE names LIKE '%流水%'", (old("部署流水线"),))
        for index in ("units_fts", "touched_fts", "session_fts"):
            connection.execute(f"INSERT INTO {index} ({index}) VALUES ('rebuild')")


def upgrade(path: Path) -> None:
    """That step alone, whatever steps came after it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA user_version = {STEP - 1}")
        migrate(connection, path, [step for step in shipped() if step.version == STEP])
        connection.execute(f"PRAGMA user_version = {len(shipped())}")


def content(path: Path) -> dict[str, list[tuple[object, ...]]]:
    """Everything that was analysed."""
    tables = {
        "units": "SELECT * FROM units ORDER BY row",
        "totals": "SELECT units, tokens FROM totals",
        "touched": "SELECT * FROM touched ORDER BY row",
        "nodes": "SELECT rowid, names, type FROM nodes_fts ORDER BY rowid",
    }
    with closing(sqlite3.connect(path)) as connection:
        return {name: connection.execute(query).fetchall() for name, query in tables.items()}


@pytest.fixture
def aged(tmp_path: Path) -> tuple[Path, Path]:
    """A store as an earlier release left it, and one that this release wrote."""
    before, fresh = tmp_path / "before.db", tmp_path / "fresh.db"
    write(before)
    write(fresh)
    age(before)
    return before, fresh


def test_an_older_index_becomes_what_this_release_would_have_written(aged: tuple[Path, Path]) -> None:
    """An old store must not mix two analyses: questions are cut by the new one."""
    before, fresh = aged
    for table in ("units", "totals", "touched", "nodes"):
        assert content(before)[table] != content(fresh)[table], "the sample tells the two apart"
    upgrade(before)
    assert content(before) == content(fresh)


def test_what_the_new_tokens_ask_for_is_found_after_the_upgrade(aged: tuple[Path, Path]) -> None:
    before, _ = aged
    upgrade(before)
    with SqliteStore.open(before) as store:
        assert [unit.memory for unit in store.match(["粮"], Scope(), 5)] == ["zh"]
        assert [unit.memory for unit in store.match(["walrus"], Scope(), 5)] == ["en"]
        assert store.match(["以吃"], Scope(), 5) == [], "the old pair across two words is gone"
        assert set(store.session_scores(["肾脏"], Scope(), 5)) == {"s1"}
        assert set(store.references(["署"], Scope(), 5)) == {"zh"}
        assert [fault for fault in store.check() if "open to others" not in fault] == []
