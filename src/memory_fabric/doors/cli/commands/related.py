"""``related`` and ``paths``: ask the graph."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer

from memory_fabric.doors.cli.commands.search import Filters
from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home
from memory_fabric.doors.cli.options import (
    AllProjects,
    AsOf,
    Before,
    Depth,
    ProjectName,
    RelationLabel,
    Since,
    Superseded,
)

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.model.graph import Relation
    from memory_fabric.model.memory import Memory, MemoryId

LIMIT, MOST = 40, 200
"""Entities by default (F-MCP-2), and at most (F-TRAV-7)."""


def related(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An entity, or the id of a memory.")],
    *,
    depth: Depth = 2,
    relation: RelationLabel = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=MOST, help="Entities to show.")] = LIMIT,
    project: ProjectName = None,
    every: AllProjects = False,
    since: Since = None,
    before: Before = None,
    as_of: AsOf = None,
    superseded: Superseded = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Show what a thing is related to, nearest first, each relation with its date and source line."""
    from memory_fabric.doors.cli.show.relations import related_lines
    from memory_fabric.doors.connections import related_json

    desk = Desk.of(context, home, as_json)
    filters = Filters(project, every, since, before, as_of, superseded=superseded)
    with desk.read() as fabric:
        scope, note = filters.scope(fabric)
        found = fabric.related(name, scope, depth=depth, label=relation, limit=limit)
    desk.data(related_json(name, found))
    desk.say(*related_lines(found, desk.paint))
    desk.remark(note)
    if found.cut:
        desk.remark("there is more than is shown; lower --depth or name a --relation")
    if found.steps:
        return DONE
    desk.note(f"No relations of {name!r} here.", "  → --all looks in every project, --superseded also shows old facts")
    return NOTHING


def paths(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    start: Annotated[str, typer.Argument(metavar="FROM", help="An entity, or the id of a memory.")],
    goal: Annotated[str, typer.Argument(metavar="TO", help="Another.")],
    *,
    depth: Depth = 2,
    relation: RelationLabel = None,
    project: ProjectName = None,
    every: AllProjects = False,
    as_of: AsOf = None,
    superseded: Superseded = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Show how two things are connected, shortest way first."""
    from memory_fabric.doors.cli.show.relations import paths_lines
    from memory_fabric.doors.connections import paths_json

    desk = Desk.of(context, home, as_json)
    filters = Filters(project, every, as_of=as_of, superseded=superseded)
    with desk.read() as fabric:
        scope, note = filters.scope(fabric)
        found = fabric.paths(start, goal, scope, depth=depth, label=relation)
        memories = evidence(fabric, (each for path in found.paths for each in path.relations))
    desk.data(paths_json(start, goal, found, memories))
    desk.say(*paths_lines(found, memories, desk.paint))
    desk.remark(note)
    if found.paths:
        return DONE
    desk.note(f"No way from {start!r} to {goal!r} within {depth} steps.", "  → go further: --depth 4; or --all")
    return NOTHING


def evidence(fabric: Fabric, relations: Iterable[Relation]) -> dict[MemoryId, Memory]:
    """The memories that relations rest on."""
    ids = list(dict.fromkeys(relation.evidence for relation in relations if relation.evidence))
    return {memory.id: memory for memory in fabric.get(ids)}
