"""The server's own trouble, in a file of the data folder: a client shows nobody what a server says."""

from __future__ import annotations

import logging
import os
from io import TextIOWrapper
from pathlib import Path

from memory_fabric.private import FILE_MODE, FOLDER_MODE

NAME = "mcp.log"

LARGEST = 1_000_000
"""Bytes; a longer log is begun anew when a server starts, the old one kept beside it."""


class _Private(logging.FileHandler):
    """Makes its file, for the owner alone, with the first line (F-PRIV-6)."""

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        path.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, FILE_MODE)
        return open(descriptor, "a", encoding="utf-8", errors="backslashreplace")  # noqa: PTH123 - made with its mode


def log_to(home: Path) -> None:
    """Send every warning and error of this process there, and none to stderr.

    A file that cannot be written is no reason to refuse a client: logging then says so on stderr.
    """
    path = home / NAME
    try:
        if path.stat().st_size > LARGEST:
            path.replace(path.with_suffix(".log.old"))
    except OSError:  # none yet, or another server was quicker
        pass
    handler = _Private(path, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
