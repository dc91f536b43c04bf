"""What relates the memories of our own store: the relations that rest on them, else the entities they share."""

from __future__ import annotations

from collections.abc import Sequence

from memory_fabric.model.graph import EntityId, as_stated
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.memory_graph import MemoryRelation
from memory_fabric.model.query import Scope
from memory_fabric.ports import Store
from memory_fabric.search.memory_walk import Neighbours
from memory_fabric.search.traverse import HUB_DEGREE, MAX_EDGES

FIRST_ENTITIES, MOST_SHARING = 3, 20
"""Without stored relations: entities that are searched for, and memories that may come of it (F-TRAV-2)."""

SHARES = "shares_entity"
"""Type of the relation between memories that only mention the same."""


def links_in(store: Store, scope: Scope) -> Neighbours:
    """The neighbours of a memory in our store, in scope."""

    def neighbours(memory: Memory) -> Sequence[tuple[MemoryRelation, Memory]]:
        return _related(store, memory, scope) or _sharing(store, memory, scope)

    return neighbours


def _related(store: Store, memory: Memory, scope: Scope) -> list[tuple[MemoryRelation, Memory]]:
    """By a relation of theirs at an entity of a relation of ours; strength is the share of our entities they touch."""
    own = store.evidence([memory.id], scope).get(memory.id, [])
    ends = list(dict.fromkeys(end for relation in own for end in (relation.subject, relation.object)))
    crowded = {end for end, degree in store.degrees(ends).items() if degree > HUB_DEGREE}
    walked = [end for end in ends if end not in crowded]
    touched: dict[MemoryId, set[EntityId]] = {}
    types: dict[MemoryId, tuple[str, str]] = {}
    for relation in store.edges(walked, scope, MAX_EDGES) if walked else ():
        other = relation.evidence
        if other is None or other == memory.id:
            continue
        subject, label, object_ = as_stated(relation)
        touched.setdefault(other, set()).update({relation.subject, relation.object} & set(walked))
        types.setdefault(other, (label, f"{subject} {label} {object_}"))
    found = {each.id: each for each in store.get(list(touched))}
    ranked = sorted(found, key=lambda id_: (-len(touched[id_]), id_))
    return [
        (MemoryRelation(types[id_][0], memory.id, id_, len(touched[id_]) / len(walked), types[id_][1]), found[id_])
        for id_ in ranked
    ]


def _sharing(store: Store, memory: Memory, scope: Scope) -> list[tuple[MemoryRelation, Memory]]:
    """By the first entities that it mentions."""
    entities = store.mentioned([memory.id]).get(memory.id, [])[:FIRST_ENTITIES]
    shared: dict[MemoryId, list[str]] = {}
    mentions = store.mentions([entity.id for entity in entities], scope, MOST_SHARING + 1) if entities else {}
    for entity in entities:
        for other in mentions.get(entity.id, ()):
            if other != memory.id:
                shared.setdefault(other, []).append(entity.name)
    best = sorted(shared, key=lambda id_: -len(shared[id_]))[:MOST_SHARING]
    return [
        (MemoryRelation(SHARES, memory.id, each.id, len(names) / len(entities), f"both: {', '.join(names)}"), each)
        for each in store.get(best)
        if (names := shared[each.id])
    ]
