"""What a sync did, for people."""

from __future__ import annotations

from collections.abc import Iterator

from memory_fabric.curate.sync import Pushed, Synced
from memory_fabric.doors.cli.lines import count, one_line
from memory_fabric.doors.cli.paint import Paint

NAMES = {"memory": "text", "node": "entity", "link": "relation"}
"""Kinds of parcel, for people."""


def sync_lines(done: Synced, paint: Paint) -> Iterator[str]:
    """One line a target."""
    for each in done.targets:
        mark = paint.good("ok  ") if each.complete else paint.bad("FAIL") if not each.sent else paint.warn("part")
        yield f"{mark}  {one_line(each.target, 20):<20}  {_told(each, dry=done.dry)}"


def _told(pushed: Pushed, *, dry: bool) -> str:
    kinds = ", ".join(
        count(number, NAMES[kind], "entities" if kind == "node" else None) for kind, number in pushed.sent.items()
    )
    if dry:
        return f"would get {kinds}" if kinds else "has everything"
    told = [f"got {kinds}" if kinds else "got nothing" if not pushed.complete else "has everything"]
    if pushed.failed:
        told.append(f"{pushed.failed:,} refused")
    if pushed.waiting:
        told.append(f"{pushed.waiting:,} waiting")
    return "; ".join(told)
