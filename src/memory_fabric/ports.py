"""The seams: what the stages need of the outside, as narrow protocols whose docstrings are the contracts.

Every implementation of a port passes that port's contract suite in ``tests/contract``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from memory_fabric.model.graph import Entity, EntityId, Mention, Relation
from memory_fabric.model.memory import (
    Memory,
    MemoryId,
    Project,
    Session,
    SessionId,
    Statement,
    StatementKind,
)
from memory_fabric.model.query import Query, Scope
from memory_fabric.model.result import Found
from memory_fabric.model.transcript import Exchange, SessionFacts, Tally, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_fabric.clock import Deadline

    Vectors = NDArray[np.float32]


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────


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


# ── embedding ────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Background:
    """Cosines of unrelated question-passage pairs of one space in this store: the zero of its scale (decision 7)."""

    mean: float
    deviation: float
    pairs: int


class Embedder(Protocol):
    """Texts to unit vectors of one space."""

    @property
    def space(self) -> str:
        """Model and version; vectors of two spaces are never compared (F-VEC-2)."""
        ...

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        ...

    @property
    def prior(self) -> Background:
        """The background measured beforehand on unrelated pairs, for stores too small to measure their own."""
        ...

    def windows(self, text: str) -> list[str]:
        """The text cut into overlapping pieces that the model reads whole, at least one (C-069)."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Passages to vectors: shape (len(texts), dimension), float32, each of length 1, in order.

        Raises:
            EmbedderUnavailable: the model is missing, damaged, or fails its start-up check (F-VEC-4).
        """
        ...

    def embed_query(self, text: str) -> Vectors:
        """A question to a vector: shape (dimension,), float32, of length 1.

        Raises:
            EmbedderUnavailable: as above.
        """
        ...


# ── storing ──────────────────────────────────────────────────────────────────────────────────────────────────────


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

    def forget(self, ids: Sequence[MemoryId], reason: str, at: datetime) -> int:
        """Remove memories with their index entries, vectors, statements and the relations that rest on them alone.

        Leaves a tombstone by id and by text, so that re-ingest does not bring them back.  Returns how many there were.
        """
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


@dataclass(frozen=True, slots=True)
class TextUnit:
    """The analysed text of one memory, for exact scoring."""

    memory: MemoryId
    session: SessionId
    place: int
    """Consecutive inside its session: neighbours differ by 1."""
    prompt: str
    """Tokens of what the user said, each between single spaces: ``" fix  date  parser "`` (two between tokens, so that
    ``str.count(" date ")`` counts every occurrence)."""
    reply: str
    """Tokens of what the agent said, likewise."""
    length: int
    """Tokens in both."""


@dataclass(frozen=True, slots=True)
class TextStatistics:
    """What BM25 needs to know of the whole index (all scopes: idf must not depend on who asks)."""

    units: int
    mean_length: float
    frequency: Mapping[str, int]
    """Term → number of units that hold it."""


class TextIndex(Protocol):
    """Full text over analysed tokens (``text.analyse``)."""

    def match(self, terms: Sequence[str], scope: Scope, limit: int) -> list[TextUnit]:
        """Units in scope that hold any term, best first by plain BM25 (prompt counted 1.4 times)."""
        ...

    def units(self, ids: Sequence[MemoryId]) -> list[TextUnit]:
        """The units of these memories; unknown ids are left out."""
        ...

    def around(self, units: Sequence[TextUnit], back: int, forward: int) -> dict[SessionId, list[TextUnit]]:
        """Those units and their neighbours in the same session, ordered by place, each once."""
        ...

    def session_scores(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[SessionId, float]:
        """Sessions by BM25 of all their text in scope, raw (higher is better), best first."""
        ...

    def references(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[MemoryId, float]:
        """Memories by BM25 of what their tool calls touched (files, commands, searches), raw, best first."""
        ...

    def statistics(self, terms: Sequence[str]) -> TextStatistics:
        """Counts for these terms."""
        ...


class VectorIndex(Protocol):
    """Vectors of memories: one or more windows each."""

    def nearest(self, space: str, vector: Vectors, scope: Scope, limit: int) -> list[tuple[MemoryId, float]]:
        """Memories by the cosine of their best window, best first, each once; cosine in [-1, 1].

        Raises:
            DimensionMismatch: the vector does not have the space's dimension.
        """
        ...

    def cosines(self, space: str, vector: Vectors, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        """The cosine of the best window of each of these memories; those without vectors are left out.

        Raises:
            DimensionMismatch: the vector does not have the space's dimension.
        """
        ...

    def pending(self, space: str, limit: int) -> list[Memory]:
        """Memories without vectors of this space, oldest first."""
        ...

    def put(self, space: str, vectors: Mapping[MemoryId, Vectors]) -> None:
        """Store the windows' vectors of memories (each (windows, dimension), unit float32); one transaction.

        Memories that are gone meanwhile are left out.

        Raises:
            DimensionMismatch: another dimension than the space's other vectors.
        """
        ...

    def coverage(self) -> dict[str, int]:
        """Space → memories that have vectors."""
        ...

    def background(self, space: str) -> Background | None:
        """The stored calibration of this space, or None."""
        ...

    def calibrate(self, space: str, background: Background) -> None:
        """Store the calibration of this space."""
        ...

    def sample(self, space: str, limit: int) -> Vectors:
        """Up to ``limit`` stored windows of different memories, evenly spread, the same each time."""
        ...


class Graph(Protocol):
    """Entities and live relations (decision 9: superseded ones only when the scope asks)."""

    def find(self, names: Sequence[str]) -> list[Entity]:
        """Entities with one of these names or aliases by ``text.entity_key``; several may share a name (F-ERR-12)."""
        ...

    def suggest(self, name: str, limit: int) -> list[Entity]:
        """Entities with a name that resembles this one, best first, for "did you mean"."""
        ...

    def entities(self, ids: Sequence[EntityId]) -> dict[EntityId, Entity]:
        """The entities known by these ids."""
        ...

    def edges(self, ids: Sequence[EntityId], scope: Scope, limit: int) -> list[Relation]:
        """Live relations with at least one end among these, best supported first (number of evidences), then newest."""
        ...

    def degrees(self, ids: Sequence[EntityId]) -> dict[EntityId, int]:
        """Live relations at each entity, all projects."""
        ...

    def mentions(self, ids: Sequence[EntityId], scope: Scope, limit: int) -> dict[EntityId, list[MemoryId]]:
        """Memories that mention each entity, newest first, at most ``limit`` each."""
        ...

    def spread(self, ids: Sequence[EntityId]) -> dict[EntityId, tuple[int, int]]:
        """Memories and sessions that mention each entity, all projects."""
        ...

    def mentioned(self, memories: Sequence[MemoryId]) -> dict[MemoryId, list[Entity]]:
        """Entities that each memory mentions, in order of appearance."""
        ...

    def evidence(self, memories: Sequence[MemoryId], scope: Scope) -> dict[MemoryId, list[Relation]]:
        """Live relations that rest on each memory."""
        ...


@dataclass(frozen=True, slots=True)
class Census:
    """Counts for ``status``."""

    memories: int
    by_kind: Mapping[str, int]
    sessions: int
    projects: int
    entities: Mapping[str, int]
    relations: Mapping[str, int]
    superseded: int
    statements: Mapping[str, int]
    tombstones: int
    files: int
    oldest: datetime | None
    newest: datetime | None
    bytes: int
    unmapped: int
    """Entities and relations with a label outside the vocabulary (F-VOC-4)."""


class Store(Ledger, MemoryStore, TextIndex, VectorIndex, Graph, Protocol):
    """A back end: all of the above over one store."""

    def census(self) -> Census:
        """Counts of everything."""
        ...

    def check(self) -> list[str]:
        """Faults found in the store (integrity, orphans, permissions), one plain sentence each; empty when sound."""
        ...

    def dump(self) -> Iterator[dict[str, object]]:
        """Everything, as JSON objects with a ``type`` each, in an order that ``restore`` takes; vectors left out."""
        ...

    def restore(self, rows: Iterable[Mapping[str, object]]) -> dict[str, int]:
        """Take what ``dump`` gave; rows that exist stay.  Returns counts by type.

        Raises:
            UsageError: a row that is not of our form, named by its number; nothing was written.
        """
        ...

    def close(self) -> None:
        """Release every connection."""
        ...


# ── searching ────────────────────────────────────────────────────────────────────────────────────────────────────


class Source(Protocol):
    """A memory that can be asked (F-SRC-1 to F-SRC-6)."""

    @property
    def name(self) -> str:
        """Its name: ``text``, ``vector``, ``graph``, ``recent``, …."""
        ...

    @property
    def required(self) -> bool:
        """True when its failure fails the search (F-SRC-5)."""
        ...

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        """Its best hits in the query's scope, best first, no memory twice; called from a worker thread.

        Scores are absolute: they depend on the query and the memory, never on the other hits (F-NORM-5).

        Raises:
            SourceUnavailable: it cannot answer now; the rest of the search goes on.
            DeadlinePassed: it noticed that time ran out.
        """
        ...

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """Raw scores of memories that others found, in the unit and scale of ``find``.

        Memories it knows nothing of are left out and count 0.  Lets the fusion add scores instead of ranks.

        Raises:
            SourceUnavailable: as ``find``.
        """
        ...
