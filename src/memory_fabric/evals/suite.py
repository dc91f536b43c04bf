"""What a suite is: corpora to store as a user's data would be, and questions with what answers them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memory_fabric.model.memory import Memory
from memory_fabric.model.record import Conversation, Document


@dataclass(frozen=True, slots=True)
class Question:
    """One question; nothing but its text is asked, and the instant that it is about, if any."""

    id: str
    text: str
    gold: frozenset[str]
    """Items that answer it, never empty."""
    categories: tuple[str, ...] = ()
    group: str = ""
    """What is resampled as a whole for intervals: a conversation; empty: the question itself."""
    around: datetime | None = None


@dataclass(frozen=True, slots=True)
class Corpus:
    """One store and what is asked of it."""

    name: str
    records: tuple[Conversation | Document, ...]
    questions: tuple[Question, ...]
    item: Callable[[Memory], str]
    """The item that a memory is (part of): a turn, a session, a passage."""

    def ranking(self, memories: Iterable[Memory]) -> list[str]:
        """Items in the order in which their first memory was found, each once."""
        return list(dict.fromkeys(self.item(memory) for memory in memories))


@dataclass(frozen=True, slots=True)
class Data:
    """A suite as read from its folder."""

    corpora: tuple[Corpus, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Reason → questions that cannot be scored."""
    depth: int = 50
    """Memories asked for each question: enough for ten distinct items."""


Reader = Callable[[Path], Data]
"""Reads a suite's folder.

Raises:
    UsageError: a file is missing, is there twice, or is not of the documented shape; it is named.
"""
