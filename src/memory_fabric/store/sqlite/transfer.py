"""The whole store as JSON objects and back, without vectors (made again) and ledger (belongs to one machine)."""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from memory_fabric.errors import UsageError
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation
from memory_fabric.model.memory import Memory, MemoryId, Project, Session, Statement
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.facts import require_order
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import (
    all_rows,
    bounded,
    entity_of,
    instant,
    memory_of,
    relation_of,
    session_of,
    statement_of,
)
from memory_fabric.store.sqlite.save import save
from memory_fabric.store.sqlite.scope import as_list

_CHUNK = 500
"""Rows restored at a time, to bound memory; all chunks are one transaction."""

_STATEMENTS = {"declared": "restore_declared", "observation": "restore_observation", "buried": "restore_buried"}
"""Type of row → the query that writes it."""

_Value = TypeVar("_Value")


def dump(connections: Connections) -> Iterator[dict[str, object]]:
    """Everything, in an order that ``restore`` takes; one state of the store, however long the reader takes."""
    with connections.reading() as connection:
        for row in connection.execute(query("dump_projects")):
            yield {"type": "project", **_plain(Project(*row))}
        for row in connection.execute(query("all_sessions")):
            yield {"type": "session", **_plain(session_of(row))}
        for row in connection.execute(query("dump_entities")):
            yield {"type": "entity", **_plain(entity_of(row))}
        for seq, part, digest, statements, mentions, *row in connection.execute(query("dump_memories")):
            yield {
                "type": "memory",
                **_plain(memory_of(tuple(row))),
                "seq": seq,
                "part": part,
                "digest": digest.lower(),
                "statements": [_plain(statement_of(json.dumps(content))) for content in json.loads(statements)],
                "mentions": json.loads(mentions),
            }
        for stated_end, *row in connection.execute(query("dump_relations")):
            yield {"type": "relation", **_plain(replace(relation_of(tuple(row)), valid_to=instant(stated_end)))}
        for entity, at in connection.execute(query("dump_declared")):
            yield {"type": "declared", "entity": entity, "at": _plain(instant(at))}
        for entity, memory, text, at in connection.execute(query("dump_observations")):
            yield {"type": "observation", "entity": entity, "memory": memory, "text": text, "at": _plain(instant(at))}
        # Last, so that they do not hold back a memory that says the same and was kept.
        for row in connection.execute(query("dump_tombstones")):
            yield {
                "type": "tombstone",
                "id": row[0],
                "text_hash": row[1],
                "reason": row[2],
                "at": _plain(instant(row[3])),
            }
        for what, key, at in connection.execute("SELECT what, key, at FROM buried ORDER BY what, key"):
            yield {"type": "buried", "what": what, "key": key, "at": _plain(instant(at))}


def _plain(value: object) -> Any:
    """A value as JSON would give it back: lists, not tuples; text, not instants."""
    import msgspec

    return msgspec.json.decode(msgspec.json.encode(value))


@dataclass(frozen=True, slots=True)
class _Tombstone:
    id: str
    text_hash: str
    reason: str
    at: str


@dataclass(frozen=True, slots=True)
class _Declared:
    entity: str
    at: str


@dataclass(frozen=True, slots=True)
class _Observation:
    entity: str
    memory: str
    text: str
    at: str


@dataclass(frozen=True, slots=True)
class _Buried:
    what: str
    key: str
    at: str


@dataclass(frozen=True, slots=True)
class _Rest:
    """What a memory's row holds beside the memory."""

    seq: int
    part: int = 0
    digest: str = ""
    statements: tuple[Statement, ...] = ()
    mentions: tuple[EntityId, ...] = ()


@dataclass(slots=True)
class _Chunk:
    """Rows read and not yet written."""

    projects: list[Project] = field(default_factory=list)
    sessions: list[Session] = field(default_factory=list)
    entities: list[Entity] = field(default_factory=list)
    records: list[Record] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)
    tombstones: list[tuple[str, str, str, int]] = field(default_factory=list)
    digests: dict[MemoryId, bytes] = field(default_factory=dict)
    rows: dict[str, list[tuple[object, ...]]] = field(default_factory=lambda: defaultdict(list))
    """What is written by one statement a row: type → its values."""
    size: int = 0


def restore(connections: Connections, rows: Iterable[Mapping[str, object]]) -> dict[str, int]:
    """Take what ``dump`` gave; rows that exist stay.  Returns how many were new, by type.

    Raises:
        UsageError: a row that is not of our form, named by its number (from 1); nothing was written.
    """
    counts = dict.fromkeys(("project", "session", "entity", "memory", "relation", "tombstone"), 0)
    with connections.atomic() as connection:
        chunk = _Chunk()
        for index, row in enumerate(rows, start=1):
            _take(chunk, index, row)
            if chunk.size >= _CHUNK:
                _write(connection, chunk, counts)
                chunk = _Chunk()
        _write(connection, chunk, counts)
    return counts


def _take(chunk: _Chunk, index: int, row: Mapping[str, object]) -> None:
    chunk.size += 1
    what = row.get("type") if isinstance(row, Mapping) else None
    if what == "project":
        chunk.projects.append(_read(index, row, Project))
    elif what == "session":
        chunk.sessions.append(_read(index, row, Session))
    elif what == "entity":
        chunk.entities.append(_read(index, row, Entity))
    elif what == "relation":
        relation = _read(index, row, Relation)
        _ordered(index, relation)
        chunk.relations.append(relation)
    elif what == "memory":
        _take_memory(chunk, index, row)
    elif what == "tombstone":
        stone = _read(index, row, _Tombstone)
        chunk.tombstones.append((stone.id, stone.text_hash, stone.reason, _millis(index, stone.at)))
    elif what == "declared":
        declared = _read(index, row, _Declared)
        chunk.rows[what].append((_millis(index, declared.at), declared.entity))
    elif what == "observation":
        seen = _read(index, row, _Observation)
        chunk.rows[what].append((seen.text, _millis(index, seen.at), seen.entity, seen.memory))
    elif what == "buried":
        buried = _read(index, row, _Buried)
        chunk.rows[what].append((buried.what, buried.key, _millis(index, buried.at)))
    else:
        raise UsageError(f"Row {index} is not one of ours: its type is {what!r}", "Use a file that `export` wrote.")


def _take_memory(chunk: _Chunk, index: int, row: Mapping[str, object]) -> None:
    memory, rest = _read(index, row, Memory), _read(index, row, _Rest)
    chunk.records.append(Record(memory, rest.seq, rest.part, rest.statements))
    chunk.mentions += [Mention(memory.id, entity) for entity in rest.mentions]
    try:
        chunk.digests[memory.id] = bytes.fromhex(rest.digest)
    except ValueError:
        raise UsageError(f"Row {index} (memory) has a digest that is not hexadecimal") from None


def _read(index: int, row: Mapping[str, object], form: type[_Value]) -> _Value:
    import msgspec

    try:
        return msgspec.convert(dict(row), form)
    except msgspec.ValidationError as error:
        raise UsageError(f"Row {index} ({row.get('type')}) is not one of ours: {error}") from error


def _ordered(index: int, relation: Relation) -> None:
    try:
        require_order((relation,))
    except UsageError as error:
        raise UsageError(f"Row {index}: {error.message}", error.hint) from error


def _millis(index: int, at: str) -> int:
    from memory_fabric.clock import parse_instant, to_millis

    moment = parse_instant(at)
    if moment is None:
        raise UsageError(f"Row {index} has no time: {at!r}")
    return to_millis(moment)


def _write(connection: sqlite3.Connection, chunk: _Chunk, counts: dict[str, int]) -> None:
    projects = _missing(connection, "projects", {p.id: p for p in chunk.projects})
    sessions = _missing(connection, "sessions", {s.id: s for s in chunk.sessions})
    entities = _missing(connection, "entities", {bounded(e.id): e for e in chunk.entities})
    records = _missing(connection, "memories", {r.memory.id: r for r in chunk.records})
    there = {record.memory.id for record in chunk.records} - {record.memory.id for record in records}
    mentions = [mention for mention in chunk.mentions if mention.memory not in there]
    saved = save(
        connection,
        Batch(
            tuple(projects),
            tuple(sessions),
            tuple(records),
            tuple(chunk.entities),
            tuple(chunk.relations),
            tuple(mentions),
        ),
        chunk.digests,
    )
    before = connection.total_changes
    connection.executemany(query("add_tombstone"), chunk.tombstones)
    counts["tombstone"] += connection.total_changes - before
    for what, rows in chunk.rows.items():
        counts[what] = counts.get(what, 0) + connection.executemany(query(_STATEMENTS[what]), rows).rowcount
    counts["project"] += len(projects)
    counts["session"] += len(sessions)
    counts["entity"] += len(entities)
    counts["memory"] += saved.added
    counts["relation"] += saved.relations


def _missing(connection: sqlite3.Connection, table: str, values: Mapping[str, _Value]) -> list[_Value]:
    """Those whose id is not in the table yet, each once."""
    found = all_rows(
        connection, f"SELECT id FROM {table} WHERE id IN (SELECT value FROM json_each(?))", (as_list(values),)
    )
    stored = {row[0] for row in found}
    return [value for id_, value in values.items() if id_ not in stored]
