"""From any released schema to the present one, and never from a newer one."""

from __future__ import annotations

import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_fabric.errors import SchemaTooNew, StoreUnavailable
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.store.sqlite.migrations import Migration, migrate, shipped, statements, teach

RELEASED = sorted(Path(__file__).with_name("released").glob("v*.sql"))
"""The store of every released schema, with one memory in it, as SQL text."""
ADD = Migration(len(shipped()) + 1, "ALTER TABLE projects ADD COLUMN colour TEXT; CREATE TABLE extra (x);")
HALF = Migration(len(shipped()) + 1, "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1);")
ORPHAN = Migration(len(shipped()) + 1, "INSERT INTO bodies VALUES (99, '', '[]', '{}', 'x', NULL, NULL, NULL, NULL);")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "memory.db"


@pytest.fixture
def filled(path: Path) -> Path:
    origin = Origin("note", SessionId("s1"))
    memory = Memory(MemoryId("m1"), "a walrus", MemoryKind.NOTE, None, datetime(2026, 3, 1, tzinfo=UTC), origin)
    with SqliteStore.open(path) as store:
        store.save(Batch(records=(Record(memory, 0),)))
    return path


def schema(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
    return {(name, " ".join(sql.split())) for name, sql in rows}


def run(path: Path, *steps: Migration) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        migrate(connection, path, steps)
    finally:
        connection.close()


def test_migrations_are_numbered_from_one_without_gap() -> None:
    assert [step.version for step in shipped()] == list(range(1, len(shipped()) + 1))


def test_every_released_schema_has_its_fixture() -> None:
    """C-119: a fixture of every released schema."""
    assert [file.stem for file in RELEASED] == [f"v{step.version}" for step in shipped()]


@pytest.mark.parametrize("file", RELEASED, ids=lambda file: file.stem)
def test_a_released_store_comes_to_the_present_schema_with_all_its_data(tmp_path: Path, file: Path) -> None:
    """C-119, C-120: fresh equals migrated."""
    old, new = tmp_path / "old.db", tmp_path / "new.db"
    connection = sqlite3.connect(old, isolation_level=None)
    teach(connection)
    for statement in statements(file.read_text(encoding="utf-8")):
        connection.execute(statement)
    connection.close()
    SqliteStore.open(new).close()
    with SqliteStore.open(old) as store:
        assert [memory.text for memory in store.recent(Scope(), 5)] == ["USER: a walrus"]
        assert [unit.memory for unit in store.match(["walrus"], Scope(), 5)] == ["m1"]
        assert [fault for fault in store.check() if "open to others" not in fault] == []
    left, right = sqlite3.connect(old), sqlite3.connect(new)
    assert schema(left) == schema(right)
    left.close()
    right.close()


@pytest.mark.parametrize("file", RELEASED, ids=lambda file: file.stem)
def test_a_released_store_can_be_read_at_once_by_a_newer_release(tmp_path: Path, file: Path) -> None:
    """An upgrade must not ask for a write before the first search."""
    path = tmp_path / "memory.db"
    connection = sqlite3.connect(path, isolation_level=None)
    teach(connection)
    for statement in statements(file.read_text(encoding="utf-8")):
        connection.execute(statement)
    connection.close()
    if file is not RELEASED[-1]:
        with pytest.raises(StoreUnavailable, match="older"):
            SqliteStore.open(path, read_only=True, upgrade=False)
    with SqliteStore.open(path, read_only=True) as store:
        assert store.count() == 1


@pytest.mark.parametrize("version", [len(shipped()) + 1, 9999])
def test_a_newer_store_is_refused_and_left_untouched(filled: Path, version: int) -> None:
    """C-122."""
    connection = sqlite3.connect(filled)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    before = filled.read_bytes()
    with pytest.raises(SchemaTooNew, match=rf"memory\.db.*{version}") as raised:
        SqliteStore.open(filled)
    assert "Update" in raised.value.hint
    assert filled.read_bytes() == before
    with SqliteStore.open(filled, read_only=True) as store:
        assert [row["type"] for row in store.dump()] == ["session", "memory"], "an export still works"


def test_a_newer_store_that_lost_a_column_is_refused_even_for_reading(filled: Path) -> None:
    connection = sqlite3.connect(filled)
    connection.executescript("ALTER TABLE tombstones RENAME COLUMN reason TO why; PRAGMA user_version = 9999;")
    connection.close()
    with pytest.raises(SchemaTooNew):
        SqliteStore.open(filled, read_only=True)


def test_an_older_store_is_copied_before_it_is_changed(filled: Path) -> None:
    """C-122."""
    run(filled, *shipped(), ADD)
    backup = filled.with_name(f"memory.db.v{len(shipped())}.bak")
    assert backup.stat().st_mode & 0o077 == 0
    with SqliteStore.open(backup) as store:
        assert store.count() == 1
    connection = sqlite3.connect(filled)
    assert connection.execute("PRAGMA user_version").fetchone() == (ADD.version,)
    assert connection.execute("SELECT count(*) FROM extra").fetchone() == (0,)
    connection.close()


def test_a_fresh_store_needs_no_copy(path: Path) -> None:
    SqliteStore.open(path).close()
    assert [file.name for file in path.parent.iterdir()] == ["memory.db"]


def test_a_step_that_fails_is_undone_as_a_whole(filled: Path) -> None:
    """C-119: no half-applied column."""
    before = sqlite3.connect(filled)
    expected = schema(before)
    before.close()
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        run(filled, HALF)
    after = sqlite3.connect(filled)
    assert schema(after) == expected
    assert after.execute("PRAGMA user_version").fetchone() == (len(shipped()),)
    after.close()
    with SqliteStore.open(filled) as store:
        assert store.count() == 1


def test_a_step_that_leaves_orphans_is_undone(filled: Path) -> None:
    """C-123."""
    with pytest.raises(StoreUnavailable, match="point nowhere"):
        run(filled, ORPHAN)
    with SqliteStore.open(filled) as store:
        assert store.check() == []


def test_running_all_steps_again_changes_nothing(filled: Path) -> None:
    copy = filled.with_name("copy.db")
    shutil.copy(filled, copy)
    run(filled, *shipped())
    assert filled.read_bytes() == copy.read_bytes()


def test_an_older_store_cannot_be_opened_for_reading_only(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    with pytest.raises(StoreUnavailable, match="older"):
        SqliteStore.open(path, read_only=True)


def test_a_script_is_cut_at_its_statements() -> None:
    script = "CREATE TABLE a (x); -- one; two\nCREATE TRIGGER t AFTER INSERT ON a BEGIN\n SELECT 1;\nEND;\nSELECT ';'"
    parts = list(statements(script))
    assert len(parts) == 3
    assert "TRIGGER" in parts[1]
