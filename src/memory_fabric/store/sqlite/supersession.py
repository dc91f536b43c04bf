"""When a later statement ends an earlier one (decision 9): a pure function of the relations that are stored.

``closed_at`` is worked out anew for the facts that a change may touch, so the order in which files are read does not
matter, and a fact whose successor is forgotten holds again.  Two rules, each inside one project:

- a single-valued predicate: another object, said later, ends the earlier object;
- ``A replaces B`` ends every ``X uses B`` that was said before it or with it.

An undated statement counts as older than every dated one, and ends nothing.
"""

from __future__ import annotations

import sqlite3
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from memory_fabric.model.vocabulary import SINGLE_VALUED, Predicate
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import Row, all_rows, number
from memory_fabric.store.sqlite.scope import as_list


@dataclass(frozen=True, slots=True)
class Fact:
    """What decides about one stored relation."""

    row: int
    predicate: str
    object: int
    begins: int | None
    """``valid_from`` in milliseconds."""
    closed: int | None = None


@dataclass(frozen=True, slots=True)
class Touched:
    """A relation that came or went: its subject, predicate, object and project by their rows."""

    subject: int
    predicate: str | None
    object: int
    project: int | None


def settle(connection: sqlite3.Connection, touched: Iterable[Touched]) -> None:
    """Work out ``closed_at`` anew for all facts that these relations may end or may have ended."""
    relations = set(touched)
    subjects = {(r.subject, r.predicate, r.project) for r in relations if r.predicate in SINGLE_VALUED}
    objects = {(r.object, r.project) for r in relations if r.predicate in (Predicate.USES, Predicate.REPLACES)}
    changes: list[tuple[int | None, int]] = []
    for key in all_rows(connection, query("contested_subjects"), {"keys": as_list(sorted(subjects, key=repr))}):
        changes += _changes(single_valued, _facts(all_rows(connection, query("facts_of_subject"), key)))
    for key in all_rows(connection, query("contested_objects"), {"keys": as_list(sorted(objects, key=repr))}):
        changes += _changes(replaced, _facts(all_rows(connection, query("facts_of_object"), key)))
    connection.executemany("UPDATE relations SET closed_at = ? WHERE row = ?", changes)


def single_valued(facts: Sequence[Fact]) -> dict[int, int | None]:
    """Row → when it ends, for all facts of one subject, predicate and project."""
    objects: dict[int, set[int]] = {}
    for fact in facts:
        if fact.begins is not None:
            objects.setdefault(fact.begins, set()).add(fact.object)
    times = sorted(objects)
    ends: dict[int, int | None] = {}
    for fact in facts:
        first = 0 if fact.begins is None else bisect_right(times, fact.begins)
        ends[fact.row] = next((at for at in times[first:] if objects[at] - {fact.object}), None)
    return ends


def replaced(facts: Sequence[Fact]) -> dict[int, int | None]:
    """Row → when it ends, for all ``uses`` and ``replaces`` of one object and project."""
    times = sorted(f.begins for f in facts if f.predicate == Predicate.REPLACES and f.begins is not None)
    ends: dict[int, int | None] = {}
    for fact in facts:
        if fact.predicate == Predicate.USES:
            ends[fact.row] = next((at for at in times if fact.begins is None or at >= fact.begins), None)
    return ends


def _facts(rows: Iterable[Row]) -> list[Fact]:
    return [Fact(int(str(r[0])), str(r[1]), int(str(r[2])), number(r[3]), number(r[4])) for r in rows]


def _changes(
    rule: Callable[[Sequence[Fact]], dict[int, int | None]], facts: list[Fact]
) -> list[tuple[int | None, int]]:
    ends = rule(facts)
    return [(ends[f.row], f.row) for f in facts if f.row in ends and ends[f.row] != f.closed]
