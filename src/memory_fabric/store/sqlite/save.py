"""Saving a batch: one transaction, all or nothing (``ports.MemoryStore.save``)."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from memory_fabric.model.graph import EntityId
from memory_fabric.model.memory import MemoryId, ProjectId
from memory_fabric.ports import Batch, Saved
from memory_fabric.store.sqlite.buried import Buried, lift
from memory_fabric.store.sqlite.facts import (
    Keys,
    add_mentions,
    add_relations,
    evidence_rows,
    relations_on,
    require_order,
)
from memory_fabric.store.sqlite.indexing import (
    Part,
    close_session_texts,
    index_memories,
    open_session_texts,
    renumber,
    unindex_memories,
)
from memory_fabric.store.sqlite.ledger import keep_entry
from memory_fabric.store.sqlite.naming import keep_entities
from memory_fabric.store.sqlite.owners import keep_projects, keep_sessions
from memory_fabric.store.sqlite.plan import Plan, Write, digests_of, plan
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import millis, statement_content, to_json
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.store.sqlite.supersession import Touched, settle
from memory_fabric.text import clean


def save(connection: sqlite3.Connection, batch: Batch, digests: Mapping[MemoryId, bytes] | None = None) -> Saved:
    """Write a batch inside the caller's transaction; ``digests`` replaces those computed (for a restore).

    Raises:
        UsageError: an inverted interval, or a fact that rests on an unknown memory.
    """
    require_order(batch.relations)
    if batch.explicit:
        lift(connection, batch)
    projects = keep_projects(connection, batch.projects, _projects_named(batch))
    named = ((record.memory.origin.session, record.memory.origin.source) for record in batch.records)
    sessions = keep_sessions(connection, batch.sessions, named, projects)
    todo = plan(connection, batch, sessions, projects, digests_of(batch) if digests is None else digests)
    touched = _write_memories(connection, todo)
    relations = _write_facts(connection, batch, todo, projects, touched)
    settle(connection, touched)
    if batch.ledger is not None:
        keep_entry(connection, batch.ledger)
    return Saved(todo.added, todo.updated, todo.unchanged, todo.duplicates, len(todo.forgotten), relations)


def _projects_named(batch: Batch) -> list[ProjectId]:
    named = [session.project for session in batch.sessions]
    named += [record.memory.project for record in batch.records]
    named += [relation.project for relation in batch.relations]
    return [project for project in dict.fromkeys(named) if project is not None]


def _write_memories(connection: sqlite3.Connection, todo: Plan) -> set[Touched]:
    """Write the planned memories with their texts and statements; returns relations that went with replaced ones."""
    if not todo.writes:
        return set()
    parts: list[Part] = sorted({*todo.moved, *((w.session, w.project) for w in todo.writes)}, key=repr)
    close_session_texts(connection, parts)
    touched = _clear(connection, [write for write in todo.writes if write.replaces])
    connection.executemany(query("put_memory"), [_memory_columns(write) for write in todo.writes])
    connection.executemany(query("put_body"), [_body_columns(write) for write in todo.writes])
    index_memories(connection, ((write.row, write.record.memory) for write in todo.writes))
    connection.executemany(
        "INSERT INTO statements (memory, place, kind, category, content) VALUES (?, ?, ?, ?, ?)",
        [
            (write.row, place, statement.kind.value, statement.category, statement_content(statement))
            for write in todo.writes
            for place, statement in enumerate(write.record.statements)
        ],
    )
    renumber(connection, {session for session, _ in parts})
    open_session_texts(connection, parts)
    return touched


def _clear(connection: sqlite3.Connection, replaced: list[Write]) -> set[Touched]:
    """Remove what hangs on memories that are about to be replaced; vectors stay where the text stays."""
    if not replaced:
        return set()
    rows = {"rows": as_list(write.row for write in replaced)}
    touched = relations_on(connection, (write.row for write in replaced))
    unindex_memories(connection, (write.row for write in replaced))
    for name in ("drop_statements", "drop_mentions", "drop_relations"):
        connection.execute(query(name), rows)
    connection.execute(query("drop_vectors"), {"rows": as_list(write.row for write in replaced if not write.same_text)})
    return touched


def _memory_columns(write: Write) -> tuple[object, ...]:
    memory = write.record.memory
    order = (write.session, write.record.seq, write.record.part)
    return (write.row, memory.id, *order, memory.kind.value, write.project, millis(memory.at), write.digest)


def _body_columns(write: Write) -> tuple[object, ...]:
    memory, origin = write.record.memory, write.record.memory.origin
    lines = (origin.first_line, origin.last_line, origin.record)
    return (
        write.row,
        memory.text,
        to_json(memory.entities),
        to_json(memory.metadata),
        origin.source,
        origin.file,
        *lines,
    )


def _write_facts(
    connection: sqlite3.Connection, batch: Batch, todo: Plan, projects: Mapping[ProjectId, int], touched: set[Touched]
) -> int:
    """Write entities, mentions and relations of what was written; returns how many relations are new."""
    skipped = todo.forgotten | todo.left
    written = {write.record.memory.id: write.row for write in todo.writes}
    memories = evidence_rows(connection, batch, written, skipped)
    buried = Buried(connection, batch)
    relations = [r for r in batch.relations if r.evidence not in skipped and not buried.relation(r)]
    mentions = [m for m in batch.mentions if m.memory not in skipped and not buried.entity(m.entity)]
    named = {r.subject: None for r in relations} | {r.object: None for r in relations}
    named |= {m.entity: None for m in mentions}
    held = _named_by_skipped(batch, skipped) - named.keys()
    said = [e for e in batch.entities if e.id not in held and not buried.entity(e.id)]
    entities = keep_entities(connection, said, named)
    keys = Keys(memories, entities, projects)
    add_mentions(connection, mentions, keys)
    added, news = add_relations(connection, relations, keys)
    touched |= news
    return added


def _named_by_skipped(batch: Batch, skipped: set[MemoryId]) -> set[EntityId]:
    """Entities that only memories left out speak of: a forgotten memory must not bring back its names."""
    if not skipped:
        return set()
    named = {m.entity for m in batch.mentions if m.memory in skipped}
    for relation in batch.relations:
        if relation.evidence in skipped:
            named |= {relation.subject, relation.object}
    return named


def repaired(batch: Batch) -> Batch:
    """The same batch with lone surrogates replaced in every text (C-006)."""
    import msgspec

    return msgspec.convert(_cleaned(msgspec.to_builtins(batch)), Batch)


def _cleaned(value: object) -> object:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    if isinstance(value, Iterable):
        return [_cleaned(item) for item in value]
    return value
