"""Entities and relations that were deleted stay away, also when a transcript that speaks of them is read again."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from memory_fabric.clock import to_millis
from memory_fabric.model.graph import EntityId, Relation
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, bounded, to_json
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.text import text_hash

if TYPE_CHECKING:
    from memory_fabric.ports import Batch

ENTITY, RELATION = "entity", "relation"


def relation_key(subject: str, label: str, object_: str) -> str:
    """Under which a deleted relation is known again."""
    return to_json([subject, label, object_])


def bury(connection: sqlite3.Connection, what: str, keys: Iterable[str], at: datetime) -> None:
    """Keep these away from now on."""
    connection.executemany(query("bury"), [(what, key, to_millis(at)) for key in keys])


def unbury(connection: sqlite3.Connection, what: str, keys: Iterable[str]) -> None:
    """Let these in again."""
    connection.execute(query("unbury"), {"what": what, "keys": as_list(keys)})


def lift(connection: sqlite3.Connection, batch: Batch) -> None:
    """Lift whatever holds back something that an explicit batch says (``Batch.explicit``)."""
    memories = [record.memory for record in batch.records]
    values = {
        "ids": as_list(memory.id for memory in memories),
        "hashes": as_list({text_hash(memory.text) for memory in memories}),
    }
    connection.execute(query("lift_tombstones"), values)
    named = {bounded(end) for r in batch.relations for end in (r.subject, r.object)}
    named |= {bounded(mention.entity) for mention in batch.mentions} | {bounded(e.id) for e in batch.entities}
    unbury(connection, ENTITY, named)
    unbury(connection, RELATION, [_key(relation) for relation in batch.relations])


class Buried:
    """What of a batch's facts must stay away."""

    def __init__(self, connection: sqlite3.Connection, batch: Batch) -> None:
        self._entities: set[str] = set()
        self._relations: set[str] = set()
        if connection.execute("SELECT 1 FROM buried").fetchone() is None:
            return
        ends = {bounded(end) for r in batch.relations for end in (r.subject, r.object)}
        ends |= {bounded(mention.entity) for mention in batch.mentions} | {bounded(e.id) for e in batch.entities}
        self._entities = _among(connection, ENTITY, ends)
        self._relations = _among(connection, RELATION, [_key(relation) for relation in batch.relations])

    def entity(self, id_: EntityId) -> bool:
        """Whether this entity was deleted."""
        return bool(self._entities) and bounded(id_) in self._entities

    def relation(self, relation: Relation) -> bool:
        """Whether this relation, or one of its ends, was deleted."""
        if self.entity(relation.subject) or self.entity(relation.object):
            return True
        return bool(self._relations) and _key(relation) in self._relations


def _key(relation: Relation) -> str:
    return relation_key(bounded(relation.subject), relation.label, bounded(relation.object))


def _among(connection: sqlite3.Connection, what: str, keys: Iterable[str]) -> set[str]:
    return {str(row[0]) for row in all_rows(connection, query("buried_among"), {"what": what, "keys": as_list(keys)})}
