"""What SQLite reports, as our errors: the file, the reason, the remedy."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from memory_fabric.errors import StoreUnavailable

_RESTORE = (
    "Restore a backup, or move the file away together with its -wal and -shm and ingest again. "
    "Never delete the -wal alone: it holds what was written last."
)
_REASONS = {
    3: ("access is denied", "Check the owner and mode of the file and its folder."),
    5: ("it is locked by another process", "Wait until the other process has finished, then try again."),
    6: ("it is locked", "Wait until the other process has finished, then try again."),
    8: ("it cannot be written", "Check the owner and mode of the file and its folder."),
    10: ("reading or writing failed", "Check the disk and its free space; the last committed state is kept."),
    11: ("it is damaged", _RESTORE),
    13: ("the disk is full", "Free some space and try again; nothing was written."),
    14: ("it cannot be opened", "Check that the folder exists and may be written."),
    15: ("its lock protocol failed", "Close other programs that use it, then try again."),
    26: ("it is not a database", _RESTORE),
}
"""Primary result code → reason and remedy; every other code is a fault of ours and propagates (C-052)."""


def fault(path: Path, error: sqlite3.Error) -> StoreUnavailable | None:
    """The store's error for what SQLite raised, or None where the fault is in our own code."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None or code & 0xFF not in _REASONS:
        return None
    reason, remedy = _REASONS[code & 0xFF]
    return StoreUnavailable(f"{path}: {reason} ({error})", remedy)


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Run a block; what SQLite reports about the file becomes StoreUnavailable, mistakes in SQL propagate."""
    try:
        yield
    except sqlite3.Error as error:
        known = fault(path, error)
        if known is None:
            raise
        raise known from error
