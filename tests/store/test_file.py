"""The file: who may read it, what it lies on, and what is said when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from memory_fabric.errors import StoreUnavailable
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Batch, Store
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.store.sqlite.filesystem import file_system_of, is_shared

MakeBatch = Callable[..., Batch]
posix = pytest.mark.skipif(os.name == "nt", reason="modes of POSIX")


def protocol(store: SqliteStore) -> Store:
    """Checked by mypy: the store is a ``Store``."""
    return store


@pytest.fixture(params=[0o000, 0o022, 0o277])
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    yield
    os.umask(before)


@posix
@pytest.mark.usefixtures("umask")
def test_nobody_else_may_read_whatever_the_umask(path: Path, batch: MakeBatch) -> None:
    """C-117, F-PRIV-6."""
    with SqliteStore.open(path) as store:
        store.save(batch("m1"))
        store.back_up(path.with_name("copy.db"))
        modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        assert set(modes) >= {"memory.db", "memory.db-wal", "memory.db-shm", "copy.db"}
        assert set(modes.values()) == {0o600}
        assert store.check() == []


@posix
def test_a_file_opened_to_others_is_reported(store: SqliteStore, path: Path) -> None:
    path.chmod(0o644)
    path.parent.chmod(0o755)
    faults = store.check()
    assert len(faults) == 2
    assert "0644" in faults[0]
    assert "0755" in faults[1]


def test_a_folder_that_was_there_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir(0o755)
    mode = folder.stat().st_mode
    SqliteStore.open(folder / "memory.db").close()
    assert folder.stat().st_mode == mode


@pytest.mark.parametrize(
    ("kind", "journal"),
    [
        ("ext4", "wal"),
        ("apfs", "wal"),
        ("", "wal"),
        ("nfs4", "delete"),
        ("9p", "delete"),
        ("cifs", "delete"),
        ("fuse.sshfs", "delete"),
    ],
)
def test_no_write_ahead_log_on_a_network_file_system(path: Path, batch: MakeBatch, kind: str, journal: str) -> None:
    """C-125."""
    with SqliteStore.open(path, file_system=lambda _: kind) as store:
        store.save(batch("m1"))
        assert bool(store.notes) == (journal == "delete")
        assert store.check() == []
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA journal_mode").fetchone() == (journal,)
    connection.close()


def test_the_file_system_of_a_path_is_read_where_the_system_tells(tmp_path: Path) -> None:
    kind = file_system_of(tmp_path / "not" / "there")
    assert bool(kind) == Path("/proc/mounts").exists()
    assert not is_shared("ext4")


def _named(kind: str, _: Path) -> str:
    return kind


def test_a_store_moved_to_a_network_file_system_and_back_keeps_everything(path: Path, batch: MakeBatch) -> None:
    for number, kind in enumerate(("ext4", "nfs", "ext4")):
        with SqliteStore.open(path, file_system=partial(_named, kind)) as store:
            store.save(batch(f"m{number}"))
            assert store.count() == number + 1


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to be read as one" * 40, b"x"])
def test_a_file_that_is_no_database_is_named_and_left_alone(path: Path, content: bytes) -> None:
    """F-ERR-2."""
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(StoreUnavailable, match=r"memory\.db: it is not a database") as raised:
        SqliteStore.open(path)
    assert "-wal" in raised.value.hint
    assert path.read_bytes() == content


def test_the_database_of_another_program_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (x)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreUnavailable, match="another program"):
        SqliteStore.open(path)
    assert path.read_bytes() == before


def test_a_damaged_file_is_reported_not_answered_with_nothing(path: Path, batch: MakeBatch) -> None:
    """C-052: an error is never an empty answer."""
    with SqliteStore.open(path) as store:
        store.save(batch(*(f"m{i}" for i in range(300))))
    data = bytearray(path.read_bytes())
    for page in range(len(data) // 4096):
        if b"fix the date parser" in data[page * 4096 : page * 4096 + 4096]:
            data[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    path.write_bytes(data)
    with SqliteStore.open(path) as store:
        with pytest.raises(StoreUnavailable, match="it is damaged"):
            store.recent(Scope(), 300)
        assert store.check()


@pytest.mark.skipif(os.name == "nt", reason="names that Windows forbids")
@pytest.mark.parametrize("name", ["a b.db", "a#b?c=d&e.db", "100%41.db", "über 用户.db"])
def test_any_path_is_that_path(tmp_path: Path, name: str) -> None:
    with SqliteStore.open(tmp_path / name) as store:
        assert store.path.name == name
        assert store.count() == 0
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_link_and_its_target_are_one_store(path: Path, batch: MakeBatch, tmp_path: Path) -> None:
    """C-126: two paths to one database would lock two logs."""
    with SqliteStore.open(path) as store:
        store.save(batch("m1"))
        link = tmp_path / "link.db"
        link.symlink_to(path)
        with SqliteStore.open(link) as other:
            assert other.path == store.path
            assert other.count() == 1
    assert not (tmp_path / "link.db-wal").exists()


def test_a_folder_in_place_of_the_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="it cannot be opened"):
        SqliteStore.open(tmp_path)


def test_a_file_in_place_of_the_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreUnavailable, match="cannot be made"):
        SqliteStore.open(tmp_path / "file" / "memory.db")


def test_a_lock_beyond_the_timeout_is_said_and_nothing_is_written(path: Path, batch: MakeBatch) -> None:
    with SqliteStore.open(path, busy_timeout=0.0) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked by another process"):
            store.save(batch("m1"))
        assert store.count() == 0, "reading goes on"
        other.execute("ROLLBACK")
        other.close()
        assert store.save(batch("m1")).added == 1


def test_reading_only_writes_nothing(path: Path, batch: MakeBatch) -> None:
    with pytest.raises(StoreUnavailable, match="there is no store"):
        SqliteStore.open(path, read_only=True)
    assert not path.parent.exists()
    with SqliteStore.open(path) as store:
        store.save(batch("m1"))
    with SqliteStore.open(path, read_only=True) as store:
        assert [memory.id for memory in store.recent(Scope(), 5)] == ["m1"]
        assert store.check() == []
        with pytest.raises(StoreUnavailable, match="reading only"):
            store.save(batch("m2"))


def test_a_closed_store_says_so(path: Path) -> None:
    store = SqliteStore.open(path)
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        store.count()


def test_many_threads_read_while_one_writes(store: SqliteStore, batch: MakeBatch) -> None:
    faults: list[BaseException] = []

    def read() -> None:
        try:
            for _ in range(20):
                units = store.match(["date"], Scope(), 50)
                assert len(store.get([unit.memory for unit in units])) == len(units)
        except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
            faults.append(error)

    threads = [threading.Thread(target=read) for _ in range(12)]
    for thread in threads:
        thread.start()
    for number in range(20):
        store.save(batch(f"m{number}"))
    for thread in threads:
        thread.join()
    assert faults == []
    assert store.count() == 20


def test_a_secret_is_nowhere_in_the_file_after_forget_and_compact(
    store: SqliteStore, path: Path, batch: MakeBatch
) -> None:
    """C-112."""
    store.save(batch("m1", text="sk-ant-hush9 zanzibarian"))
    store.save(batch("m2"))
    store.forget([MemoryId("m1")], "a key", datetime(2026, 3, 2, tzinfo=UTC))
    store.compact()
    store.close()
    for file in path.parent.iterdir():
        for secret in (b"hush9", b"zanzibar"):
            assert secret not in file.read_bytes(), file.name


def test_a_backup_is_a_whole_store(store: SqliteStore, path: Path, batch: MakeBatch) -> None:
    store.save(batch("m1"))
    target = path.with_name("copies") / "backup.db"
    store.back_up(target)
    store.save(batch("m2"))
    with SqliteStore.open(target) as copy:
        assert copy.count() == 1
        assert copy.check() == []


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        ("UPDATE totals SET units = 9", "running totals"),
        ("DELETE FROM bodies", "lost their text"),
        ("UPDATE memories SET session = 99", "points to a row"),
        ("INSERT INTO units_fts (units_fts) VALUES ('delete-all')", "units_fts disagrees"),
        ("UPDATE units SET prompt = ' other '", "units_fts disagrees"),
    ],
)
def test_faults_are_found(store: SqliteStore, path: Path, batch: MakeBatch, damage: str, fault: str) -> None:
    """C-123: what enforced keys would stumble over is found first."""
    store.save(batch("m1"))
    connection = sqlite3.connect(path)
    connection.execute(damage)
    connection.commit()
    connection.close()
    assert fault in " ".join(store.check())


def test_hooks_load_the_store_without_anything_heavy() -> None:
    """Decision 14."""
    code = (
        "import sys; from memory_fabric.store.sqlite import SqliteStore;"
        "print([m for m in ('numpy', 'pydantic', 'onnxruntime', 'rapidfuzz', 'msgspec') if m in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert output.strip() == "[]"
