"""Vectors for very many memories: some by the model, the others derived from those.

The model makes some tens of texts a second; a hundred thousand memories would take an hour.  An exact search takes as
long whatever the numbers are, so the others need the right count, dimension and length, and neighbours as real vectors
have them, not a meaning.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric.evals.bench.synthetic import memory_id
from memory_fabric.model.memory import MemoryId

if TYPE_CHECKING:
    from memory_fabric.ports import Background, Embedder, Vectors

NOISE = 0.6
"""Length of what is added to a unit vector, in a random direction: its cosine with the derived one is
1/√(1 + 0.36) = 0.86, that of two derived from the same one 0.74; near, as passages about one matter are."""

BLOCK = 500
"""Memories whose vectors are derived, and stored, at once."""


class Recording:
    """An embedder that hands on what another gives, and keeps it (``ports.Embedder``)."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.kept: dict[str, Vectors] = {}
        """SHA-256 of a text → its vector."""

    @property
    def space(self) -> str:
        """The other's."""
        return self._inner.space

    @property
    def dimension(self) -> int:
        """The other's."""
        return self._inner.dimension

    @property
    def prior(self) -> Background:
        """The other's."""
        return self._inner.prior

    def windows(self, text: str) -> list[str]:
        """The other's."""
        return self._inner.windows(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """The other's, kept."""
        rows = self._inner.embed(texts)
        self.kept |= {_key(text): row for text, row in zip(texts, rows, strict=True)}
        return rows

    def embed_query(self, text: str) -> Vectors:
        """The other's."""
        return self._inner.embed_query(text)


@dataclass(frozen=True)
class Bases:
    """Vectors that the model made of the first memories."""

    vectors: tuple[Vectors, ...]
    """Of each memory, shape (its windows, dimension)."""
    seed: int

    def blocks(self, memories: int) -> Iterator[dict[MemoryId, Vectors]]:
        """The derived vectors of the memories after the first ones, block by block; the same each time."""
        for begin in range(len(self.vectors), memories, BLOCK):
            yield self._block(begin, min(begin + BLOCK, memories))

    def all(self, memories: int) -> Iterator[dict[MemoryId, Vectors]]:
        """As stored: the model's, then the derived ones."""
        yield {memory_id(number): rows for number, rows in enumerate(self.vectors)}
        yield from self.blocks(memories)

    def _block(self, begin: int, end: int) -> dict[MemoryId, Vectors]:
        import numpy as np

        owners = [number % len(self.vectors) for number in range(begin, end)]
        rows = np.concatenate([self.vectors[owner] for owner in owners])
        noise = np.random.default_rng([self.seed, begin]).standard_normal(rows.shape, np.float32)
        rows = rows + noise * (NOISE / np.linalg.norm(noise, axis=1, keepdims=True))
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        ends = np.cumsum([len(self.vectors[owner]) for owner in owners])[:-1]
        return {memory_id(begin + at): part for at, part in enumerate(np.split(rows, ends))}

    def save(self, file: Path) -> None:
        """Keep them beside a store that is kept."""
        import numpy as np

        lengths = np.array([len(rows) for rows in self.vectors])
        np.savez(file, lengths=lengths, rows=np.concatenate(self.vectors), seed=np.array(self.seed))

    @classmethod
    def load(cls, file: Path) -> Bases:
        """What ``save`` kept."""
        import numpy as np

        with np.load(file) as kept:
            parts = np.split(kept["rows"], np.cumsum(kept["lengths"])[:-1])
            return cls(tuple(parts), int(kept["seed"]))


def recorded(recording: Recording, texts: Sequence[Sequence[str]], seed: int) -> Bases:
    """The vectors of memories, given the texts that were embedded of each."""
    import numpy as np

    return Bases(tuple(np.array([recording.kept[_key(text)] for text in each]) for each in texts), seed)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()
