"""Several processes that push at once, and one that dies in the middle (F-HOOK-3, F-HOOK-13, C-099, C-128)."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from tests.curate.shelf import Clock, batch, note
from tests.curate.sync_worker import Paper

from memory_fabric.clock import utcnow
from memory_fabric.curate.sync import LEASE, sync
from memory_fabric.ingest.redact import redact_value
from memory_fabric.store.sqlite import SqliteStore

WORKER = Path(__file__).with_name("sync_worker.py")
NOTES = 40
KEYS = {f"note:n{number}" for number in range(NOTES)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "memory" / "memory.db"
    with SqliteStore.open(path) as store:
        store.save(batch(*(note(f"n{number}", f"remember the number {number}") for number in range(NOTES))))
    return path


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def finish(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors


def test_two_processes_push_everything_once(path: Path, tmp_path: Path) -> None:
    left, right = tmp_path / "left", tmp_path / "right"
    finish(start(path, left), start(path, right))
    pushed = Counter(key for file in (left, right) if file.exists() for key in file.read_text().split())
    assert set(pushed) == KEYS
    assert set(pushed.values()) == {1}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("after", [1, 10, 13])
def test_what_a_killed_process_left_is_sent_when_its_lease_has_ended(path: Path, tmp_path: Path, after: int) -> None:
    """C-128: kill -9 between sending and confirming loses nothing, and sends only that one parcel twice."""
    file = tmp_path / "file"
    process = start(path, file, after)
    assert process.stdout is not None
    assert process.stdout.readline() == "sent\n"
    process.kill()
    process.communicate(timeout=60)
    held = len(file.read_text().split())
    assert held == after

    with SqliteStore.open(path) as store:
        sync(store, [Paper(file)], redact_value, utcnow)
        before = Counter(file.read_text().split())
        assert set(before.values()) == {1}, "what the dead one held is left alone while its lease lasts"
        sync(store, [Paper(file)], redact_value, Clock(utcnow() + LEASE))
        assert store.backlog(utcnow())["there"].waiting == 0
    pushed = Counter(file.read_text().split())
    assert set(pushed) == KEYS
    assert sorted(pushed.values(), reverse=True)[:2] == [2, 1]
