"""A question about decisions or preferences favours the exchanges that state some (F-PARSE-6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memory_fabric.model.memory import StatementKind
from memory_fabric.model.query import Intent, Query
from memory_fabric.model.result import Candidate
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
    """The candidates in their order, those that state what is asked for lifted, never above 1."""
    wanted = WANTED.get(query.intent)
    if wanted is None:
        return list(candidates)
    stated = memories.stated([each.memory.id for each in candidates])
    return [
        replace(each, relevance=min(1.0, each.relevance * FAVOUR)) if wanted in stated.get(each.memory.id, ()) else each
        for each in candidates
    ]
