"""Several processes on one file, and processes that die."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_fabric.ports import Batch
from memory_fabric.store.sqlite import SqliteStore

WORKER = Path(__file__).with_name("worker.py")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and resource limits of POSIX")


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(WORKER), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(*processes: subprocess.Popen[str]) -> None:
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors


def test_two_processes_that_start_on_no_file_lose_no_write(path: Path) -> None:
    """C-043: 2 processes x 20 saves."""
    finish(start("write", path, "left", 20), start("write", path, "right", 20))
    with SqliteStore.open(path) as store:
        assert store.count() == 40
        assert store.check() == []


def test_readers_and_writers_mix(store: SqliteStore, path: Path) -> None:
    """C-126."""
    finish(
        start("write", path, "a", 15), start("read", path, 40), start("write", path, "b", 15), start("read", path, 40)
    )
    assert store.count() == 30
    assert store.check() == []


@pytest.mark.parametrize("commits", [1, 4, 9, 15])
def test_a_killed_process_leaves_whole_batches_and_no_lock(
    path: Path, commits: int, batch: Callable[..., Batch]
) -> None:
    """C-128, C-130: the next one proceeds at once."""
    process = start("loop", path)
    assert process.stdout is not None
    for _ in range(commits):
        last = int(process.stdout.readline())
    process.kill()
    process.communicate(timeout=60)
    with SqliteStore.open(path, busy_timeout=0.0) as store:
        assert store.count() % 5 == 0
        assert store.count() >= 5 * (last + 1)
        assert store.check() == []
        assert store.save(batch("next")).added == 1


def test_a_full_disk_keeps_the_old_state(path: Path) -> None:
    """C-128: RLIMIT_FSIZE stands for the disk."""
    process = start("fill", path, 700_000)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    code, message, hint, saved, count = output.strip().split("|")
    assert code == "store_unavailable"
    assert str(path) in message
    assert hint
    assert int(saved) == int(count) > 0
    with SqliteStore.open(path) as store:
        assert store.count() == int(saved)
        assert store.check() == []
