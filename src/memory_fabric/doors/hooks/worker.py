"""The worker: reads the transcripts that hooks marked, apart from them and one at a time for a memory.

Started detached by a hook (``detach``); ``python -m memory_fabric.doors.hooks.worker --home DIR`` does the same.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric.doors.hooks import log
from memory_fabric.doors.hooks.lock import held
from memory_fabric.doors.hooks.marks import Mark, Marks
from memory_fabric.doors.hooks.shown import sweep
from memory_fabric.errors import MemoryFabricError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric

PATIENCE = 600.0
"""Seconds to wait for another worker's end."""

SETTLED, SETTLE_MOST, SETTLE_PAUSE = 0.3, 2.0, 0.1
"""A transcript is read once nothing was added for that many seconds, or after the second number of them: the last line
may not be written yet when Stop fires (formats.md §2.1)."""

EMBEDDED = 256
"""Memories without vectors that are embedded at a session's start: ten seconds of one processor, at low priority.

More, as after a first ingest, is left to ``memory-fabric ingest``: nobody asked for minutes of work.
"""

_SESSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{7,127}")


def main(given: Sequence[str] | None = None) -> int:
    """Read everything that is marked; 0, or 1 where something failed, which the log tells."""
    parser = argparse.ArgumentParser(prog="memory-fabric hook worker")
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--embed", action="store_true", help="make vectors too, where few are missing")
    options = parser.parse_args(given)
    _step_back()
    folder = log.folder_of(options.home)
    with ExitStack() as working, ExitStack() as waiting:
        # One works, one waits: who waits will see every mark that was left before, so more need not wait.
        mine = waiting.enter_context(held(folder / "next.lock"))
        if not mine or not working.enter_context(held(folder / "work.lock", wait=PATIENCE)):
            log.write(options.home, log.fired_now("worker", 0.0, "silent", "another one will read the marks"))
            return 0
        waiting.close()
        return _logged(options.home, embed=options.embed)


def _logged(home: Path, *, embed: bool) -> int:
    """The work, and a line about it in the log."""
    started = time.monotonic()
    try:
        read, failed = work(home, embed=embed)
    except Exception as error:  # noqa: BLE001 - the outermost line of a job that nobody watches
        log.write(home, log.fired_now("worker", time.monotonic() - started, "failed", _reason(error)))
        return 1
    reason = f"{failed} failed" if failed else ""
    log.write(home, log.fired_now("worker", time.monotonic() - started, "worked", reason, read))
    return 1 if failed else 0


def work(home: Path, *, embed: bool = False) -> tuple[int, int]:
    """Read what is marked; how many marks were read and how many failed.  Only for who holds the lock.

    Raises:
        MemoryFabricError: settings or store are not usable; every mark stays.
    """
    from memory_fabric.app import Fabric
    from memory_fabric.settings import Settings

    marks = Marks(home)
    marks.recover()
    read = 0
    failures: dict[str, tuple[Mark, str]] = {}
    with Fabric.open(Settings.load(home=home)) as fabric:
        for mark in marks.take():
            try:
                reason = _read(home, fabric, mark)
            except Exception as error:  # noqa: BLE001 - one transcript must not hold up the others; doctor shows it
                reason = _reason(error)
            if reason is None:
                marks.done(mark)
                failures.pop(mark.key, None)
                read += 1
            elif reason == NOTHING and mark.event == "SessionStart":
                marks.dropped(mark)
            else:
                first, _ = failures.get(mark.key, (mark, ""))
                failures[mark.key] = (first, reason)
        if embed:
            _embed(fabric)
    for mark, reason in failures.values():
        marks.failed(mark, reason)
    marks.sweep()
    sweep(home)
    return read, len(failures)


NOTHING = "no transcript of this session was found"


def _read(home: Path, fabric: Fabric, mark: Mark) -> str | None:
    """Read the transcript of one mark; why it failed, or None."""
    from memory_fabric.doors.hooks.manifest import save

    paths = transcripts_of(mark, (place.root for place in fabric.places() if place.exists))
    if not paths:
        return NOTHING
    _settle(paths[0])
    report = fabric.ingest(paths)
    if report.failed:
        return f"{len(report.failed)} of {len(report.files)} files failed: {report.failed[0].reason}"
    if not report.files or all(file.status == "refused" for file in report.files):
        return "it is no transcript"
    if mark.event == "PreCompact" and mark.session:
        save(home, fabric, mark.session)
    return None


def _reason(error: Exception) -> str:
    return f"{error.code if isinstance(error, MemoryFabricError) else type(error).__name__}: {error}"


def transcripts_of(mark: Mark, places: Iterable[Path]) -> list[Path]:
    """The files of a marked session: its transcript, and the folder of its subagents where there is one.

    The path that a hook was told is believed where its name holds the session; else the session's file is looked for
    in the usual places, and only where there is none the path is taken as it is (formats.md §2.1).
    """
    told = Path(mark.transcript) if mark.transcript else None
    exists = told is not None and told.is_file()
    named = _SESSION.fullmatch(mark.session) is not None
    found = told if exists else None
    if named and not (exists and told is not None and mark.session in told.name):
        pattern = f"*{mark.session}*.jsonl"
        found = next((path for place in places for path in sorted(place.rglob(pattern)) if path.is_file()), found)
    if found is None:
        return []
    beside = found.with_suffix("")
    return [found, beside] if beside.is_dir() else [found]


def _settle(path: Path) -> None:
    """Wait until the client has stopped writing."""
    ends = time.monotonic() + SETTLE_MOST
    while time.time() - path.stat().st_mtime < SETTLED and time.monotonic() < ends:
        time.sleep(SETTLE_PAUSE)


def _embed(fabric: Fabric) -> None:
    """Make the vectors that are missing, where that is little work."""
    from memory_fabric.errors import EmbedderUnavailable

    try:
        if 0 < fabric.pending() <= EMBEDDED:
            fabric.embed()
    except EmbedderUnavailable:  # text and graph go on; doctor names it (F-ERR-13)
        return


def _step_back() -> None:
    """Let everything else run first."""
    if hasattr(os, "nice"):
        os.nice(10)
    elif sys.platform == "win32":
        import ctypes

        below_normal = 0x4000
        ctypes.windll.kernel32.SetPriorityClass(ctypes.windll.kernel32.GetCurrentProcess(), below_normal)


if __name__ == "__main__":
    sys.exit(main())
