"""Entities and their names: one entity an id, however often and under whatever names it is saved (C-047, C-050)."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass, field

from memory_fabric.model.graph import Entity, EntityId
from memory_fabric.store.sqlite.indexing import spaced
from memory_fabric.store.sqlite.owners import next_row
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, bounded, optional
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.text import analyse, entity_key


@dataclass(slots=True)
class _Known:
    """An entity as stored, and what a batch changes of it."""

    row: int
    kind: str | None = None
    label: str | None = None
    names: list[str] = field(default_factory=list)
    stored: int = 0
    """How many of the names are in the file."""
    typed_anew: bool = False
    renamed: bool = False

    @property
    def changed(self) -> bool:
        """Whether its names or its type are not the stored ones."""
        return self.typed_anew or self.renamed or len(self.names) > self.stored


def keep_entities(
    connection: sqlite3.Connection, entities: Iterable[Entity], named: Iterable[EntityId]
) -> dict[EntityId, int]:
    """Store entities, and return id → row for them and for ``named`` ones.

    The first display name stays, other names become aliases, the first kind and label stay.  An entity that is only
    named is stored unresolved, under its id, until it is described (D-4, C-048).
    """
    said = list(entities)
    ids = {id_: bounded(id_) for id_ in [*(entity.id for entity in said), *named]}
    known = _load(connection, ids.values())
    fresh = next_row(connection, "entities")
    new: list[str] = []
    for id_ in ids.values():
        if id_ not in known:
            known[id_] = _Known(fresh)
            new.append(id_)
            fresh += 1
    for entity in said:
        _merge(known[ids[entity.id]], ids[entity.id], entity)
    for id_ in new:
        known[id_].names = known[id_].names or [id_]
    _write(connection, known, new)
    return {id_: known[key].row for id_, key in ids.items()}


def _load(connection: sqlite3.Connection, ids: Iterable[str]) -> dict[str, _Known]:
    found = all_rows(connection, query("entities_by_id"), {"ids": as_list(ids)})
    known: dict[str, _Known] = {}
    for id_, kind, label, names, row in found:
        list_ = json.loads(str(names))
        known[str(id_)] = _Known(int(str(row)), optional(kind), optional(label), list_, len(list_))
    return known


def _merge(known: _Known, id_: str, entity: Entity) -> None:
    names = [bounded(name.strip()) for name in (entity.name, *entity.aliases) if name.strip()]
    if known.kind is None and known.label is None:
        if entity.kind is not None or entity.label is not None:
            known.kind = None if entity.kind is None else entity.kind.value
            known.label, known.typed_anew = entity.label, True
        if known.names in ([], [id_]) and names and names[0] != id_:
            known.names, known.renamed = [], bool(known.stored)
    known.names.extend(name for name in dict.fromkeys(names) if name not in known.names)


def _write(connection: sqlite3.Connection, known: dict[str, _Known], new: list[str]) -> None:
    changed = [entity for entity in known.values() if entity.changed]
    connection.executemany(
        "INSERT INTO entities (row, id, kind, label) VALUES (?, ?, ?, ?)",
        [(known[id_].row, id_, known[id_].kind, known[id_].label) for id_ in new],
    )
    fresh = set(new)
    for id_, entity in known.items():
        if entity.typed_anew and id_ not in fresh:
            connection.execute(query("type_entity"), (entity.kind, entity.label, entity.row))
        if entity.renamed:
            connection.execute("DELETE FROM entity_names WHERE entity = ?", (entity.row,))
            entity.stored = 0
    connection.executemany(
        "INSERT INTO entity_names (entity, place, name, key) VALUES (?, ?, ?, ?)",
        [
            (entity.row, place, name, entity_key(name))
            for entity in known.values()
            for place, name in enumerate(entity.names)
            if place >= entity.stored
        ],
    )
    index_nodes(connection, [(entity.row, entity.names, entity.label or entity.kind or "") for entity in changed])


def index_nodes(connection: sqlite3.Connection, nodes: Iterable[tuple[int, Iterable[str], str]]) -> None:
    """Index the names and the type of entities anew: (row, names, type)."""
    rows = [(row, spaced(analyse(" ".join(names))), spaced(analyse(type_))) for row, names, type_ in nodes]
    connection.executemany("DELETE FROM nodes_fts WHERE rowid = ?", [(row[0],) for row in rows])
    connection.executemany("INSERT INTO nodes_fts (rowid, names, type) VALUES (?, ?, ?)", rows)
