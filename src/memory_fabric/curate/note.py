"""What is asked to be remembered, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from memory_fabric.errors import UsageError
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import Entity, Relation
from memory_fabric.model.memory import Memory, MemoryId, Project
from memory_fabric.ports import Extraction, Store

SOURCE = "note"
"""Source system of every note."""


class Outcome(StrEnum):
    """How what is remembered turned out."""

    SUCCESS = "success"
    FAILED = "failed"


def outcome_named(name: str | None) -> Outcome | None:
    """The outcome of this name.

    Raises:
        UsageError: there is none.
    """
    if name is None or name in list(Outcome):
        return None if name is None else Outcome(name)
    raise UsageError(f"outcome {name!r} is not known", f"choose one of: {', '.join(Outcome)}")


class Status(StrEnum):
    """What became of a note."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    """The very same words with the same outcome were there already, in the same project: nothing was stored twice."""
    CONTRARY = "contrary"
    """Nothing was stored: a note on the same subject has the opposite outcome, and nobody said to go on (F-CMD-4)."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody asks to remember."""

    text: str
    category: str | None = None
    """None: detected (vocabulary.md §4)."""
    outcome: Outcome | None = None
    lesson: str | None = None
    """What should be done instead; None: looked for in the words, if the outcome is ``failed`` (F-CMD-2)."""
    agent: str | None = None
    project: Project | None = None
    """None: everywhere."""
    source: str = SOURCE
    """Who handed it in: ``note``, or what a client says (F-MCP-3)."""


@dataclass(frozen=True, slots=True)
class Around:
    """Notes that are there already, as a new one finds them, most alike first."""

    similar: tuple[Memory, ...] = ()
    """Saying nearly the same."""
    contrary: tuple[Memory, ...] = ()
    """On the same subject, with the opposite outcome."""


class Clean(Protocol):
    """A text without secrets, as ``ingest.redact`` gives it."""

    @property
    def text(self) -> str:
        """The text."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """Kind → secrets taken out."""
        ...


@dataclass(frozen=True, slots=True)
class Means:
    """What remembering works with."""

    store: Store
    lexicon: Lexicon
    redact: Callable[[str], Clean]
    """The text without secrets."""
    extract: Callable[[Memory, Project | None], Extraction]
    """Entities, relations and statements of one part of a note."""
    look_around: Callable[[Memory], Around]
    embed: Callable[[Sequence[Memory]], str | None]
    """Gives vectors to these memories; None, or a sentence that says why they wait for them."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What remembering did."""

    status: Status
    memory: Memory
    """The note, or its first part; of a duplicate the one that is there."""
    ids: tuple[MemoryId, ...] = ()
    """Of all parts, in order; empty when nothing is stored."""
    characters: int = 0
    """Of the whole text, redacted."""
    project: Project | None = None
    new_entities: tuple[Entity, ...] = ()
    known_entities: tuple[Entity, ...] = ()
    """Named by the note and there before: the note is now an observation of theirs (F-CMD-4)."""
    relations: tuple[Relation, ...] = ()
    redacted: Mapping[str, int] = field(default_factory=dict)
    """Kind → secrets that were taken out."""
    similar: tuple[Memory, ...] = ()
    contrary: tuple[Memory, ...] = ()
    entities_total: int = 0
    relations_total: int = 0
    """In the whole memory, afterwards."""
    notes: tuple[str, ...] = ()
    """Plain sentences for who asked."""

    @property
    def category(self) -> str:
        """One of vocabulary.md §4."""
        return str(self.memory.metadata["category"])

    @property
    def outcome(self) -> Outcome | None:
        """How it turned out, where that was said."""
        said = self.memory.metadata.get("outcome")
        return None if said is None else Outcome(str(said))

    @property
    def lesson(self) -> str | None:
        """What should be done instead."""
        return _optional(self.memory.metadata.get("lesson"))

    @property
    def agent(self) -> str | None:
        """Whose memory it is."""
        return _optional(self.memory.metadata.get("agent"))


def _optional(value: object) -> str | None:
    return None if value is None else str(value)
