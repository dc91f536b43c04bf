"""The graph as clients of the official memory server write it (``ports.NodeStore``): a transaction a call."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_fabric.clock import to_millis
from memory_fabric.errors import UsageError
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation, RelationOrigin
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, Session, SessionId
from memory_fabric.model.nodes import CreatedLinks, CreatedNodes, Link, Node, Observations
from memory_fabric.model.vocabulary import kind_of, predicate_of
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite import journal
from memory_fabric.store.sqlite.buried import ENTITY, RELATION, bury, relation_key
from memory_fabric.store.sqlite.forget import drop_unused, forget
from memory_fabric.store.sqlite.naming import index_nodes
from memory_fabric.store.sqlite.node_rows import link_of, node_of
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, bounded, number, optional
from memory_fabric.store.sqlite.save import save
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.store.sqlite.supersession import Touched, settle
from memory_fabric.text import entity_key

OBSERVATION = "observation"
"""Source system of what a client observed (``Origin.source``)."""

UNTYPED = "node"
"""Begins the id of an entity whose type is outside the vocabulary, or not told yet."""


@dataclass(frozen=True, slots=True)
class _Stored:
    """An entity as stored."""

    id: EntityId
    row: int
    declared: int | None
    described: bool


def create_nodes(connection: sqlite3.Connection, nodes: Sequence[Node], at: datetime) -> CreatedNodes:
    """Add the entities that no client created yet, with their observations."""
    known = _best(connection, (node.name for node in nodes))
    new: dict[str, Node] = {}
    ignored: list[Observations] = []
    for node in nodes:
        key = key_of(node.name)
        if key not in new and (key not in known or known[key].declared is None):
            new[key] = Node(node.name, node.type, tuple(dict.fromkeys(node.observations)))
        elif extra := tuple(text for text in node.observations if key not in new or text not in new[key].observations):
            ignored.append(Observations(node.name, extra))
    ids = {key: known[key].id if key in known else new_id(node) for key, node in new.items()}
    _unbury_names(connection, new)
    entities = tuple(Entity(ids[key], node.name, kind_of(node.type), label=node.type) for key, node in new.items())
    save(connection, Batch(entities=entities, explicit=True))
    rows = _rows(connection, ids.values())
    for key, node in new.items():
        _declare(connection, rows[ids[key]], node, at)
        _observe(connection, _Stored(ids[key], rows[ids[key]], to_millis(at), True), node.name, node.observations, at)
    return CreatedNodes(tuple(new.values()), tuple(ignored))


def _declare(connection: sqlite3.Connection, row: int, node: Node, at: datetime) -> None:
    """Mark an entity as a client's, under the name and type that the client gave, whatever was read of it before."""
    kind = kind_of(node.type)
    connection.execute(query("declare"), (to_millis(at), None if kind is None else kind.value, node.type, row))
    stored = all_rows(connection, "SELECT name FROM entity_names WHERE entity = ? ORDER BY place", (row,))
    names = list(dict.fromkeys([bounded(node.name.strip()), *(str(name[0]) for name in stored)]))
    connection.execute("DELETE FROM entity_names WHERE entity = ?", (row,))
    connection.executemany(
        "INSERT INTO entity_names (entity, place, name, key) VALUES (?, ?, ?, ?)",
        [(row, place, name, entity_key(name)) for place, name in enumerate(names)],
    )
    index_nodes(connection, [(row, names, node.type)])


def create_links(connection: sqlite3.Connection, links: Sequence[Link], at: datetime) -> CreatedLinks:
    """Add the links that are new, and name the ends that nobody described yet."""
    names = {key_of(name): name for link in links for name in (link.end, link.start)}
    known = _best(connection, names.values())
    ids = {key: known[key].id if key in known else EntityId(f"{UNTYPED}:{key}") for key in names}
    written = {(r[0], r[1], r[2]) for r in all_rows(connection, query("written_links"), {"ids": as_list(ids.values())})}
    new: dict[Link, Relation] = {}
    for link in dict.fromkeys(links):
        relation = _relation(link, ids, at)
        fact = (relation.subject, relation.label, relation.object)
        if fact not in written:
            written.add(fact)
            new[link] = relation
    ends = dict.fromkeys(key_of(name) for link in new for name in (link.start, link.end))
    _unbury_names(connection, ends)
    named = tuple(Entity(ids[key], names[key], None) for key in ends if key not in known)
    save(connection, Batch(entities=named, relations=tuple(new.values()), explicit=True))
    waiting = [names[key] for key in ends if key not in known or not known[key].described]
    return CreatedLinks(tuple(new), tuple(waiting))


def _relation(link: Link, ids: Mapping[str, EntityId], at: datetime) -> Relation:
    canonical = predicate_of(link.relation)
    start, end = ids[key_of(link.start)], ids[key_of(link.end)]
    if canonical is not None and canonical.inverted:
        start, end = end, start
    predicate = None if canonical is None else canonical.predicate
    return Relation(start, predicate, end, link.relation, RelationOrigin.STATED, valid_from=at, recorded_at=at)


def add_observations(
    connection: sqlite3.Connection, additions: Sequence[Observations], at: datetime
) -> list[Observations]:
    """Add what is new of each entity.

    Raises:
        UsageError: an entity is not known.
    """
    known = _best(connection, (each.entity for each in additions))
    added: list[Observations] = []
    for each in additions:
        stored = known.get(key_of(each.entity))
        if stored is None or not stored.described:
            raise UsageError(f"Entity with name {each.entity} not found", "Create it first; nothing was written.")
        connection.execute(query("keep_declared"), (to_millis(at), stored.row))
        added.append(Observations(each.entity, _observe(connection, stored, each.entity, each.contents, at)))
    return added


def _observe(
    connection: sqlite3.Connection, entity: _Stored, name: str, contents: Iterable[str], at: datetime
) -> tuple[str, ...]:
    """Keep the texts that are not observed of the entity yet, each as a memory of its own; returns those."""
    known = {str(row[0]) for row in all_rows(connection, query("observed"), (entity.row,))}
    fresh = tuple(text for text in dict.fromkeys(contents) if text not in known)
    session = SessionId(f"entity:{entity.id}")
    records, mentions = [], []
    for part, text in enumerate(fresh):
        memory = observation_id(entity.id, text)
        records.append(Record(_memory(memory, name, text, session, at), to_millis(at), part))
        mentions.append(Mention(memory, entity.id))
    sessions = (Session(session, OBSERVATION, title=name, started_at=at, ended_at=at),) if fresh else ()
    save(connection, Batch(sessions=sessions, records=tuple(records), mentions=tuple(mentions), explicit=True))
    for text in fresh:
        values = (entity.row, text, to_millis(at), observation_id(entity.id, text))
        connection.execute(query("add_observation"), values)
    return fresh


def _memory(id_: MemoryId, name: str, text: str, session: SessionId, at: datetime) -> Memory:
    origin = Origin(OBSERVATION, session)
    return Memory(id_, f"{name}: {text}", MemoryKind.NOTE, None, at, origin, (name,), {"observation": text})


def observation_id(entity: EntityId, text: str) -> MemoryId:
    """The id of an observation: the same words of the same entity are one."""
    return MemoryId("m_" + hashlib.sha256(f"{OBSERVATION}\0{entity}\0{text}".encode()).hexdigest()[:20])


def observe(connection: sqlite3.Connection, memory: MemoryId, entities: Sequence[str], text: str, at: datetime) -> None:
    """Make a stored memory an observation of these entities."""
    for stored in _best(connection, entities).values():
        connection.execute(query("add_observation"), (stored.row, text, to_millis(at), memory))


def delete_nodes(connection: sqlite3.Connection, names: Sequence[str], at: datetime) -> int:
    """Remove entities with their observations and links, and keep them away."""
    found = [stored for same in _named(connection, names).values() for stored in same]
    for stored in found:
        rows = all_rows(connection, query("nodes_by_row"), {"rows": as_list([stored.row])})
        links = all_rows(connection, query("links_at"), {"rows": as_list([stored.row])})
        journal.enter(connection, "delete_entity", at, {"node": node_of(rows[0]), "links": [link_of(r) for r in links]})
        observed = [str(row[1]) for row in all_rows(connection, query("observed"), (stored.row,))]
        connection.execute("DELETE FROM observations WHERE entity = ?", (stored.row,))
        _drop_relations(connection, all_rows(connection, query("relations_of_entity"), (stored.row,)))
        for statement in ("DELETE FROM mentions WHERE entity = ?", "DELETE FROM nodes_fts WHERE rowid = ?"):
            connection.execute(statement, (stored.row,))
        # An observation may hold relations of others, so it goes while its entity is still there to be spoken of.
        _forget_unobserved(connection, observed, at)
        connection.execute("DELETE FROM entities WHERE row = ?", (stored.row,))
    bury(connection, ENTITY, [stored.id for stored in found], at)
    return sum(stored.described for stored in found)


def delete_observations(connection: sqlite3.Connection, deletions: Sequence[Observations], at: datetime) -> int:
    """Remove observations of entities, and keep them away."""
    known = _best(connection, (each.entity for each in deletions))
    count = 0
    for each in deletions:
        stored = known.get(key_of(each.entity))
        if stored is None:
            continue
        held = {str(text): str(memory) for text, memory in all_rows(connection, query("observed"), (stored.row,))}
        gone = [text for text in dict.fromkeys(each.contents) if text in held]
        if not gone:
            continue
        journal.enter(connection, "delete_observations", at, {"entity": each.entity, "contents": gone})
        connection.execute(query("drop_observations"), {"entity": stored.row, "texts": as_list(gone)})
        connection.execute(query("keep_declared"), (to_millis(at), stored.row))
        _forget_unobserved(connection, [held[text] for text in gone], at)
        count += len(gone)
    return count


def delete_links(connection: sqlite3.Connection, links: Sequence[Link], at: datetime) -> int:
    """Remove links, whoever said them, and keep them away."""
    known = _best(connection, (name for link in links for name in (link.start, link.end)))
    ids = {key: stored.id for key, stored in known.items()}
    rows_of = {stored.id: stored.row for stored in known.values()}
    count = 0
    for link in dict.fromkeys(links):
        if not {key_of(link.start), key_of(link.end)} <= ids.keys():
            continue
        relation = _relation(link, ids, at)
        ends = (rows_of[relation.subject], rows_of[relation.object])
        rows = all_rows(connection, query("relations_between"), (*ends, link.relation))
        if not rows:
            continue
        journal.enter(connection, "delete_relation", at, {"link": link})
        _drop_relations(connection, rows)
        bury(connection, RELATION, [relation_key(relation.subject, link.relation, relation.object)], at)
        drop_unused(connection, ends)
        count += 1
    return count


def _drop_relations(connection: sqlite3.Connection, rows: Sequence[tuple[object, ...]]) -> None:
    touched = {Touched(int(str(s)), optional(p), int(str(o)), number(j)) for _, s, p, o, j in rows}
    connection.execute(query("drop_relations_by_row"), {"rows": as_list(row[0] for row in rows)})
    settle(connection, touched)


def _forget_unobserved(connection: sqlite3.Connection, memories: Sequence[str], at: datetime) -> None:
    """Forget memories that were observations and are none any more."""
    gone = all_rows(connection, query("only_observed"), {"ids": as_list(memories)})
    forget(connection, [MemoryId(str(row[0])) for row in gone], "its observation was deleted", at)


def key_of(name: str) -> str:
    """Under which names are one entity (C-050)."""
    return entity_key(bounded(name.strip()))


def new_id(node: Node) -> EntityId:
    """The id that extraction gives the same thing, so that both meet; a type outside the vocabulary has its own."""
    return EntityId(f"{kind_of(node.type) or UNTYPED}:{key_of(node.name)}")


def _unbury_names(connection: sqlite3.Connection, keys: Iterable[str]) -> None:
    """Let entities of these names in again, whatever kind they were read as."""
    connection.execute(query("unbury_names"), {"keys": as_list(keys)})


def _best(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, _Stored]:
    """Key → the entity that a name stands for: one that a client created before one that was read."""
    return {key: same[0] for key, same in _named(connection, names).items()}


def _named(connection: sqlite3.Connection, names: Iterable[str]) -> dict[str, list[_Stored]]:
    """Key → all entities shown under this name, best first (F-ERR-12)."""
    keys = as_list(dict.fromkeys(key_of(name) for name in names))
    found: dict[str, list[_Stored]] = {}
    for key, id_, row, declared, kind, label in all_rows(connection, query("named"), {"keys": keys}):
        described = kind is not None or label is not None
        found.setdefault(str(key), []).append(_Stored(EntityId(str(id_)), int(str(row)), number(declared), described))
    return found


def _rows(connection: sqlite3.Connection, ids: Iterable[EntityId]) -> dict[EntityId, int]:
    found = all_rows(connection, query("entities_by_id"), {"ids": as_list(ids)})
    return {EntityId(str(row[0])): int(str(row[4])) for row in found}
