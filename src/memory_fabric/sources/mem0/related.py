"""What relates the memories that mem0 keeps (F-TRAV-2).

By the memories that one names as linked, by the relations that a server with a graph answers, and where neither is
there by the entities that they share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memory_fabric.clock import Deadline
from memory_fabric.model.memory import Memory
from memory_fabric.model.memory_graph import MemoryRelation
from memory_fabric.sources.foreign import Redact
from memory_fabric.sources.mem0.backend import Backend, Who
from memory_fabric.sources.mem0.http import NotThere
from memory_fabric.sources.mem0.shape import Item, ScoreScale, memory_of, record_of, touches

FIRST_ENTITIES, MOST_SHARING = 3, 20
"""Entities that are searched for, and memories that may come of it (F-TRAV-2)."""

LINKED = "linked"
"""Type of the relation to a memory that mem0 itself names: usually one that this one superseded."""

SHARES = "shares_entity"
"""Type of the relation between memories that only mention the same."""

Neighbour = tuple[MemoryRelation, Memory]


class Mem0Links:
    """The memories next to one, in one mem0."""

    def __init__(
        self,
        name: str,
        backend: Backend,
        who: Who,
        redact: Redact,
        names: Callable[[str], Sequence[str]],
        deadline: Deadline,
    ) -> None:
        self._name = name
        self._backend = backend
        self._who = who
        self._redact = redact
        self._names = names
        self._deadline = deadline
        self._scale = ScoreScale()
        self._has_graph = backend.has_graph

    def memory(self, record: str) -> Memory:
        """A memory by mem0's own id.

        Raises:
            NotThere: there is none.
        """
        found = self._made(self._backend.get(record_of(record), self._deadline))
        if found is None:
            raise NotThere(f"{self._name}: the memory {record!r} has no text", "")
        return found

    def __call__(self, memory: Memory) -> list[Neighbour]:
        """Its neighbours, best first, each once."""
        found = {
            other.id: (relation, other) for relation, other in reversed([*self._linked(memory), *self._graph(memory)])
        }
        return list(reversed(found.values())) or self._sharing(memory)

    def _linked(self, memory: Memory) -> list[Neighbour]:
        given = memory.metadata.get("linked_memory_ids")
        found: list[Neighbour] = []
        for record in given if isinstance(given, list) else ():
            try:
                other = self.memory(str(record))
            except NotThere:
                continue  # mem0 leaves links to what was deleted
            found.append((MemoryRelation(LINKED, memory.id, other.id), other))
        return found

    def _graph(self, memory: Memory) -> list[Neighbour]:
        """By relations between what this memory names and what others name."""
        if not self._has_graph:
            return []
        answer = self._backend.search(memory.text, self._who, MOST_SHARING, self._deadline, graph=True)
        self._has_graph = answer.relations is not None
        others = [other for item in answer.items if (other := self._made(item)) is not None and other.id != memory.id]
        found: list[Neighbour] = []
        for relation in answer.relations or ():
            for here, there, forth in (
                (relation.source_id, relation.target_id, True),
                (relation.target_id, relation.source_id, False),
            ):
                if not touches(memory, here):
                    continue
                found += [
                    (_between(relation, *((memory, other) if forth else (other, memory))), other)
                    for other in others
                    if touches(other, there)
                ]
        return found

    def _sharing(self, memory: Memory) -> list[Neighbour]:
        found: dict[str, Neighbour] = {}
        for entity in memory.entities[:FIRST_ENTITIES]:
            answer = self._backend.search(entity, self._who, MOST_SHARING, self._deadline)
            for item, score in zip(answer.items, self._scale.scaled(answer.items), strict=True):
                other = self._made(item)
                if other is None or other.id in (memory.id, *found) or not touches(other, entity):
                    continue
                found[other.id] = (MemoryRelation(SHARES, memory.id, other.id, score, f"both: {entity}"), other)
        return list(found.values())[:MOST_SHARING]

    def _made(self, item: Item) -> Memory | None:
        return memory_of(self._name, item, self._redact, self._names)


def _between(relation: MemoryRelation, start: Memory, end: Memory) -> MemoryRelation:
    """The relation of two entities as one of the memories that name them."""
    said = relation.description or f"{relation.source_id} {relation.type} {relation.target_id}"
    return MemoryRelation(relation.type, start.id, end.id, relation.strength, said)
