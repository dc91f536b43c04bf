"""Which records of a batch are written: new and changed ones, but not copies, and nothing that was forgotten."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_fabric.model.memory import Memory, MemoryId, ProjectId, SessionId
from memory_fabric.store.sqlite.owners import KnownSession, comes_first, known_sessions, next_row
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import Row, all_rows, millis, to_json
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.text import text_hash

if TYPE_CHECKING:
    from memory_fabric.ports import Batch, Record


@dataclass(frozen=True, slots=True)
class Write:
    """One record to be written at ``row``."""

    record: Record
    row: int
    session: int
    project: int | None
    digest: bytes
    replaces: bool = False
    same_text: bool = False


@dataclass(slots=True)
class Plan:
    """What a batch comes to."""

    writes: list[Write] = field(default_factory=list)
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    duplicates: int = 0
    forgotten: set[MemoryId] = field(default_factory=set)
    left: set[MemoryId] = field(default_factory=set)
    """Records of this batch that stay as they are stored, with the facts that rest on them."""
    moved: set[tuple[int, int | None]] = field(default_factory=set)
    """(session, project) that a replaced memory had before."""


def plan(
    connection: sqlite3.Connection,
    batch: Batch,
    sessions: Mapping[SessionId, KnownSession],
    projects: Mapping[ProjectId, int],
    digests: Mapping[MemoryId, bytes],
) -> Plan:
    """Sort the records of a batch (see ``MemoryStore.save``); a second record of one id is a duplicate."""
    result = Plan(forgotten=forgotten(connection, batch.records))
    ids = as_list(record.memory.id for record in batch.records)
    stored = {str(row[0]): row for row in all_rows(connection, query("stored_memories"), {"ids": ids})}
    owners = dict(sessions) | known_sessions(
        connection, {SessionId(str(row[2])) for row in stored.values()} - {*sessions}
    )
    fresh = next_row(connection, "memories")
    seen: set[MemoryId] = set()
    for record in batch.records:
        memory = record.memory
        if memory.id in result.forgotten:
            continue
        if memory.id in seen:
            result.duplicates += 1
            continue
        seen.add(memory.id)
        session = sessions[memory.origin.session]
        project = None if memory.project is None else projects[memory.project]
        digest = digests[memory.id]
        if (old := stored.get(memory.id)) is None:
            result.writes.append(Write(record, fresh, session.row, project, digest))
            result.added += 1
            fresh += 1
            continue
        owner = owners[SessionId(str(old[2]))]
        keeper = _keeper(connection, old, owner, session, memory)
        if keeper is None:
            result.duplicates += 1
            result.left.add(memory.id)
        elif owner.row == session.row and old[5] == digest:
            result.unchanged += 1
            result.left.add(memory.id)
        else:
            result.moved.add((int(str(old[3])), None if old[4] is None else int(str(old[4]))))
            same = connection.execute(query("same_text"), (old[1], memory.text)).fetchone() is not None
            result.writes.append(Write(record, int(str(old[1])), keeper, project, digest, True, same))
            result.updated += 1
    return result


def _keeper(
    connection: sqlite3.Connection, old: Row, owner: KnownSession, session: KnownSession, memory: Memory
) -> int | None:
    """The row of the session that keeps a memory which is stored already; None: this one is only a copy.

    The first session that held it keeps it.  A later copy that goes on where the stored exchange breaks off only gives
    it its words: an exchange cut off in the middle of a reply stands whole only where it was resumed (C-016).
    """
    if owner.row == session.row or comes_first(session.session, owner.session):
        return session.row
    goes_on = connection.execute(query("begins"), (old[1], memory.text)).fetchone() is not None
    return owner.row if goes_on else None


def forgotten(connection: sqlite3.Connection, records: tuple[Record, ...]) -> set[MemoryId]:
    """The records that a tombstone holds back, by id or by text (decision 11)."""
    if connection.execute("SELECT 1 FROM tombstones").fetchone() is None:
        return set()
    hashes = {record.memory.id: text_hash(record.memory.text) for record in records}
    values = {"ids": as_list(hashes), "hashes": as_list(set(hashes.values()))}
    found = all_rows(connection, query("tombstones_of"), values)
    ids, texts = {str(row[0]) for row in found}, {str(row[1]) for row in found}
    return {id_ for id_, hash_ in hashes.items() if id_ in ids or hash_ in texts}


def digests_of(batch: Batch) -> dict[MemoryId, bytes]:
    """A digest of all that the batch says about each record; when it was recorded does not count."""
    relations: dict[MemoryId, list[object]] = defaultdict(list)
    for r in batch.relations:
        if r.evidence is not None:
            ends = (millis(r.valid_from), millis(r.valid_to))
            relations[r.evidence].append((r.subject, r.predicate, r.object, r.label, r.origin, r.project, ends, r.line))
    mentions: dict[MemoryId, list[str]] = defaultdict(list)
    for mention in batch.mentions:
        mentions[mention.memory].append(mention.entity)
    return {
        record.memory.id: _digest(record, relations[record.memory.id], mentions[record.memory.id])
        for record in reversed(batch.records)
    }


def _digest(record: Record, relations: list[object], mentions: list[str]) -> bytes:
    m, o = record.memory, record.memory.origin
    origin = (o.source, o.file, o.first_line, o.last_line, o.record)
    statements = [[getattr(s, name) for name in s.__dataclass_fields__] for s in record.statements]
    said = (m.text, m.kind, m.project, millis(m.at), origin, m.entities, m.metadata, record.seq, record.part)
    return hashlib.blake2b(to_json((said, statements, relations, mentions)).encode(), digest_size=16).digest()
