"""The state of the memory, for people (F-CMD-13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from memory_fabric.curate.health import Check, Verdict
from memory_fabric.doors.cli.lines import count, one_line, plain, rows, short_path, size, tally, wrap
from memory_fabric.doors.cli.paint import Paint

PROJECTS = 12
"""Names that are listed."""


def status_lines(found: Mapping[str, Any], paint: Paint, width: int) -> Iterator[str]:
    """The health word first, then the counts, then the places."""
    mark = {"healthy": paint.good, "degraded": paint.warn}.get(found["health"], paint.bold)
    reasons = f": {'; '.join(found['reasons'])}" if found["reasons"] else ""
    yield mark(found["health"]) + reasons
    yield from rows(_counts(found), width)
    yield ""
    yield paint.bold("Places")
    for place in found["places"]:
        state = paint.good("found  ") if place["exists"] else paint.dim("missing")
        yield f"  {state}  {place['format']:<12}  {plain(short_path(place['path']))}"


def _counts(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "memories", f"{found['memories']:,} ({tally(found['by_kind'])})" if found["memories"] else "none"
    yield "from", f"{count(found['sessions'], 'session')} in {count(found['files'], 'file')}"
    if found["newest"]:
        yield "between", f"{found['oldest'][:10]} and {found['newest'][:10]}"
    yield "projects", _projects(found["projects"])
    entities, relations = sum(found["entities"].values()), sum(found["relations"].values())
    yield "entities", f"{entities:,}: {tally(found['entities'])}" if entities else "none"
    old = f"; {found['superseded']:,} superseded" if found["superseded"] else ""
    yield "relations", f"{relations:,}: {tally(found['relations'])}{old}" if relations else "none"
    yield "statements", tally(found["statements"])
    yield "forgotten", f"{found['forgotten']:,}" if found["forgotten"] else ""
    vectors = found["vectors"]
    if vectors["space"]:
        yield "vectors", f"{vectors['embedded']:,} of {found['memories']:,} ({vectors['space']})"
    else:
        yield "vectors", "switched off"
    yield "pushed", "; ".join(_queue(target, queue) for target, queue in found["queues"].items())
    if found["last_change"]:
        yield "last change", found["last_change"].partition(".")[0].rstrip("Z").replace("T", " ") + " UTC"
    yield "store", f"{short_path(found['store']['path'])} ({size(found['store']['bytes'])})"


def _queue(target: str, queue: Mapping[str, Any]) -> str:
    """``work 12, last on 2026-05-13, 3 waiting (connection refused)``."""
    last = f", last on {queue['last_sent'][:10]}" if queue["last_sent"] else ""
    waiting = f", {queue['waiting']:,} waiting" if queue["waiting"] else ""
    why = f" ({one_line(queue['last_error'], 60)})" if queue["waiting"] and queue["last_error"] else ""
    return f"{target} {queue['sent']:,}{last}{waiting}{why}"


def _projects(names: Sequence[str]) -> str:
    """Names, each once: several projects may share one."""
    if not names:
        return ""
    shared = Counter(names)
    shown = [f"{name} ×{number}" if number > 1 else name for name, number in shared.items()]
    more = f", and {len(shown) - PROJECTS} more names" if len(shown) > PROJECTS else ""
    return f"{len(names)}: {', '.join(shown[:PROJECTS])}{more}"


def doctor_lines(checks: Iterable[Check], paint: Paint, width: int) -> Iterator[str]:
    """One check a line, with the remedy below where something is amiss."""
    marks = {Verdict.OK: paint.good("ok  "), Verdict.WARN: paint.warn("warn"), Verdict.FAIL: paint.bad("FAIL")}
    for check in checks:
        head, *rest = wrap(plain(check.detail), width, " " * 21, " " * 21)
        yield f"{marks[check.verdict]}  {one_line(check.name, 14):<14} {head[21:]}"
        yield from rest
        if check.remedy:
            yield " " * 21 + paint.dim(f"→ {plain(check.remedy)}")
