"""``load``: what a new session should know."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_fabric.doors.cli.commands.search import Filters
from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home
from memory_fabric.doors.cli.options import AllProjects, ProjectName, Since

BUDGET, LEAST, MOST = 2_000, 50, 100_000
"""Tokens by default, and the range that is taken."""


def load(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    *,
    budget: Annotated[int, typer.Option("--budget", metavar="N", min=LEAST, max=MOST, help="Tokens at most.")] = BUDGET,
    project: ProjectName = None,
    every: AllProjects = False,
    since: Since = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Print what a new session should know, as Markdown: decisions, open problems, preferences, recent work."""
    desk = Desk.of(context, home, as_json)
    with desk.read() as fabric:
        scope, note = Filters(project, every, since).scope(fabric)
        found = fabric.load(scope, budget=budget)
    desk.data(
        {
            "text": found.text,
            "sections": [{"title": section.title, "items": list(section.items)} for section in found.sections],
            "tokens": found.tokens,
            "left_out": found.left_out,
            "notes": [note] if note else [],
        }
    )
    if found.sections:
        desk.say(found.text)
    desk.remark(note)
    if found.left_out:
        desk.remark(f"{found.left_out} more did not fit into {budget} tokens")
    if found.sections:
        return DONE
    desk.note("Nothing to load yet.", "  → --all takes every project in; `memory-fabric status` shows what is there")
    return NOTHING
