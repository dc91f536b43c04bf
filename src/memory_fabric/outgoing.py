"""What leaves the memory is redacted once more (F-PRIV-1, C-112).

Everything stored was redacted before; a store that was written before a rule existed still leaves clean.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_fabric.ingest.redact import redact
from memory_fabric.model.memory import Memory
from memory_fabric.model.result import Answer, Candidate

if TYPE_CHECKING:
    from memory_fabric.search.context import Context
    from memory_fabric.search.history import HistoryItem


def clean_memory(memory: Memory) -> Memory:
    """The memory without secrets in its text."""
    found = redact(memory.text)
    return replace(memory, text=found.text) if found.counts else memory


def clean_answer(answer: Answer) -> Answer:
    """The answer without secrets in any memory that it shows."""
    return replace(
        answer, results=tuple(replace(each, candidate=_clean_candidate(each.candidate)) for each in answer.results)
    )


def _clean_candidate(candidate: Candidate) -> Candidate:
    return replace(
        candidate,
        memory=clean_memory(candidate.memory),
        absorbed=tuple(clean_memory(memory) for memory in candidate.absorbed),
    )


def clean_history(items: Iterable[HistoryItem]) -> list[HistoryItem]:
    """Statements and the memories that hold them without secrets."""
    return [
        replace(
            item,
            memory=clean_memory(item.memory),
            statement=replace(item.statement, text=redact(item.statement.text).text),
        )
        for item in items
    ]


def clean_context(context: Context) -> Context:
    """A session's context without secrets."""
    return replace(
        context,
        sections=tuple(
            replace(section, items=tuple(redact(item).text for item in section.items)) for section in context.sections
        ),
    )
