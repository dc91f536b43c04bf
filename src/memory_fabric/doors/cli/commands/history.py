"""``history``: decisions over time."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_fabric.doors.cli.commands.search import Filters
from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home
from memory_fabric.doors.cli.options import AllProjects, Before, Category, ProjectName, Since
from memory_fabric.model.memory import StatementKind

LIMIT, MOST = 50, 500


def history(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    *,
    kind: Annotated[
        list[StatementKind] | None, typer.Option("--kind", help="What to list; may be repeated.  [default: decision]")
    ] = None,
    category: Category = None,
    since: Since = None,
    before: Before = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=MOST, help="Statements to show.")] = LIMIT,
    mermaid: Annotated[bool, typer.Option("--mermaid", help="Print a Mermaid timeline.")] = False,
    project: ProjectName = None,
    every: AllProjects = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Show decisions, newest first, each with what replaced it."""
    from memory_fabric.doors.cli.show.history import history_json, history_lines, mermaid_lines

    desk = Desk.of(context, home, as_json)
    kinds = tuple(kind or (StatementKind.DECISION,))
    filters = Filters(project, every, since, before, categories=tuple(category or ()))
    with desk.read() as fabric:
        scope, note = filters.scope(fabric)
        items = fabric.history(scope, kinds=kinds, limit=limit)
        projects = {each.id: each for each in fabric.store.projects()}
    notes = [note] if note else []
    desk.data({"count": len(items), "items": [history_json(item, projects) for item in items], "notes": notes})
    if mermaid:
        desk.say(*mermaid_lines(items))
    else:
        desk.say(*history_lines(items, projects, desk.paint, desk.width))
    desk.remark(note)
    if items:
        return DONE
    desk.note(f"No {' or '.join(kinds)} found.", "  → --all looks in every project; leave out --since and --category")
    return NOTHING
