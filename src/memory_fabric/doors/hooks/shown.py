"""Nothing is put into a session's context twice (F-HOOK-6): what was, by session.

Only keys are kept, no texts.  A session whose context was emptied (started anew, cleared, compacted) begins again.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from memory_fabric.doors.hooks.lock import held
from memory_fabric.doors.hooks.log import folder_of
from memory_fabric.doors.hooks.names import file_name
from memory_fabric.private import put

EMPTIED = frozenset({"startup", "clear", "compact"})
"""Sources of a SessionStart after which the model no longer sees what it was shown."""

TWICE = 5.0
"""Seconds in which a second SessionStart is the same one, told twice (formats.md §2.1; hooks installed twice)."""

KEPT_DAYS = 14
"""Days after which a session's list is removed."""

MOST_KEYS = 2_000
PATIENCE = 0.2
"""Seconds to wait for another hook of the same session, which holds its list for milliseconds."""


def once(home: Path, session: str, keys: Callable[[frozenset[str]], Sequence[str]], source: str = "") -> bool:
    """Let ``keys`` choose what to show, given what this session was shown, and note it; False where it got no turn.

    Hooks that run at the same moment take turns, so that two of them never show the same.  Without a session nothing is
    known and nothing noted.

    Raises:
        OSError: the list cannot be written.
    """
    if not session:
        keys(frozenset())
        return True
    path = _path(home, session)
    with held(path.with_suffix(".lock"), wait=PATIENCE) as mine:
        if not mine:
            return False
        before = _read(path)
        anew = source in EMPTIED and time.time() - _changed(path) > TWICE
        shown = [] if anew else before
        added = [key for key in keys(frozenset(shown)) if key not in shown]
        if added or anew:
            put(path, json.dumps((shown + added)[-MOST_KEYS:]))
    return True


def sweep(home: Path) -> None:
    """Remove the lists and the manifests of sessions that ended long ago."""
    for folder in (folder_of(home) / "shown", folder_of(home) / "compacted"):
        for entry in os.scandir(folder) if folder.is_dir() else ():
            if time.time() - _changed(Path(entry.path)) > KEPT_DAYS * 86_400:
                Path(entry.path).unlink(missing_ok=True)


def _path(home: Path, session: str) -> Path:
    return folder_of(home) / "shown" / f"{file_name(session)}.json"


def _read(path: Path) -> list[str]:
    try:
        keys = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [key for key in keys if isinstance(key, str)] if isinstance(keys, list) else []


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
