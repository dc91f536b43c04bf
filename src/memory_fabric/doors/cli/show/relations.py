"""Relations for people: one a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from memory_fabric.doors.cli.lines import day, plain, short_path
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.cli.show.answer import fact
from memory_fabric.doors.connections import MAX_CONNECTIONS, place_of
from memory_fabric.model.graph import Entity, EntityId, Relation
from memory_fabric.model.memory import Memory, MemoryId
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


def _relation(
    relation: Relation, names: Mapping[EntityId, Entity], memories: Mapping[MemoryId, Memory], paint: Paint
) -> str:
    place = place_of(relation, memories)
    where = f", {short_path(place)}" if place else ""
    return fact(relation, names) + paint.dim(plain(f"  ({day(relation.valid_from)}{where})"))
