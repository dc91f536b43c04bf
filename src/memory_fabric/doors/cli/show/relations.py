"""Relations for people: one a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memory_fabric.doors.cli.lines import day, one_line, plain, short_path
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.cli.show.answer import fact
from memory_fabric.doors.connections import MAX_CONNECTIONS, place_of
from memory_fabric.model.graph import Entity, EntityId, Relation
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.memory_graph import MemoryPath, MemoryRelation, RelatedMemory
from memory_fabric.search.related import Connections, Related


def related_lines(found: Related, paint: Paint) -> Iterator[str]:
    """The starting entities, then their relations by distance."""
    memories = {memory.id: memory for memory in found.memories}
    for entity in found.starts:
        kind = entity.label or entity.kind
        also = f", also {', '.join(entity.aliases)}" if entity.aliases else ""
        yield paint.bold(plain(entity.name)) + paint.dim(plain(f"  {kind or 'of no known kind'}{also}"))
    distance = 0
    for step in found.steps[:MAX_CONNECTIONS]:
        if step.hops != distance:
            distance = step.hops
            yield ""
            yield paint.dim("1 step away" if distance == 1 else f"{distance} steps away")
        yield f"  {_relation(step.relation, found.names, memories, paint)}"


def paths_lines(found: Connections, memories: Mapping[MemoryId, Memory], paint: Paint) -> Iterator[str]:
    """Each way, its relations one a line."""
    for number, path in enumerate(found.paths, 1):
        if number > 1:
            yield ""
        names = [found.names[id_].name if id_ in found.names else str(id_) for id_ in path.entities]
        yield paint.bold(plain(f"{number:>2}. {' · '.join(names)}"))
        for relation in path.relations:
            yield f"    {_relation(relation, found.names, memories, paint)}"


def related_memory_lines(found: Sequence[RelatedMemory], paint: Paint, width: int) -> Iterator[str]:
    """The memories around one, by distance, each with what relates it."""
    distance = 0
    for each in found:
        if each.depth != distance:
            distance = each.depth
            yield paint.dim("1 step away" if distance == 1 else f"{distance} steps away")
        yield f"  {_memory(each.memory, width - 2)}"
        yield paint.dim(f"    {_link(each.relation, width - 4)}")


def memory_path_lines(found: Sequence[MemoryPath], paint: Paint, width: int) -> Iterator[str]:
    """Each way, a memory a line."""
    for number, path in enumerate(found, 1):
        yield paint.bold(f"{number:>2}. {_memory(path.steps[0].memory, width - 4)}")
        for step in path.steps[1:]:
            if step.relation is not None:
                yield paint.dim(f"    {_link(step.relation, width - 4)}")
            yield f"    {_memory(step.memory, width - 4)}"


def _memory(memory: Memory, width: int) -> str:
    return one_line(f"{day(memory.at)}  {memory.text}", width)


def _link(relation: MemoryRelation, width: int) -> str:
    strength = "" if relation.strength is None else f" ({relation.strength:.2f})"
    return one_line(f"{relation.type}{strength}  {relation.description}", width)


def _relation(
    relation: Relation, names: Mapping[EntityId, Entity], memories: Mapping[MemoryId, Memory], paint: Paint
) -> str:
    place = place_of(relation, memories)
    where = f", {short_path(place)}" if place else ""
    return fact(relation, names) + paint.dim(plain(f"  ({day(relation.valid_from)}{where})"))
