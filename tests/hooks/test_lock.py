"""Locks end with their holder, however it ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from memory_fabric.doors.hooks.lock import held

HOLD = (
    "import sys; from pathlib import Path; from memory_fabric.doors.hooks.lock import held\n"
    "with held(Path(sys.argv[1])) as mine:\n    print(mine, flush=True); sys.stdin.read()"
)


def test_one_holds_it_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.lock"
    with held(path) as first, held(path) as second, held(tmp_path / "b.lock") as other:
        assert (first, second, other) == (True, False, True)
    with held(path) as again:
        assert again


def test_a_killed_holder_leaves_nothing_behind(tmp_path: Path) -> None:
    """C-130: kill -9 while it holds the lock; the next one proceeds at once."""
    path = tmp_path / "a.lock"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == b"True"
    with held(path) as mine:
        assert not mine
    process.kill()
    process.communicate()
    with held(path) as mine:
        assert mine


def test_waiting_ends_when_the_other_lets_go(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdin is not None
    assert process.stdout.readline().strip() == b"True"
    process.stdin.close()
    with held(path, wait=30) as mine:
        assert mine
    process.wait()
    process.stdout.close()
