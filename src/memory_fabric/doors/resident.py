"""Where the resident server of a memory is: a small file beside the store while it runs.

Standard library only: hooks look here for a server that has its model loaded (F-HOOK-7).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from memory_fabric.private import put

NAME = "serve.json"


@dataclass(frozen=True, slots=True)
class Resident:
    """A server that runs, or ran and could not say goodbye."""

    pid: int
    host: str
    """The loopback address it listens on."""
    port: int
    started: str
    """ISO 8601, UTC."""

    @property
    def origin(self) -> str:
        """``http://host:port``."""
        return f"http://[{self.host}]:{self.port}" if ":" in self.host else f"http://{self.host}:{self.port}"


def find_resident(home: Path) -> Resident | None:
    """The server that serves this memory, or None.

    A file left behind by a killed server is no answer where its process is gone or another user's: the token must not
    be shown to whoever took the port since.  A process of our own under the same number is not told apart; its port
    will not answer.
    """
    try:
        told = json.loads((home / NAME).read_text(encoding="utf-8"))
        found = Resident(int(told["pid"]), str(told["host"]), int(told["port"]), str(told["started"]))
    except (OSError, ValueError, TypeError, KeyError):  # none, half removed, or not ours: nobody to ask
        return None
    return found if _runs(found.pid) else None


@contextmanager
def announced(home: Path, resident: Resident) -> Iterator[None]:
    """Tell others of this server while the block runs.

    Raises:
        OSError: the file cannot be written.
    """
    put(home / NAME, json.dumps(asdict(resident)))
    try:
        yield
    finally:
        withdraw(home, resident)


def withdraw(home: Path, resident: Resident) -> None:
    """Take the file away, unless another server has put its own there."""
    if find_resident(home) == resident:
        (home / NAME).unlink(missing_ok=True)


def _runs(pid: int) -> bool:
    """Whether a process of ours has this number; on Windows, where asking would end it, it is taken to run."""
    if pid <= 0:
        return False
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True
