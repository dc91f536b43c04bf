"""What ``doctor`` says of the clients: installed where, does it run, did the hooks fire (C-093)."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memory_fabric.curate.health import Check, Verdict
from memory_fabric.doors.hooks.log import Fired, last_fired
from memory_fabric.doors.hooks.marks import Marks
from memory_fabric.doors.install.entries import home_named
from memory_fabric.doors.install.program import HOOKS
from memory_fabric.doors.install.run import run_written
from memory_fabric.doors.install.surroundings import Surroundings
from memory_fabric.doors.install.survey import State, survey

SILENT = timedelta(days=1)
"""Claude Code was used that much later than the last hook fired: longer than a session that was left open."""


def client_checks(here: Surroundings, home: Path) -> Iterator[Check]:
    """A few checks of every client that is on this machine or configured for us."""
    for state in survey(here):
        if state.found or state.entries:
            yield from _checks(state, here, home)


def _checks(state: State, here: Surroundings, home: Path) -> Iterator[Check]:
    name = state.client.name
    for seen in state.seen:
        if seen.fault:
            yield Check(name, Verdict.WARN, f"{seen.file.path}: {seen.fault}", "mend the file")
    if not state.entries and not state.plugins:
        yield Check(name, Verdict.OK, "found; not installed", f"`memory-fabric install {name}` does it")
        return
    yield from _doubles(state)
    yield from _runs(state, here.environment, home)
    hooks = [entry for _, entry in state.entries if entry.event is not None]
    if hooks or state.plugins:
        named = next((found for entry in hooks if (found := home_named(entry))), home)
        last = {event: fired for event, fired in last_fired(named).items() if event in HOOKS}
        yield _fired(state, last, here)
        yield from _given_up(name, named)


def _doubles(state: State) -> Iterator[Check]:
    """The same thing twice: every hook then fires twice, every tool is listed twice."""
    name = state.client.name
    hooks = Counter(entry.event for _, entry in state.entries if entry.event is not None)
    twice = [event for event, number in hooks.items() if number > 1]
    where = _places(state, hooks=True)
    if state.plugins and hooks:
        remedy = f"keep one: `memory-fabric uninstall {name}`, or disable the plugin"
        yield Check(name, Verdict.WARN, f"hooks stand in {where} and in the plugin: each fires twice", remedy)
    elif twice:
        remedy = f"keep one: `memory-fabric uninstall {name}` (with --project for the project's), then install once"
        yield Check(name, Verdict.WARN, f"hooks stand twice ({', '.join(twice)}) in {where}", remedy)
    servers = [entry for _, entry in state.entries if entry.event is None]
    if len(servers) > 1 or (servers and state.plugins):
        places = _places(state, hooks=False) + (" and in the plugin" if state.plugins else "")
        remedy = f"keep one: `memory-fabric uninstall {name}` (with --project for the project's), then install once"
        yield Check(name, Verdict.WARN, f"the server stands more than once, in {places}", remedy)


def _places(state: State, *, hooks: bool) -> str:
    paths = [str(seen.file.path) for seen, entry in state.entries if (entry.event is not None) is hooks]
    return " and ".join(dict.fromkeys(paths))


def _runs(state: State, environment: Mapping[str, str], home: Path) -> Iterator[Check]:
    """Whether the programs are still there, and run as the client runs them."""
    name = state.client.name
    remedy = f"run `memory-fabric install {name}` again"
    for seen in state.seen:
        if not seen.entries:
            continue
        gone = {entry.words[0] for entry in seen.entries if not _is_there(entry.words[0], environment)}
        if gone:
            detail = f"{seen.file.path}: {', '.join(sorted(gone))} is gone or cannot be run"
            yield Check(name, Verdict.FAIL, detail, remedy)
            continue
        trials = run_written([seen.file], environment, home)
        failed = [trial for trial in trials if not trial.ok]
        for trial in failed:
            yield Check(name, Verdict.FAIL, f"{seen.file.path}: `{trial.command[-1]}`: {trial.detail}", remedy)
        if not failed:
            slowest = max(trial.seconds for trial in trials)
            what = f"{len(trials)} hooks run" if seen.file.hooks else trials[0].detail
            yield Check(name, Verdict.OK, f"{seen.file.path}: {what} (at most {slowest:.1f} s)")


def _is_there(program: str, environment: Mapping[str, str]) -> bool:
    return shutil.which(program, path=environment.get("PATH", os.defpath)) is not None


def _fired(state: State, last: Mapping[str, Fired], here: Surroundings) -> Check:
    """When each hook last fired, and whether that fits with when the client was last used."""
    name = state.client.name
    if not last:
        remedy = "start a session; if it stays so, see /hooks in Claude Code"
        return Check(name, Verdict.WARN, "no hook has fired yet", remedy)
    detail = "hooks last fired: " + ", ".join(f"{event} {_when(fired)}" for event, fired in last.items())
    used = _last_used(state.client.folder(here) / "projects")
    newest = max(fired.at for fired in last.values())
    if used is not None and used - newest > SILENT:
        remedy = f"run `memory-fabric install {name}` again, and see /hooks in Claude Code"
        return Check(
            name, Verdict.WARN, f"{detail}; but {state.client.title} was used {used:%Y-%m-%d %H:%M} UTC", remedy
        )
    return Check(name, Verdict.OK, detail)


def _given_up(name: str, home: Path) -> Iterator[Check]:
    """Transcripts that hooks marked and that could not be read for a day (F-HOOK-13)."""
    for mark in Marks(home).archived():
        detail = (
            f"not read since {mark.first[:16].replace('T', ' ')} UTC: {mark.transcript or mark.session}: {mark.reason}"
        )
        yield Check(name, Verdict.WARN, detail, "`memory-fabric ingest` with that file says more")


def _when(fired: Fired) -> str:
    return f"{fired.at.astimezone(UTC):%Y-%m-%d %H:%M}" + (" (failed)" if fired.outcome == "failed" else "")


def _last_used(projects: Path) -> datetime | None:
    """When the newest transcript was written."""
    newest = 0.0
    for path in projects.glob("*/*.jsonl"):
        try:
            newest = max(newest, path.stat().st_mtime)
        except OSError:  # deleted just now
            continue
    return datetime.fromtimestamp(newest, UTC) if newest else None
