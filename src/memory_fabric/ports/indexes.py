"""The three indexes over memories: full text, vectors, graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from memory_fabric.model.graph import Entity, EntityId, Relation
from memory_fabric.model.memory import Memory, MemoryId, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Predicate

if TYPE_CHECKING:
    from memory_fabric.ports.embedding import Background, Vectors


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

    def within(self, ids: Sequence[MemoryId], scope: Scope) -> frozenset[MemoryId]:
        """Those of these memories that are in scope."""
        ...

    def session_scores(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[SessionId, float]:
        """Sessions by BM25 of all their text in scope, raw (higher is better), best first."""
        ...

    def references(self, terms: Sequence[str], scope: Scope, limit: int) -> dict[MemoryId, float]:
        """Memories by BM25 of what their tool calls touched (files, commands, searches), raw, best first."""
        ...

    def rarest(self, terms: Sequence[str], most: int) -> dict[str, int]:
        """The terms with the number of units that they stand in, rarest first, ties in the order given.

        Counting ends at ``most`` units: what is more common than that is alike, and costs little.
        """
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

    def edges(
        self, ids: Sequence[EntityId], scope: Scope, limit: int, predicate: Predicate | None = None
    ) -> list[Relation]:
        """Live relations with at least one end among these, best supported first (number of evidences), then newest.

        ``predicate`` keeps those of one predicate, before the limit.
        """
        ...

    def degrees(self, ids: Sequence[EntityId], most: int = ...) -> dict[EntityId, int]:
        """Live relations at each entity, all projects; counting ends at ``most``, which is cheap where it is small."""
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
