"""What the hooks did: when each fired, how long it took, how it ended; never what was said.

One line a call in ``<home>/hooks/log.jsonl``; ``doctor`` shows the last of each event (C-093).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from memory_fabric.clock import parse_instant, utcnow
from memory_fabric.doors.hooks.lock import held
from memory_fabric.private import append_line

NAME, OLDER = "log.jsonl", "log.1.jsonl"
MOST_BYTES = 256 * 1024
"""Size at which the log becomes the older one, which it replaces: about 2,000 calls, twice that in all."""

MOST_REASON = 200
"""Characters of a reason."""


@dataclass(frozen=True, slots=True)
class Fired:
    """One call of a hook."""

    event: str
    at: datetime
    """When it ended."""
    milliseconds: float
    """From the first line of ours to the end; the start of the interpreter is not in it."""
    outcome: str
    """``said`` (something was put into the context), ``silent``, ``marked``, ``worked`` (an ingest), ``late`` (its own
    deadline ended it), ``failed``."""
    reason: str = ""
    """Why it was silent, or what failed."""
    items: int = 0
    """Memories put into the context, or transcripts read."""


def folder_of(home: Path) -> Path:
    """Where the hooks of a memory keep their files."""
    return home / "hooks"


def write(home: Path, fired: Fired) -> None:
    """Add one call to the log.

    Raises:
        OSError: the log cannot be written.
    """
    path = folder_of(home) / NAME
    row = {
        "at": fired.at.isoformat(timespec="milliseconds"),
        "event": fired.event,
        "ms": round(fired.milliseconds, 1),
        "outcome": fired.outcome,
    }
    row |= {"reason": " ".join(fired.reason.split())[:MOST_REASON]} if fired.reason else {}
    row |= {"items": fired.items} if fired.items else {}
    append_line(path, json.dumps(row))
    if path.stat().st_size > MOST_BYTES:
        _turn_over(path)


def fired_now(event: str, seconds: float, outcome: str, reason: str = "", items: int = 0) -> Fired:
    """A call that ends at this moment and took that long."""
    return Fired(event, utcnow(), 1000 * seconds, outcome, reason, items)


def last_fired(home: Path) -> dict[str, Fired]:
    """The last call of each event that the log knows, by event; empty where no hook ever fired."""
    found: dict[str, Fired] = {}
    for each in calls(home):
        found[each.event] = each
    return dict(sorted(found.items()))


def calls(home: Path) -> Iterator[Fired]:
    """Every call in the log, oldest first; lines that are none of ours are passed over."""
    for name in (OLDER, NAME):
        path = folder_of(home) / name
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:  # none yet
            continue
        for line in lines:
            fired = _read(line)
            if fired is not None:
                yield fired


def _read(line: str) -> Fired | None:
    try:
        row = json.loads(line)
        at = parse_instant(row["at"])
        if at is None:
            return None
        return Fired(
            str(row["event"]),
            at,
            float(row["ms"]),
            str(row["outcome"]),
            str(row.get("reason", "")),
            int(row.get("items", 0)),
        )
    except (ValueError, TypeError, KeyError):
        return None


def _turn_over(path: Path) -> None:
    """Begin a new log with the last call of each event, so that one that fires seldom is not forgotten."""
    with held(path.with_name("log.lock")) as mine:
        if not mine or path.stat().st_size <= MOST_BYTES:  # another process did it just now
            return
        last = last_fired(path.parent.parent)
        path.replace(path.with_name(OLDER))
    for fired in sorted(last.values(), key=lambda each: each.at):
        write(path.parent.parent, fired)
