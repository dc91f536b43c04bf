"""The graph: entities by name, live relations, mentions."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from datetime import datetime

from memory_fabric.model.graph import Entity, EntityId, Relation
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, bounded, entity_of, relation_of
from memory_fabric.store.sqlite.scope import as_list, memories_in, relations_in
from memory_fabric.text import entity_key

ALL = 2**31
"""More facts than any entity has."""

_RESEMBLES = 70.0
"""Least similarity (rapidfuzz WRatio, 0 to 100) of a name offered as "did you mean"."""


class GraphTable:
    """The graph of one file (``ports.Graph``).

    Facts that have ended are hidden from every method but where the scope asks for them (C-059, F-TRAV-10).
    """

    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now
        self._lock = threading.Lock()
        self._keys: tuple[int, list[str]] = (-1, [])

    def find(self, names: Sequence[str]) -> list[Entity]:
        """Entities whose name or alias equals one of these, in the order of the names."""
        keys = as_list(dict.fromkeys(entity_key(bounded(name.strip())) for name in names))
        with self._connections.reading() as connection:
            return [entity_of(row) for row in all_rows(connection, query("find_entities"), {"keys": keys})]

    def suggest(self, name: str, limit: int) -> list[Entity]:
        """Entities with a name that resembles this one, best first."""
        from rapidfuzz import fuzz, process

        key = entity_key(bounded(name.strip()))
        names = self._known_keys()
        if not key or limit <= 0:
            return []
        close = process.extract(key, names, scorer=fuzz.WRatio, score_cutoff=_RESEMBLES, limit=4 * limit)
        return self.find([match for match, _, _ in close])[:limit]

    def entities(self, ids: Sequence[EntityId]) -> dict[EntityId, Entity]:
        """The entities known by these ids."""
        asked = {bounded(id_): id_ for id_ in ids}
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("entities_by_id"), {"ids": as_list(asked)})
        found = {str(row[0]): entity_of(row[:4]) for row in rows}
        return {id_: found[key] for key, id_ in asked.items() if key in found}

    def edges(
        self, ids: Sequence[EntityId], scope: Scope, limit: int, predicate: Predicate | None = None
    ) -> list[Relation]:
        """Facts at these entities, best supported first, then newest; equal ones once, told by the newest evidence."""
        condition = relations_in(scope, self._now())
        values = condition.values | {
            "ids": _ids(ids),
            "limit": max(limit, 0),
            "predicate": predicate and predicate.value,
        }
        chosen = condition.sql if predicate is None else f"r.predicate = :predicate AND {condition.sql}"
        with self._connections.reading() as connection:
            return [relation_of(row) for row in all_rows(connection, query("edges", chosen), values)]

    def degrees(self, ids: Sequence[EntityId], most: int = ALL) -> dict[EntityId, int]:
        """Live facts at each entity, equal ones once, counted up to ``most``; 0 for those without any."""
        condition = relations_in(Scope(), self._now())
        values = condition.values | {"ids": _ids(ids), "most": most}
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("degrees", condition.sql), values)
        found = {str(id_): int(str(count)) for id_, count in rows}
        return {id_: found.get(bounded(id_), 0) for id_ in ids}

    def mentions(self, ids: Sequence[EntityId], scope: Scope, limit: int) -> dict[EntityId, list[MemoryId]]:
        """Memories that mention each entity, newest first, undated last; an entity without any has no entry."""
        condition = memories_in(scope)
        found: dict[EntityId, list[MemoryId]] = {}
        with self._connections.reading() as connection:
            for id_ in dict.fromkeys(ids):
                values = condition.values | {"entity": bounded(id_), "limit": max(limit, 0)}
                rows = all_rows(connection, query("mentions_of", condition.sql), values)
                if rows:
                    found[id_] = [MemoryId(str(row[0])) for row in rows]
        return found

    def spread(self, ids: Sequence[EntityId]) -> dict[EntityId, tuple[int, int]]:
        """Memories and sessions that mention each entity; (0, 0) for those that none mentions."""
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("spread"), {"ids": _ids(ids)})
        found = {str(id_): (int(str(memories)), int(str(sessions))) for id_, memories, sessions in rows}
        return {id_: found.get(bounded(id_), (0, 0)) for id_ in ids}

    def mentioned(self, memories: Sequence[MemoryId]) -> dict[MemoryId, list[Entity]]:
        """Entities that each memory mentions, in order of appearance; a memory without any has no entry."""
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("mentioned"), {"ids": as_list(dict.fromkeys(memories))})
        found: dict[MemoryId, list[Entity]] = {}
        for row in rows:
            found.setdefault(MemoryId(str(row[0])), []).append(entity_of(row[1:]))
        return found

    def evidence(self, memories: Sequence[MemoryId], scope: Scope) -> dict[MemoryId, list[Relation]]:
        """Live relations that rest on each memory; a memory without any has no entry."""
        condition = relations_in(scope, self._now())
        values = condition.values | {"ids": as_list(memories)}
        found: dict[MemoryId, list[Relation]] = {}
        with self._connections.reading() as connection:
            for row in all_rows(connection, query("evidence", condition.sql), values):
                relation = relation_of(row)
                if relation.evidence is not None:
                    found.setdefault(relation.evidence, []).append(relation)
        return found

    def _known_keys(self) -> list[str]:
        """The key of every name, sorted; kept until a name changes."""
        with self._connections.reading() as connection, self._lock:
            state = int(connection.execute(query("names_state")).fetchone()[0])
            if self._keys[0] != state:
                self._keys = (state, [str(row[0]) for row in all_rows(connection, query("all_keys"))])
            return self._keys[1]


def _ids(ids: Sequence[EntityId]) -> str:
    return as_list(dict.fromkeys(bounded(id_) for id_ in ids))
