"""In the place of the official memory server: its file is taken in, once (F-MCP-14)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric.doors.memory_jsonl import import_memory_file
from memory_fabric.errors import UsageError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric

MOST_LINES = 10
"""Broken lines that are named by number."""


def take_in(fabric: Fabric, named: str) -> tuple[str, ...]:
    """Take in the file that ``MEMORY_FILE_PATH`` names, and say what could not be taken.

    A relative path is one in the data folder.  No file yet is nothing to say: the official server would make it.
    """
    given = Path(named).expanduser()
    path = given if given.is_absolute() else fabric.settings.home / given
    if not path.exists():
        return ()
    try:
        report = import_memory_file(fabric, path)
    except UsageError as error:
        return (f"MEMORY_FILE_PATH: {error.message}; nothing was taken in.",)
    if not report.bad:
        return ()
    lines = ", ".join(str(bad.number) for bad in report.bad[:MOST_LINES])
    more = f" and {len(report.bad) - MOST_LINES} more" if len(report.bad) > MOST_LINES else ""
    return (
        f"MEMORY_FILE_PATH: {path} was taken in but for lines that cannot be read: {lines}{more}. "
        "The file itself is unchanged.",
    )
