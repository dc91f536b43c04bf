"""A scope as conditions in SQL: the one place where filters become a query (decision 10, C-115, C-148).

Every value is bound; names go by equality, so ``%`` and ``_`` mean themselves (C-055).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory_fabric.clock import to_millis
from memory_fabric.model.memory import MemoryKind, StatementKind
from memory_fabric.model.query import Scope

_MEMORY_KINDS = frozenset(MemoryKind)
_STATEMENT_KINDS = frozenset(StatementKind)

_GLOBAL_NOTE = "(m.project IS NULL AND m.kind = 'note')"
"""What somebody asked to remember for all projects is found in each of them; other homeless memories are not."""

_GLOBAL_SESSION = (
    "(t.project IS NULL AND EXISTS (SELECT 1 FROM memories g"
    " WHERE g.session = t.session AND g.project IS NULL AND g.kind = 'note'))"
)
_GLOBAL_RELATION = (
    "(r.project IS NULL AND (r.evidence IS NULL"
    " OR EXISTS (SELECT 1 FROM memories g WHERE g.row = r.evidence AND g.kind = 'note')))"
)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition and the values that it binds by name."""

    sql: str = "1"
    values: dict[str, object] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """True when everything passes."""
        return self.sql == "1"


def as_list(values: Iterable[object]) -> str:
    """Values for ``IN (SELECT value FROM json_each(?))``: any number of them in one bound parameter."""
    return json.dumps(list(values))


def memories_in(scope: Scope) -> Condition:
    """Which rows of ``memories m`` are in scope."""
    terms, values = _base(scope, "m.project", "m.at", _GLOBAL_NOTE)
    terms += _what(scope, "m", values)
    return Condition(" AND ".join(terms) or "1", values)


def memories_apart(scope: Scope) -> list[Condition]:
    """As ``memories_in``, but what belongs to every project apart: each part can then be read along an index."""
    if scope.projects is None or len(scope.projects) != 1:
        return [memories_in(scope)]
    project = "m.project = (SELECT p.row FROM projects p WHERE p.id = :project)"
    rest = memories_in(replace(scope, projects=None))
    return [
        Condition(f"{project} AND {rest.sql}", rest.values | {"project": scope.projects[0]}),
        Condition(f"{_GLOBAL_NOTE} AND {rest.sql}", rest.values),
    ]


def statements_in(scope: Scope) -> Condition:
    """Which rows of ``statements s JOIN memories m`` are in scope: kinds and categories are the statement's own."""
    terms, values = _base(scope, "m.project", "m.at", _GLOBAL_NOTE)
    memory_kinds, statement_kinds = _split(scope.kinds)
    if scope.kinds:
        values |= {"memory_kinds": as_list(memory_kinds), "statement_kinds": as_list(statement_kinds)}
        terms.append(f"(m.kind IN {_listed('memory_kinds')} OR s.kind IN {_listed('statement_kinds')})")
    if scope.categories:
        values["categories"] = as_list(scope.categories)
        terms.append(f"s.category IN {_listed('categories')}")
    return Condition(" AND ".join(terms) or "1", values)


def session_texts_in(scope: Scope) -> Condition:
    """Which rows of ``session_texts t`` hold at least one memory in scope; their project must be in it."""
    terms, values = _base(Scope(projects=scope.projects), "t.project", "NULL", _GLOBAL_SESSION)
    inner = memories_in(Scope(window=scope.window, kinds=scope.kinds, categories=scope.categories))
    if not inner.open:
        terms.append(
            f"EXISTS (SELECT 1 FROM memories m WHERE m.session = t.session AND +m.project IS t.project AND {inner.sql})"
        )
    return Condition(" AND ".join(terms) or "1", values | inner.values)


def relations_in(scope: Scope, now: datetime) -> Condition:
    """Which rows of ``relations r`` are in scope and hold (F-TRAV-10).

    They hold when they have not ended now, or at ``as_of``; ``superseded`` shows the ended ones too.  The window is
    compared with ``valid_from``; kinds and categories with the memory that is the evidence.
    """
    terms, values = _base(scope, "r.project", "r.valid_from", _GLOBAL_RELATION)
    if scope.kinds or scope.categories:
        terms.append(
            f"EXISTS (SELECT 1 FROM memories m WHERE m.row = r.evidence AND {' AND '.join(_what(scope, 'm', values))})"
        )
    if not scope.superseded:
        values["as_of"] = to_millis(scope.as_of or now)
        terms.append("(r.ends IS NULL OR r.ends > :as_of)")
    if scope.as_of is not None:
        values["as_of"] = to_millis(scope.as_of)
        terms.append("(r.valid_from IS NULL OR r.valid_from <= :as_of)")
    return Condition(" AND ".join(terms) or "1", values)


def _base(scope: Scope, project: str, at: str, everywhere: str) -> tuple[list[str], dict[str, object]]:
    """Conditions on project and time; ``everywhere`` says what belongs to every project."""
    terms: list[str] = []
    values: dict[str, object] = {}
    if scope.projects is not None and len(scope.projects) == 1:
        own = f"{project} = (SELECT p.row FROM projects p WHERE p.id = :project)"
        terms.append(f"({own} OR {everywhere})")
        values["project"] = scope.projects[0]
    elif scope.projects is not None:
        own = f"{project} IN (SELECT p.row FROM json_each(:projects) j JOIN projects p ON p.id = j.value)"
        terms.append(f"({own} OR {everywhere})" if scope.projects else "0")
        values["projects"] = as_list(scope.projects)
    if scope.window.since is not None:
        terms.append(f"{at} >= :since")
        values["since"] = to_millis(scope.window.since)
    if scope.window.before is not None:
        terms.append(f"{at} < :before")
        values["before"] = to_millis(scope.window.before)
    return terms, values


def _what(scope: Scope, alias: str, values: dict[str, object]) -> list[str]:
    """Conditions on the kind and category of a memory; one statement must satisfy both where both are asked."""
    if not scope.kinds and not scope.categories:
        return []
    memory_kinds, statement_kinds = _split(scope.kinds)
    category = ""
    if scope.categories:
        values["categories"] = as_list(scope.categories)
        category = f" AND s.category IN {_listed('categories')}"
    own = f"SELECT 1 FROM statements s WHERE s.memory = {alias}.row{category}"
    if not scope.kinds:
        return [f"EXISTS ({own})"]
    values |= {"memory_kinds": as_list(memory_kinds), "statement_kinds": as_list(statement_kinds)}
    whole = f"{alias}.kind IN {_listed('memory_kinds')}" + (f" AND EXISTS ({own})" if category else "")
    return [f"({whole} OR EXISTS ({own} AND s.kind IN {_listed('statement_kinds')}))"]


def _split(kinds: Iterable[str]) -> tuple[list[str], list[str]]:
    wanted = list(kinds)
    return [k for k in wanted if k in _MEMORY_KINDS], [k for k in wanted if k in _STATEMENT_KINDS]


def _listed(name: str) -> str:
    return f"(SELECT value FROM json_each(:{name}))"
