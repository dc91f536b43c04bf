"""Relations and mentions as rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_fabric.errors import UsageError
from memory_fabric.model.graph import EntityId, Mention, Relation
from memory_fabric.model.memory import MemoryId, ProjectId
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, millis, number
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.store.sqlite.supersession import Touched

if TYPE_CHECKING:
    from memory_fabric.ports import Batch


@dataclass(frozen=True, slots=True)
class Keys:
    """Ids → rows of all that the facts of a batch name."""

    memories: Mapping[MemoryId, int]
    entities: Mapping[EntityId, int]
    projects: Mapping[ProjectId, int]


def require_order(relations: Iterable[Relation]) -> None:
    """Refuse intervals that end before they begin: no question could find them (C-060).

    Raises:
        UsageError: names the first such relation.
    """
    for r in relations:
        if r.valid_from is not None and r.valid_to is not None and r.valid_to < r.valid_from:
            raise UsageError(
                f"{r.subject} {r.label} {r.object}: it would end ({r.valid_to.isoformat()}) "
                f"before it begins ({r.valid_from.isoformat()})",
                "Swap the two dates, or leave one out.",
            )


def evidence_rows(
    connection: sqlite3.Connection, batch: Batch, written: Mapping[MemoryId, int], skipped: set[MemoryId]
) -> dict[MemoryId, int]:
    """The rows of all memories that relations and mentions rest on; forgotten ones are added to ``skipped``.

    Raises:
        UsageError: one is neither in the batch nor in the store.
    """
    named = {r.evidence for r in batch.relations if r.evidence is not None} | {m.memory for m in batch.mentions}
    others = named - skipped - written.keys()
    if not others:
        return dict(written)
    ids = {"ids": as_list(others)}
    rows = {MemoryId(str(id_)): int(str(row)) for id_, row in all_rows(connection, query("memory_rows"), ids)}
    gone = {str(row[0]) for row in all_rows(connection, query("tombstones_by_id"), ids)}
    for id_ in sorted(others - rows.keys()):
        if id_ not in gone:
            raise UsageError(f"A fact rests on the memory {id_}, which is not stored", "Save the memory with it.")
        skipped.add(id_)
    return rows | dict(written)


def add_relations(
    connection: sqlite3.Connection, relations: Sequence[Relation], keys: Keys
) -> tuple[int, set[Touched]]:
    """Store relations, equal ones once; an equal one that now carries ``valid_to`` ends the stored one.

    Returns how many are new, and what to settle.
    """
    rows = [
        (
            keys.entities[r.subject],
            None if r.predicate is None else r.predicate.value,
            r.label,
            keys.entities[r.object],
            r.origin.value,
            None if r.project is None else keys.projects[r.project],
            millis(r.valid_from),
            millis(r.valid_to),
            millis(r.recorded_at),
            None if r.evidence is None else keys.memories[r.evidence],
            r.line,
        )
        for r in relations
    ]
    added = connection.executemany(query("add_relation"), rows).rowcount if rows else 0
    ended = [(r[7], r[0], r[1], r[2], r[3], r[9], r[5]) for r in rows if r[7] is not None]
    connection.executemany(query("end_relation"), ended)
    return added, {Touched(r[0], r[1], r[3], r[5]) for r in rows}


def add_mentions(connection: sqlite3.Connection, mentions: Sequence[Mention], keys: Keys) -> None:
    """Store mentions, each once, in order of appearance."""
    connection.executemany(
        query("add_mention"),
        [(keys.entities[m.entity], place, keys.memories[m.memory]) for place, m in enumerate(mentions)],
    )


def relations_on(connection: sqlite3.Connection, memories: Iterable[int]) -> set[Touched]:
    """The relations that rest on these rows of memories."""
    found = all_rows(connection, query("relations_on"), {"rows": as_list(memories)})
    return {
        Touched(int(str(s)), None if p is None else str(p), int(str(o)), number(project)) for s, p, o, project in found
    }
