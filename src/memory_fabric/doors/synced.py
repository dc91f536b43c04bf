"""What a sync did and how the queues stand, as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_fabric.curate.sync import Pushed, Synced
from memory_fabric.doors.results import instant, outage_json
from memory_fabric.ports import Backlog


def synced_json(done: Synced) -> dict[str, Any]:
    """A whole run; with ``dry_run``, ``sent`` counts what would go."""
    return {
        "dry_run": done.dry,
        "complete": done.complete,
        "sent": sum(sum(each.sent.values()) for each in done.targets),
        "failed": sum(each.failed for each in done.targets),
        "targets": [_target(each) for each in done.targets],
    }


def _target(pushed: Pushed) -> dict[str, Any]:
    return {
        "target": pushed.target,
        "queued": pushed.queued,
        "sent": dict(pushed.sent),
        "failed": pushed.failed,
        "waiting": pushed.waiting,
        "refused": [{"key": each.key, "kind": each.kind, "reason": each.reason} for each in pushed.refused],
        "outage": None if pushed.outage is None else outage_json(pushed.outage),
    }


def queues_json(backlog: Mapping[str, Backlog]) -> dict[str, Any]:
    """How it stands with each target."""
    return {
        target: {
            "waiting": each.waiting,
            "claimed": each.claimed,
            "failed": each.failed,
            "sent": each.sent,
            "oldest": instant(each.oldest),
            "last_sent": instant(each.last_sent),
            "last_error": each.last_error,
        }
        for target, each in backlog.items()
    }
