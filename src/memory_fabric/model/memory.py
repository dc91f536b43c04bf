"""What is remembered: a memory, where it came from, and the statements found in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import NewType

MemoryId = NewType("MemoryId", str)
"""Stable across re-ingests: derived from the source's own record ids (formats.md §0 rule 8)."""

SessionId = NewType("SessionId", str)
ProjectId = NewType("ProjectId", str)


TITLE = "title"
"""Key of a page's title in its memory's metadata, and label of the entity that it names."""

SPEAKER = "speaker"
"""Key of who said a turn, in its memory's metadata; an exchange of two has none."""

AGENT_NAMES = frozenset({"assistant", "ai", "model"})
"""Speakers that are an agent."""

USER_NAMES = frozenset({"user", "human"})
"""Speakers that are the person in front of an agent, without a name of their own."""


class MemoryKind(StrEnum):
    """What a memory is made of; the kind decides its authority, not its relevance."""

    EXCHANGE = "exchange"
    """A human prompt and all assistant text until the next one (F-ING-2)."""
    SUMMARY = "summary"
    """Derived text, such as a compaction summary: never the user's own words (C-019)."""
    NOTE = "note"
    """Something a person or an agent asked to remember."""


class StatementKind(StrEnum):
    """The capture intents of F-INTENT-1."""

    DECISION = "decision"
    PREFERENCE = "preference"
    PROBLEM = "problem"
    QUESTION = "question"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a memory was read: enough to open the source at the right line."""

    source: str
    """Source system: ``claude_code``, ``codex``, ``gemini_cli``, ``note``, …"""
    session: SessionId
    file: str | None = None
    first_line: int | None = None
    """1-based, inclusive; None where the format has no lines."""
    last_line: int | None = None
    record: str | None = None
    """The source's own id of the first record (uuid, message id)."""
    outside: str | None = None
    """Name of the configured outside memory that holds it; None for what our own store holds."""
    echo: bool = False
    """We pushed it there ourselves: it bears witness to nothing (D-5)."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence that decides, prefers, reports a problem or asks (F-INTENT-2)."""

    kind: StatementKind
    text: str
    """At most 300 characters (F-INTENT-3)."""
    confidence: float
    """In [0.1, 0.99] (F-INTENT-4)."""
    speaker: str = "user"
    """``user`` or ``assistant``."""
    category: str = "decision"
    """One of vocabulary.md §4."""
    choice: str | None = None
    alternatives: tuple[str, ...] = ()
    rationale: str | None = None
    constraints: tuple[str, ...] = ()
    tradeoffs: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    position: int = 0
    """Character offset in the memory's text."""


@dataclass(frozen=True, slots=True)
class Memory:
    """One thing remembered.  For transcripts: one exchange, or one part of a long one."""

    id: MemoryId
    text: str
    kind: MemoryKind
    project: ProjectId | None
    at: datetime | None
    """When it happened (aware UTC), not when it was read; None when nothing dates it (F-NORM-6)."""
    origin: Origin
    entities: tuple[str, ...] = ()
    """Display names of the entities it mentions, each once, in order of appearance."""
    metadata: Mapping[str, object] = field(default_factory=dict)
    """JSON values only.  Keys in use: ``part``, ``parts``, ``branch``, ``sidechain``, ``abandoned``,
    ``model``, ``tools`` (a list of ``{"kind", "name", "target"}``), ``at_source``; of notes ``category``, ``outcome``,
    ``lesson``, ``agent``, ``source``, ``observation``; of pages ``title``; of conversations ``speaker``."""


@dataclass(frozen=True, slots=True)
class Session:
    """One conversation with one agent."""

    id: SessionId
    source: str
    project: ProjectId | None = None
    cwd: str | None = None
    title: str | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    models: tuple[str, ...] = ()
    parent: SessionId | None = None
    """The session that forked or spawned this one."""
    file: str | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A body of work, identified by its repository root (decision 10)."""

    id: ProjectId
    name: str
    """A label only: two projects may share it."""
    root: str
    remote: str | None = None
    root_commit: str | None = None
