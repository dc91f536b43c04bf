"""PreCompact, Stop, SubagentStop, SessionEnd, and the part of SessionStart that takes up what was left (F-HOOK-2).

A hook marks and goes; the transcript is read by the worker, detached (C-094).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memory_fabric.doors.hooks.event import Event
from memory_fabric.doors.hooks.marks import Marks, mark_of
from memory_fabric.doors.hooks.said import Said, silent

AT_ONCE = frozenset({"PreCompact", "Stop", "SubagentStop"})
"""Events after which the worker is started.  SessionEnd may be killed at any moment and only marks (C-099)."""


def capture(home: Path, event: Event, environment: Mapping[str, str]) -> Said:
    """Mark the transcript of this event, and start the worker where there is time for it.

    Raises:
        OSError: the mark cannot be written, or no process be started.
    """
    mark = mark_of(event)
    if mark is None:
        return silent("no session named")
    Marks(home).leave(mark)
    if event.name in AT_ONCE:
        from memory_fabric.doors.hooks.detach import start_worker

        start_worker(home, environment)
    return Said("marked")


def catch_up(home: Path, event: Event, environment: Mapping[str, str]) -> None:
    """Note that this session was seen, and start the worker where earlier ones left something to read.

    Raises:
        OSError: the mark cannot be written, or no process be started.
    """
    marks, mark = Marks(home), mark_of(event)
    if marks.take_up(event.session):
        from memory_fabric.doors.hooks.detach import start_worker

        start_worker(home, environment, embed=True)
    if mark is not None:
        marks.open(mark)
