"""A question favours what bears on it most: exchanges that decide, that prefer, that touched a file (F-PARSE-6)."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_fabric.model.graph import EntityId
from memory_fabric.model.memory import StatementKind
from memory_fabric.model.query import Intent, Query
from memory_fabric.model.result import Candidate

if TYPE_CHECKING:
    from memory_fabric.ports import MemoryStore

FAVOUR = 1.1
"""Factor on the relevance, half of what standing elsewhere is worth (F-XREF-1): a hint, never a filter."""

WANTED = {
    Intent.DECISION: StatementKind.DECISION,
    Intent.PREFERENCE: StatementKind.PREFERENCE,
}
"""Intent of a question → kind of statement that answers it.

Problems are left out: every other exchange with a coding agent reports one, and "fix" stands in every other question.
"""


def favour(candidates: Sequence[Candidate], query: Query, memories: MemoryStore) -> list[Candidate]:
    """The candidates in their order, those lifted, never above 1, that state what is asked for or touched it.

    "Who changed client.py" is answered by what changed it, before what speaks of clients.
    """
    wanted = WANTED.get(query.intent)
    stated = memories.stated([each.memory.id for each in candidates]) if wanted else {}
    return [
        replace(each, relevance=min(1.0, each.relevance * FAVOUR))
        if wanted in stated.get(each.memory.id, ()) or touches(each, query.named)
        else each
        for each in candidates
    ]


def touches(candidate: Candidate, named: Set[EntityId]) -> bool:
    """Whether a relation that led to the candidate is of an artifact that is asked about."""
    return any(relation.subject in named or relation.object in named for relation in candidate.relations)
