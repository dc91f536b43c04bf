"""A process of its own: pushes what the store at argv[1] has to the file at argv[2], a key a line.

With a number as argv[3] it says so after that many and then waits to be killed, the last one sent and not confirmed.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.clock import utcnow
from memory_fabric.curate.sync import sync
from memory_fabric.ingest.redact import redact_value
from memory_fabric.ports import Claimed
from memory_fabric.store.sqlite import SqliteStore


@dataclass
class Paper:
    """A target that is a file."""

    path: Path
    stop_after: int | None = None
    name: str = "there"
    graph: bool = False
    pushed: int = 0

    def push(self, claimed: Claimed) -> str | None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(f"{claimed.parcel.key}\n")
        self.pushed += 1
        if self.pushed == self.stop_after:
            print("sent", flush=True)  # noqa: T201 - tells the parent
            sys.stdin.read()
        return None

    def close(self) -> None:
        """Nothing is open."""


if __name__ == "__main__":
    limit = int(sys.argv[3]) if len(sys.argv) > 3 else None
    with SqliteStore.open(Path(sys.argv[1]), busy_timeout=30) as opened:
        sync(opened, [Paper(Path(sys.argv[2]), limit)], redact_value, utcnow)
