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
from memory_fabric.errors import UsageError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.model.graph import Relation
    from memory_fabric.model.memory import Memory, MemoryId
    from memory_fabric.model.memory_graph import MemoryPath, RelatedMemory

LIMIT, MOST = 40, 200
"""Entities by default (F-MCP-2), and at most (F-TRAV-7)."""


def related(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An entity, or the id of a memory: mem0:ID is mem0's.")],
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
    from memory_fabric.doors.memory_graph import related_memories_json
    from memory_fabric.sources.mem0.shape import is_mem0_id

    desk = Desk.of(context, home, as_json)
    filters = Filters(project, every, since, before, as_of, superseded=superseded)
    with desk.read() as fabric:
        scope, note = filters.scope(fabric)
        around: list[RelatedMemory] = []
        if named := of_memory(fabric, name):
            around = fabric.related_memories(name, scope, depth=depth, label=relation)[:limit]
        if is_mem0_id(name):
            return show_memories(desk, name, around, depth, relation, note)
        found = fabric.related(name, scope, depth=depth, label=relation, limit=limit)
    memories = related_memories_json(name, around, depth, relation) if named else {}
    desk.data({**related_json(name, found), **memories})
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
    start: Annotated[str, typer.Argument(metavar="FROM", help="An entity, or the id of a memory: mem0:ID is mem0's.")],
    goal: Annotated[
        str | None, typer.Argument(metavar="TO", help="Another.  [of a memory, by default: whatever is near]")
    ] = None,
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
    from memory_fabric.sources.mem0.shape import is_mem0_id

    desk = Desk.of(context, home, as_json)
    filters = Filters(project, every, as_of=as_of, superseded=superseded)
    with desk.read() as fabric:
        scope, note = filters.scope(fabric)
        if is_mem0_id(start) or (goal is None and of_memory(fabric, start)):
            ways = fabric.memory_paths(start, goal, scope, depth=depth, label=relation)
            return show_ways(desk, start, ways, depth, note)
        if goal is None:
            raise UsageError("paths need two ends", f"memory-fabric paths {start!r} TO")
        found = fabric.paths(start, goal, scope, depth=depth, label=relation)
        memories = evidence(fabric, (each for path in found.paths for each in path.relations))
    desk.data(paths_json(start, goal, found, memories))
    desk.say(*paths_lines(found, memories, desk.paint))
    desk.remark(note)
    if found.paths:
        return DONE
    desk.note(f"No way from {start!r} to {goal!r} within {depth} steps.", "  → go further: --depth 4; or --all")
    return NOTHING


def of_memory(fabric: Fabric, name: str) -> bool:
    """Whether a name is the id of a memory and names no entity."""
    from memory_fabric.model.memory import MemoryId
    from memory_fabric.sources.mem0.shape import is_mem0_id

    if is_mem0_id(name):
        return True
    return not fabric.store.find([name]) and bool(fabric.get([MemoryId(name.rpartition(":")[2])]))


def show_memories(
    desk: Desk, name: str, found: list[RelatedMemory], depth: int, relation: str | None, note: str | None
) -> int:
    """Print the memories around one (F-TRAV-2)."""
    from memory_fabric.doors.cli.show.relations import related_memory_lines
    from memory_fabric.doors.memory_graph import related_memories_json

    desk.data(related_memories_json(name, found, depth, relation))
    desk.say(*related_memory_lines(found, desk.paint, desk.width))
    desk.remark(note)
    if found:
        return DONE
    desk.note(f"Nothing is related to the memory {name!r}.", "  → --all looks in every project; go further: --depth 4")
    return NOTHING


def show_ways(desk: Desk, name: str, found: list[MemoryPath], depth: int, note: str | None) -> int:
    """Print the ways from a memory (F-TRAV-3)."""
    from memory_fabric.doors.cli.show.relations import memory_path_lines
    from memory_fabric.doors.memory_graph import memory_paths_json

    desk.data(memory_paths_json(found))
    desk.say(*memory_path_lines(found, desk.paint, desk.width))
    desk.remark(note)
    if found:
        return DONE
    desk.note(f"No way from the memory {name!r} within {depth} steps.", "  → go further: --depth 4; or --all")
    return NOTHING


def evidence(fabric: Fabric, relations: Iterable[Relation]) -> dict[MemoryId, Memory]:
    """The memories that relations rest on."""
    ids = list(dict.fromkeys(relation.evidence for relation in relations if relation.evidence))
    return {memory.id: memory for memory in fabric.get(ids)}
