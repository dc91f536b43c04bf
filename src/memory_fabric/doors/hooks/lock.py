"""Locks between processes that the system lets go when their holder dies, however it dies (C-130)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_fabric.private import FILE_MODE, make_folder

PAUSE = 0.02
"""Seconds between two tries: a lock that may be waited for is held for milliseconds, or by an ingest for seconds."""


@contextmanager
def held(path: Path, *, wait: float = 0.0) -> Iterator[bool]:
    """Hold the lock of this file while the block runs, and tell whether it is held; waits at most ``wait`` seconds.

    The file stays: removing it would let two processes hold locks of the same name.

    Raises:
        OSError: the file cannot be made.
    """
    make_folder(path.parent)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, FILE_MODE)
    try:
        ends = time.monotonic() + wait
        while not (taken := _take(descriptor)) and time.monotonic() < ends:
            time.sleep(PAUSE)
        yield taken
    finally:
        os.close(descriptor)  # which lets the lock go


def _take(descriptor: int) -> bool:
    """Take the lock if nobody has it."""
    try:
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
