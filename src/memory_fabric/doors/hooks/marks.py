"""Marks: transcripts that are to be read.  A hook leaves one and goes; the worker reads, and only then takes it away.

One file a transcript below ``<home>/hooks/marks``, whose ending is its state:

    .open   the session was seen and may go on: read it when another session starts, should nothing else say so (C-099)
    .due    to be read now
    .taken  a worker is at it; where no worker runs, one was killed (F-HOOK-13)

A mark that came in while its transcript was read stays: hooks write ``.due``, workers only ever take ``.taken`` away
(F-HOOK-3).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from memory_fabric.clock import parse_instant, utcnow
from memory_fabric.doors.hooks.event import Event
from memory_fabric.doors.hooks.log import folder_of
from memory_fabric.doors.hooks.names import file_name
from memory_fabric.private import make_folder, put

OPEN, DUE, TAKEN, FAILED = ".open", ".due", ".taken", ".failed"

GIVE_UP = timedelta(hours=24)
"""A mark that still fails then is archived, and ``doctor`` shows it (F-HOOK-13)."""

KEEP_FAILED = timedelta(days=30)
"""After that an archived mark is removed: clients delete transcripts of that age themselves."""


@dataclass(frozen=True, slots=True)
class Mark:
    """One transcript to be read."""

    event: str
    session: str
    transcript: str
    """Path as told; may be wrong (formats.md §2.1)."""
    first: str
    """ISO 8601, UTC: since when it waits."""
    reason: str = ""
    """Why the last try failed."""

    @property
    def key(self) -> str:
        """Name of its file."""
        return file_name(self.session or f"transcript {self.transcript}")

    @property
    def old(self) -> bool:
        """Whether it waits longer than ``GIVE_UP``."""
        return _passed(self.first, GIVE_UP)


def mark_of(event: Event) -> Mark | None:
    """The mark of an event, or None where it names no transcript."""
    own = event.name == "SubagentStop" and event.agent_transcript
    transcript = event.agent_transcript if own else event.transcript
    session = "" if own else event.session
    if not session and not transcript:
        return None
    return Mark(event.name, session, transcript, utcnow().isoformat(timespec="milliseconds"))


class Marks:
    """The marks of one memory."""

    def __init__(self, home: Path) -> None:
        self.folder = folder_of(home) / "marks"

    # ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────

    def leave(self, mark: Mark) -> None:
        """Say that a transcript is to be read now.

        Raises:
            OSError: it cannot be written.
        """
        self._put(mark, DUE)
        self._path(mark, OPEN).unlink(missing_ok=True)

    def open(self, mark: Mark) -> None:
        """Say that a session was seen, unless something is to be read of it already.

        Raises:
            OSError: it cannot be written.
        """
        if not any(self._path(mark, state).exists() for state in (DUE, TAKEN, OPEN)):
            self._put(mark, OPEN)

    def take_up(self, session: str) -> bool:
        """Make the open marks of other sessions than this one due, and say whether there is anything to be read.

        Raises:
            OSError: a mark cannot be moved.
        """
        for mark, _ in list(self._all((OPEN,))):
            if mark.session != session:
                try:
                    os.replace(self._path(mark, OPEN), self._path(mark, DUE))  # noqa: PTH105 - overwrites everywhere
                except FileNotFoundError:  # another hook did it
                    continue
        return any(True for _ in self._all((DUE, TAKEN)))

    # ── the worker ───────────────────────────────────────────────────────────────────────────────────────────────

    def recover(self) -> int:
        """Make the marks of killed workers due again, and say how many; only for who holds the worker's lock."""
        orphans = list(self._all((TAKEN,)))
        for mark, _ in orphans:
            self._fall_back(mark)
        return len(orphans)

    def take(self) -> Iterator[Mark]:
        """Marks to be read, oldest first, each taken; also those that come in meanwhile."""
        while waiting := sorted(((mark.first, mark.key, mark) for mark, _ in self._all((DUE,))), key=lambda m: m[:2]):
            mark = waiting[0][2]
            os.replace(self._path(mark, DUE), self._path(mark, TAKEN))  # noqa: PTH105 - overwrites on every system
            yield mark

    def done(self, mark: Mark) -> None:
        """A taken mark was read and stored: take it away, or leave it open while its session may go on."""
        taken = self._path(mark, TAKEN)
        if mark.event in {"SessionEnd", "SessionStart", "SubagentStop"}:
            taken.unlink(missing_ok=True)
        else:
            taken.replace(self._path(mark, OPEN))

    def failed(self, mark: Mark, reason: str) -> bool:
        """A taken mark could not be read: it is due again, or archived when it has failed too long (then True).

        To be said when a run is over: what is due again is taken again.
        """
        told = replace(mark, reason=reason)
        if mark.old:
            self._put(told, FAILED)
            self._path(mark, TAKEN).unlink(missing_ok=True)
            return True
        self._fall_back(told)
        return False

    def dropped(self, mark: Mark) -> None:
        """A taken mark has nothing behind it: a session that was opened and never written to."""
        self._path(mark, TAKEN).unlink(missing_ok=True)

    def archived(self) -> list[Mark]:
        """Marks that failed for more than a day, oldest first."""
        return sorted((mark for mark, _ in self._all((FAILED,))), key=lambda mark: (mark.first, mark.key))

    def sweep(self) -> None:
        """Remove archived marks that are older than ``KEEP_FAILED``."""
        for mark in self.archived():
            if _passed(mark.first, KEEP_FAILED):
                self._path(mark, FAILED).unlink(missing_ok=True)

    def waiting(self) -> list[Mark]:
        """Marks that are due or taken, oldest first."""
        return sorted((mark for mark, _ in self._all((DUE, TAKEN))), key=lambda mark: (mark.first, mark.key))

    # ── files ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _path(self, mark: Mark, state: str) -> Path:
        return self.folder / (mark.key + state)

    def _put(self, mark: Mark, state: str) -> None:
        make_folder(self.folder)
        put(self._path(mark, state), json.dumps(asdict(mark)))

    def _fall_back(self, mark: Mark) -> None:
        """Make a taken mark due; one left meanwhile takes over since when it waits."""
        newer = _read(self._path(mark, DUE))
        self._put(replace(newer, first=mark.first, reason=mark.reason) if newer else mark, DUE)
        self._path(mark, TAKEN).unlink(missing_ok=True)

    def _all(self, states: tuple[str, ...]) -> Iterator[tuple[Mark, str]]:
        try:
            names = sorted(entry.name for entry in os.scandir(self.folder))
        except OSError:  # none yet
            return
        for name in names:
            stem, dot, ending = name.rpartition(".")
            if stem and dot + ending in states and (mark := _read(self.folder / name)) is not None:
                yield mark, dot + ending


def _read(path: Path) -> Mark | None:
    """The mark in a file, or None where it is gone or none of ours."""
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        mark = Mark(**{name: str(row[name]) for name in ("event", "session", "transcript", "first", "reason")})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return mark if path.name.startswith(mark.key) else None


def _stamp(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def _passed(since: str, span: timedelta) -> bool:
    at: datetime | None = parse_instant(since)
    return at is None or utcnow() - at > span
