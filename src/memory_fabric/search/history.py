"""Decisions over time, and what became of them (F-CMD-11)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_fabric.model.graph import Relation
from memory_fabric.model.memory import Memory, Statement, StatementKind
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.text import entity_key

if TYPE_CHECKING:
    from memory_fabric.ports import Store

MAX_EDGES = 2000


@dataclass(frozen=True, slots=True)
class HistoryItem:
    """One statement in its time."""

    memory: Memory
    statement: Statement
    superseded_by: str | None = None
    """Name of what later replaced its choice, if anything did."""
    superseded_at: datetime | None = None


def history(
    store: Store, scope: Scope, kinds: Sequence[StatementKind] = (StatementKind.DECISION,), limit: int = 50
) -> list[HistoryItem]:
    """Statements of these kinds, newest first, each with what superseded it."""
    rows = store.statements(kinds, scope, limit)
    names = list(dict.fromkeys(name for _, statement in rows for name in _about(statement)))
    by_name = {entity_key(name): entity.id for entity in store.find(names) for name in (*entity.aliases, entity.name)}
    # What came later may lie outside the window asked about, and is no statement of that kind.
    later_too = Scope(scope.projects, as_of=scope.as_of, superseded=True)
    entities = list(by_name.values())
    replacing = store.edges(entities, later_too, MAX_EDGES, Predicate.REPLACES) if entities else []
    labels = store.entities([edge.subject for edge in replacing])
    items = []
    for memory, statement in rows:
        own = {by_name[key] for key in map(entity_key, _about(statement)) if key in by_name}
        later = [edge for edge in replacing if edge.object in own and _after(edge, memory)]
        first = min(later, key=lambda edge: edge.valid_from or datetime.max, default=None)  # noqa: DTZ901
        name = labels[first.subject].name if first and first.subject in labels else None
        items.append(HistoryItem(memory, statement, name, first.valid_from if first else None))
    return items


def _about(statement: Statement) -> tuple[str, ...]:
    """What a statement chose: its choice, else the entities it names less those it rejected."""
    if statement.choice:
        return (statement.choice,)
    return tuple(name for name in statement.entities if name not in statement.alternatives)


def _after(edge: Relation, memory: Memory) -> bool:
    return edge.valid_from is not None and memory.at is not None and edge.valid_from > memory.at
