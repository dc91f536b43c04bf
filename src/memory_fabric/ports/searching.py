"""Searching: a memory that can be asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found

if TYPE_CHECKING:
    from memory_fabric.clock import Deadline


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


@dataclass(frozen=True, slots=True)
class Probe:
    """What an outside memory says of itself."""

    product: str
    """Name and version, as it calls itself."""
    tools: tuple[str, ...] = ()
    """Names of the tools that it offers; empty where it has none."""


class OutsideSource(Source, Protocol):
    """A memory that somebody else keeps (F-SRC-2): configured by the user, never required, closed with the fabric.

    Every memory that it hands in is a note without project, its ``origin`` has ``outside`` and ``source`` set to the
    source's name and one session for the whole outside memory, so that two of its hits are one witness (D-5); its id is
    stable and begins with the kind of source and its name (F-NORM-2).  ``at`` is None unless the outside memory says
    when (F-NORM-6).  Text and metadata are repaired and redacted (F-PRIV-1).  ``sources.foreign`` makes such memories.
    What it hands in is weighed again by our own text and vectors; its own scores may be coarse, with a ceiling that it
    names.  It applies what of the scope it can know of: ``sources.foreign.in_scope``.  ``weigh`` knows nothing of
    others' memories.
    """

    @property
    def deadline(self) -> float:
        """Seconds that one question may wait for it, at most the search's own."""
        ...

    def probe(self, deadline: Deadline) -> Probe:
        """Connect and say what is there.

        Raises:
            SourceUnavailable: it cannot be reached, or is no memory that can be asked.
        """
        ...

    def close(self) -> None:
        """End the connection and every process that belongs to it; it may be asked again, which opens it anew."""
        ...
