"""Storing: what one transaction writes, and the stores of files read and of memories."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from memory_fabric.model.graph import Entity, Mention, Relation
from memory_fabric.model.memory import Memory, MemoryId, Project, Session, SessionId, Statement, StatementKind
from memory_fabric.model.query import Scope
from memory_fabric.ports.reading import Cursor


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """How far one source file has been read."""

    path: str
    """Resolved."""
    format: str
    size: int
    mtime_ns: int
    inode: int
    head_hash: str
    """SHA-256 of the first 4 KiB (of the bytes before the cursor, where those are fewer)."""
    cursor: Cursor
    """Start of the last exchange: reading resumes there, because it may still grow."""
    session: SessionId | None
    last_seq: int
    """Sequence number of the last exchange before the cursor, so that numbers go on; -1 for none."""
    used: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One memory ready to be stored, with its place in its session."""

    memory: Memory
    seq: int
    """Orders the exchanges of a session, rising in every file; together with ``part`` it orders neighbours."""
    part: int = 0
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True)
class Batch:
    """All that one transaction writes: usually everything new in one file."""

    projects: tuple[Project, ...] = ()
    sessions: tuple[Session, ...] = ()
    records: tuple[Record, ...] = ()
    entities: tuple[Entity, ...] = ()
    relations: tuple[Relation, ...] = ()
    mentions: tuple[Mention, ...] = ()
    ledger: LedgerEntry | None = None
    explicit: bool = False
    """What it says is meant: tombstones of its memories, entities and relations are lifted, not obeyed."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What a save did, by memory."""

    added: int = 0
    updated: int = 0
    unchanged: int = 0
    duplicates: int = 0
    """Already kept for an earlier session (resume, fork, archive move): not stored again (C-016)."""
    forgotten: int = 0
    """Held back by a tombstone (decision 11)."""
    relations: int = 0
    """Relations added."""


class Ledger(Protocol):
    """Which files were read, and how far."""

    def entry(self, path: str) -> LedgerEntry | None:
        """The entry of a resolved path, or None."""
        ...

    def entries(self) -> Sequence[LedgerEntry]:
        """All entries, by path."""
        ...


class MemoryStore(Protocol):
    """Memories, sessions, projects."""

    def save(self, batch: Batch) -> Saved:
        """All or nothing, durable when it returns.

        A memory id already stored for the same session is replaced if anything of it changed (with its mentions,
        statements, index entries, and the relations that rest on it; its vectors are dropped for re-embedding); for
        a session that began earlier it is left alone and counted as a duplicate; for one that began later the earlier
        session becomes its owner (C-016).  Tombstoned memories (by id or by text) are held back and counted.
        Entities merge by id: the first display name stays, aliases unite.  Equal relations
        (subject, predicate, label, object, evidence) are stored once.  A relation that replaces or contradicts a live
        single-valued one closes it (``valid_to``), never deletes it (decision 9).

        Raises:
            StoreUnavailable: locked beyond the busy timeout, disk full, damaged; nothing was written.
            UsageError: a relation whose ``valid_to`` precedes its ``valid_from`` (C-060).
        """
        ...

    def get(self, ids: Sequence[MemoryId]) -> list[Memory]:
        """Live memories in the order asked; unknown and forgotten ids are left out."""
        ...

    def count(self) -> int:
        """Live memories, all projects; cheap enough to ask in every search."""
        ...

    def recent(self, scope: Scope, limit: int) -> list[Memory]:
        """Newest first; undated last."""
        ...

    def near_in_time(self, at: datetime, scope: Scope, limit: int) -> list[Memory]:
        """The dated memories in scope nearest to an instant: ``limit`` up to it and ``limit`` after it, by time."""
        ...

    def containing(self, text: str, scope: Scope, limit: int) -> list[Memory]:
        """Memories in scope whose text holds this text, newest first, undated last.

        Both are folded (``text.fold``: letter case and runs of white space aside); every sign means itself.
        """
        ...

    def of_session(self, session: SessionId) -> list[Memory]:
        """The live memories of a session, in their order."""
        ...

    def forget(self, ids: Sequence[MemoryId], reason: str, at: datetime) -> int:
        """Remove memories with their index entries, vectors, statements and the relations that rest on them alone.

        Leaves a tombstone by id and by text, so that re-ingest does not bring them back.  Returns how many there were.
        """
        ...

    def forgotten(self, ids: Sequence[MemoryId]) -> frozenset[MemoryId]:
        """Of these, those that a tombstone holds back."""
        ...

    def sessions(self, ids: Sequence[SessionId]) -> dict[SessionId, Session]:
        """The sessions known by these ids."""
        ...

    def projects(self) -> list[Project]:
        """All projects, by name then id."""
        ...

    def statements(self, kinds: Sequence[StatementKind], scope: Scope, limit: int) -> list[tuple[Memory, Statement]]:
        """Statements of these kinds, newest first."""
        ...

    def stated(self, ids: Sequence[MemoryId]) -> dict[MemoryId, frozenset[StatementKind]]:
        """Kinds of statement that each of these memories holds; memories without any are left out."""
        ...
