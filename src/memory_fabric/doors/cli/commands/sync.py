"""``sync``: push to memories elsewhere."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, UNAVAILABLE, AsJson, Desk, Home


def sync(
    context: typer.Context,
    *,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would go.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Send again what was sent.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Push decisions, notes, entities and relations to the memories elsewhere that are set to take them.

    What is not confirmed stays in the queue.  Exit code 1 when something failed, 3 when nothing could be reached.
    """
    from memory_fabric.doors.cli.show.sync import sync_lines
    from memory_fabric.doors.synced import synced_json

    desk = Desk.of(context, home, as_json)
    with desk.read() if dry_run else desk.open() as fabric:
        done = fabric.sync(force=force, dry_run=dry_run)
    desk.data(synced_json(done))
    desk.say(*sync_lines(done, desk.paint))
    for each in done.targets:
        if each.outage:
            desk.note(f"{each.target} did not take it: {each.outage.reason}", f"  → {each.outage.remedy}")
        for refused in each.refused:
            desk.note(f"{refused.reason} ({refused.kind} {refused.key})")
    if done.unreachable:
        return UNAVAILABLE
    return DONE if done.complete else NOTHING
