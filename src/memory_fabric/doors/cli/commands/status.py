"""``status``: what is there, and how it is."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from memory_fabric.doors.cli.desk import DONE, AsJson, Desk, Home

if TYPE_CHECKING:
    from memory_fabric.app import Fabric

HEALTHY, DEGRADED, EMPTY = "healthy", "degraded", "empty"

QUEUE_DEGRADED = 50
"""Parcels waiting for other memories from which on the state is degraded (F-CMD-13)."""


def status(context: typer.Context, home: Home = None, as_json: AsJson = False) -> int:
    """Show what the memory holds, where it is, and how it is: healthy, degraded or empty.

    Exit code 3 when it cannot be opened.
    """
    from memory_fabric.doors.cli.show.status import status_lines

    desk = Desk.of(context, home, as_json)
    with desk.read() as fabric:
        found = gathered(fabric)
    desk.data(found)
    desk.say(*status_lines(found, desk.paint, desk.width))
    return DONE


def gathered(fabric: Fabric) -> dict[str, Any]:
    """Everything that ``status`` prints, as data."""
    from memory_fabric.clock import utcnow
    from memory_fabric.doors.results import instant
    from memory_fabric.doors.synced import queues_json

    census = fabric.census()
    entries = fabric.store.entries()
    failed = sum(entry.error is not None for entry in entries)
    broken = sum(entry.skipped.get("broken json", 0) for entry in entries)
    embedder = fabric.embedder
    vectors: dict[str, Any] = {"space": None, "embedded": 0, "pending": 0}
    if embedder is not None:
        done = fabric.store.coverage().get(embedder.space, 0)
        vectors = {"space": embedder.space, "embedded": done, "pending": census.memories - done}
    backlog = fabric.store.backlog(utcnow())
    waiting = sum(each.waiting for each in backlog.values())
    reasons = []
    if failed:
        reasons.append(f"{failed} source file{'s' if failed > 1 else ''} could not be read")
    if broken:
        reasons.append(f"{broken} broken line{'s' if broken > 1 else ''} left out")
    if vectors["pending"]:
        reasons.append(f"{vectors['pending']} memories without vectors")
    if waiting >= QUEUE_DEGRADED:
        reasons.append(f"{waiting} things wait to be pushed to other memories")
    health = EMPTY if not census.memories else DEGRADED if reasons else HEALTHY
    return {
        "health": health,
        "reasons": reasons,
        "store": {"path": str(fabric.settings.store), "bytes": census.bytes},
        "memories": census.memories,
        "by_kind": dict(census.by_kind),
        "sessions": census.sessions,
        "projects": [project.name for project in fabric.store.projects()],
        "entities": dict(census.entities),
        "relations": dict(census.relations),
        "superseded": census.superseded,
        "unmapped": census.unmapped,
        "statements": dict(census.statements),
        "forgotten": census.tombstones,
        "files": census.files,
        "failed_files": failed,
        "broken_lines": broken,
        "oldest": instant(census.oldest),
        "newest": instant(census.newest),
        "last_change": instant(_last_change(fabric.settings.store)),
        "vectors": vectors,
        "queues": queues_json(backlog),
        "places": [
            {"format": place.format, "path": str(place.root), "exists": place.exists} for place in fabric.places()
        ],
    }


def _last_change(store: Path) -> datetime | None:
    """When the store was last written: its file, or the log beside it."""
    from memory_fabric.clock import from_millis

    files = (store, store.with_name(f"{store.name}-wal"))
    times = [file.stat().st_mtime_ns for file in files if file.exists()]
    return from_millis(max(times) // 1_000_000) if times else None
