"""Reading transcripts: formats, and what extractors find in a memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memory_fabric.model.graph import Entity, Mention, Relation
from memory_fabric.model.memory import Memory, Project, Statement

if TYPE_CHECKING:
    from memory_fabric.model.transcript import Exchange, SessionFacts, Tally, Turn


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where reading may start: ``offset`` bytes into the file, before line ``line`` (1-based)."""

    offset: int = 0
    line: int = 1


class Format(Protocol):
    """One harness's transcript files."""

    @property
    def name(self) -> str:
        """The source system's name: ``claude_code``."""
        ...

    @property
    def appends(self) -> bool:
        """True when files only ever grow by whole lines, so that reading may resume at a cursor."""
        ...

    def claims(self, path: Path, head: bytes) -> bool:
        """Whether this file is one of ours, by a positive mark in its first 64 KiB (formats.md §9).

        Never raises, never claims what another format claims.
        """
        ...

    def read(self, path: Path, tally: Tally, start: Cursor = Cursor()) -> Iterator[Turn | SessionFacts]:
        """Turns in file order, facts about their sessions among them; streams, holding back what later lines decide.

        Every line (record, for one-document formats) is counted in ``tally`` once; broken ones and a cut last line are
        counted and left out.  Derived, injected and duplicate text is
        classified here, not later.

        Raises:
            MalformedFile: nothing in the file can be read.
            OSError: the file cannot be opened.
        """
        ...


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor found in one memory."""

    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    mentions: tuple[Mention, ...] = ()
    statements: tuple[Statement, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    """Reason → count of candidates that were refused (F-EXTR-8)."""


class Extractor(Protocol):
    """One way of finding entities, relations and statements in a memory."""

    @property
    def name(self) -> str:
        """Short name, shown in reports."""
        ...

    def extract(self, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:
        """What this memory says.  Pure: the same input gives the same output; relations carry the memory as evidence.

        ``exchange`` holds the tool calls; they belong to part 0 of a split exchange and are empty for the others.
        """
        ...
