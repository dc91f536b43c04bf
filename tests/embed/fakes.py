"""Memories by the handful, an index in memory, and embedders that go wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import DimensionMismatch, EmbedderUnavailable
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Background, VectorIndex

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors


def memory(name: str, text: str, kind: MemoryKind = MemoryKind.EXCHANGE, **metadata: object) -> Memory:
    origin = Origin("claude_code", SessionId("session"))
    return Memory(MemoryId(name), text, kind, None, datetime(2026, 1, 1, tzinfo=UTC), origin, metadata=metadata)


@dataclass
class InMemoryIndex:
    """``ports.VectorIndex`` in a dictionary, oldest first as given."""

    memories: list[Memory]
    stored: dict[str, dict[MemoryId, Vectors]] = field(default_factory=dict)
    backgrounds: dict[str, Background] = field(default_factory=dict)
    commits: list[list[MemoryId]] = field(default_factory=list)
    asked: list[int] = field(default_factory=list)
    refused: set[MemoryId] = field(default_factory=set)
    """Memories whose vectors it takes and does not keep: they were forgotten, or there is a fault."""

    def nearest(self, space: str, vector: Vectors, scope: Scope, limit: int) -> list[tuple[MemoryId, float]]:  # noqa: ARG002 - the port has it
        best = {name: float((rows @ vector).max()) for name, rows in self.stored.get(space, {}).items()}
        return sorted(best.items(), key=lambda pair: -pair[1])[:limit]

    def cosines(self, space: str, vector: Vectors, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        kept = self.stored.get(space, {})
        return {name: float((kept[name] @ vector).max()) for name in ids if name in kept}

    def pending(self, space: str, limit: int) -> list[Memory]:
        self.asked.append(limit)
        return [each for each in self.memories if each.id not in self.stored.get(space, {})][:limit]

    def put(self, space: str, vectors: Mapping[MemoryId, Vectors]) -> None:
        kept = self.stored.setdefault(space, {})
        for rows in vectors.values():
            if any(other.shape[1] != rows.shape[1] for other in kept.values()):
                raise DimensionMismatch("another dimension")
        self.commits.append(list(vectors))
        kept.update({name: rows for name, rows in vectors.items() if name not in self.refused})

    def coverage(self) -> dict[str, int]:
        return {space: len(rows) for space, rows in self.stored.items()}

    def background(self, space: str) -> Background | None:
        return self.backgrounds.get(space)

    def calibrate(self, space: str, background: Background) -> None:
        self.backgrounds[space] = background

    def sample(self, space: str, limit: int) -> Vectors:
        rows = [each[0] for each in self.stored.get(space, {}).values()][:limit]
        return np.array(rows, np.float32) if rows else np.empty((0, 0), np.float32)


def check_is_an_index(index: InMemoryIndex) -> VectorIndex:
    """The type checker holds the fake to the port."""
    return index


class Lossy(HashedEmbedder):
    """Loses the direction of every text that holds the word ``nothing``, and keeps count of its texts."""

    def __init__(self) -> None:
        super().__init__(32)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts.extend(texts)
        vectors = super().embed(texts)
        for row, text in enumerate(texts):
            if "nothing" in text:
                vectors[row] = 0.0
        return vectors


class Failing(HashedEmbedder):
    """Works for so many calls and then is gone."""

    def __init__(self, calls: int) -> None:
        super().__init__(32)
        self.calls = calls

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.calls == 0:
            raise EmbedderUnavailable("embedder failing: gone")
        self.calls -= 1
        return super().embed(texts)


class Short(HashedEmbedder):
    """Returns one vector too few, as a service does that was sent a wrong request."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed(texts)[1:]


class Long(HashedEmbedder):
    """Returns ``[3, 4, 0, …]`` for everything: a direction, but not of length 1."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        vectors[:, :2] = (3.0, 4.0)
        return vectors
