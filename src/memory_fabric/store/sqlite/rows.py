"""Rows of the file to values and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import lru_cache

from memory_fabric.clock import from_millis, to_millis
from memory_fabric.model.graph import Entity, EntityId, Relation, RelationOrigin
from memory_fabric.model.memory import (
    Memory,
    MemoryId,
    MemoryKind,
    Origin,
    ProjectId,
    Session,
    SessionId,
    Statement,
    StatementKind,
)
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.text import clean

NAME_LIMIT = 1000
"""Characters of a name kept whole; longer ones are cut and end in a hash (C-063)."""

Row = tuple[object, ...]


@lru_cache(maxsize=50_000)
def bounded(name: str) -> str:
    """A name of at most 1,000 characters: a longer one keeps its beginning and a hash of all of it (C-063)."""
    name = clean(name)
    if len(name) <= NAME_LIMIT:
        return name
    import hashlib

    mark = "…" + hashlib.sha256(name.encode()).hexdigest()[:16]
    return name[: NAME_LIMIT - len(mark)] + mark


def millis(at: datetime | None) -> int | None:
    """An instant as it is stored."""
    return None if at is None else to_millis(at)


def instant(value: object) -> datetime | None:
    """A stored instant."""
    return from_millis(value) if isinstance(value, int) else None


def to_json(value: object) -> str:
    """Compact JSON; lone surrogates are escaped, so that every text can be stored."""
    return json.dumps(value, separators=(",", ":"), default=_plain)


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Iterable):
        return list(value)
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def optional(value: object) -> str | None:
    """A text column that may be null."""
    return None if value is None else str(value)


def number(value: object) -> int | None:
    """An integer column that may be null."""
    return value if isinstance(value, int) else None


def all_rows(connection: sqlite3.Connection, statement: str, values: object = ()) -> list[Row]:
    """Every row of a query."""
    return list(connection.execute(statement, values))  # type: ignore[arg-type]


def memory_of(row: Row) -> Memory:
    """A memory from the columns of ``v_memory`` (see queries.sql)."""
    id_, text, kind, project, at, source, session, file, first, last, record, entities, metadata = row
    return Memory(
        id=MemoryId(str(id_)),
        text=str(text),
        kind=MemoryKind(str(kind)),
        project=None if project is None else ProjectId(str(project)),
        at=instant(at),
        origin=Origin(
            str(source), SessionId(str(session)), optional(file), number(first), number(last), optional(record)
        ),
        entities=tuple(json.loads(str(entities))),
        metadata=json.loads(str(metadata)),
    )


def session_of(row: Row) -> Session:
    """A session from its columns, in the order of the value's fields."""
    id_, source, project, cwd, title, started, ended, models, parent, file = row
    return Session(
        SessionId(str(id_)),
        str(source),
        None if project is None else ProjectId(str(project)),
        optional(cwd),
        optional(title),
        instant(started),
        instant(ended),
        tuple(json.loads(str(models))),
        None if parent is None else SessionId(str(parent)),
        optional(file),
    )


def entity_of(row: Row) -> Entity:
    """An entity from id, kind, label and its names as a JSON list, the display name first."""
    id_, kind, label, names = row
    display, *aliases = json.loads(str(names))
    return Entity(
        EntityId(str(id_)), display, None if kind is None else Kind(str(kind)), tuple(aliases), optional(label)
    )


def relation_of(row: Row) -> Relation:
    """A relation from its columns, in the order of the value's fields."""
    subject, predicate, object_, label, origin, project, begins, ends, recorded, evidence, line = row
    return Relation(
        EntityId(str(subject)),
        None if predicate is None else Predicate(str(predicate)),
        EntityId(str(object_)),
        str(label),
        RelationOrigin(str(origin)),
        None if project is None else ProjectId(str(project)),
        instant(begins),
        instant(ends),
        instant(recorded),
        None if evidence is None else MemoryId(str(evidence)),
        number(line),
    )


def statement_of(content: object) -> Statement:
    """A statement from its JSON."""
    kind, text, confidence, speaker, category, choice, alternatives, rationale, *rest = json.loads(str(content))
    constraints, tradeoffs, entities, position = rest
    return Statement(
        StatementKind(kind),
        text,
        confidence,
        speaker,
        category,
        choice,
        tuple(alternatives),
        rationale,
        tuple(constraints),
        tuple(tradeoffs),
        tuple(entities),
        position,
    )


def statement_content(statement: Statement) -> str:
    """A statement as JSON: a list in the order of its fields."""
    return to_json(
        [
            statement.kind.value,
            statement.text,
            statement.confidence,
            statement.speaker,
            statement.category,
            statement.choice,
            statement.alternatives,
            statement.rationale,
            statement.constraints,
            statement.tradeoffs,
            statement.entities,
            statement.position,
        ]
    )
