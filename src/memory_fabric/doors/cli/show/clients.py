"""What is installed in which client, for people and as data."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memory_fabric.doors.cli.lines import plain, rows, short_path, wrap
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.install.installer import Done
from memory_fabric.doors.install.survey import Seen, State
from memory_fabric.doors.install.trial import Trial


def done_json(done: Done) -> dict[str, Any]:
    """What became of one file."""
    return {
        "path": str(done.path),
        "action": done.action,
        "added": list(done.added),
        "removed": list(done.removed),
        "backup": str(done.backup) if done.backup else None,
    }


def trial_json(trial: Trial) -> dict[str, Any]:
    """How one command did."""
    return {
        "command": list(trial.command),
        "ok": trial.ok,
        "seconds": round(trial.seconds, 3),
        "detail": trial.detail,
    }


def state_json(state: State) -> dict[str, Any]:
    """One client."""
    return {
        "client": state.client.name,
        "title": state.client.title,
        "found": state.found,
        "installed": bool(state.entries or state.plugins),
        "plugin": [str(path) for path in state.plugins],
        "files": [_seen_json(seen) for seen in state.seen],
    }


def _seen_json(seen: Seen) -> dict[str, Any]:
    return {
        "scope": seen.scope,
        "path": str(seen.file.path),
        "exists": seen.exists,
        "servers": [str(entry.path[-1]) for entry in seen.entries if entry.event is None],
        "hooks": [entry.event for entry in seen.entries if entry.event is not None],
        "fault": seen.fault or None,
    }


def overview_lines(states: Iterable[State], paint: Paint, width: int) -> Iterator[str]:
    """Every client with what it has of us."""
    for state in states:
        word = paint.good("installed") if state.entries or state.plugins else "-"
        presence = "found    " if state.found else "not found"
        yield f"{state.client.name:<15} {paint.dim(presence)}  {word}"
        for seen in state.seen:
            if seen.fault:
                yield from _fault(seen, paint, width)
            elif seen.entries:
                hooks = sum(entry.event is not None for entry in seen.entries)
                servers = [f"server {entry.path[-1]}" for entry in seen.entries if entry.event is None]
                what = ", ".join([*servers, *([f"{hooks} hooks"] if hooks else [])])
                yield from rows([(seen.scope, f"{what} in {short_path(str(seen.file.path))}")], width)
        yield from rows([("plugin", f"enabled in {short_path(str(path))}") for path in state.plugins], width)


def _fault(seen: Seen, paint: Paint, width: int) -> Iterator[str]:
    for line in rows([(seen.scope, f"{short_path(str(seen.file.path))}: {seen.fault}")], width):
        yield paint.bad(plain(line))


def client_lines(title: str, row: Mapping[str, Any], dry_run: bool, paint: Paint, width: int) -> Iterator[str]:
    """One client after ``install`` or ``uninstall``; in a dry run with the lines that would come or go."""
    yield paint.bold(title) + (paint.dim(" (nothing is changed: dry run)") if dry_run else "")
    if "error" in row:
        yield from wrap(plain(row["error"]["message"]), width, "  error       ", " " * 14)
        yield from wrap("→ " + plain(row["error"]["hint"]), width, " " * 14, " " * 14)
        return
    for each in row["files"]:
        yield from rows([(each["action"], short_path(each["path"]))], width)
        if each["backup"]:
            yield from rows([("backup", short_path(each["backup"]))], width)
        if dry_run:
            yield from (paint.good(f"  + {plain(line)}") for line in each["added"])
            yield from (paint.bad(f"  - {plain(line)}") for line in each["removed"])
    for trial in row.get("trials", ()):
        word = "runs" if trial["ok"] else "FAILS"
        text = f"{_command(trial['command'])}: {trial['detail']} ({trial['seconds']:.1f} s)"
        yield from rows([(word, plain(text))], width)
    yield from rows([("note", plain(note)) for note in row.get("notes", ())], width)


def _command(words: list[str]) -> str:
    return words[-1] if words[-2:-1] == ["-c"] else shlex.join(words)
