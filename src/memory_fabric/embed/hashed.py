"""An embedder without a model: words and their letter groups hashed into a vector.

For tests, and for machines where 23 MB of model is too much.  It finds shared words and shared word stems, not meaning.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING

from memory_fabric.embed.windows import cut, word_pieces
from memory_fabric.errors import ConfigError
from memory_fabric.ports import Background
from memory_fabric.text import analyse, clean

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

LEAST_DIMENSION = 16
"""Below this, unrelated texts collide more often than not."""
WINDOW = 200
"""Words a window: about as much as the model of the default embedder reads at once."""
OVERLAP = 25
GRAM = 3
"""Letters a group."""
GRAM_SHARE = 0.5
"""Weight of all letter groups of a word together, next to 1 for the word itself."""

PRIOR = Background(mean=0.053, deviation=0.085, pairs=0)
"""At 256 dimensions, over the same four sets as the prior of ``minilm``: .053/.084, .044/.070, .042/.095, .074/.091."""


class HashedEmbedder:
    """``ports.Embedder`` by feature hashing: signed, deterministic on every machine, no state."""

    def __init__(self, dimension: int = 256) -> None:
        """Vectors of that many components, at least 16.

        Raises:
            ConfigError: fewer than 16.
        """
        if dimension < LEAST_DIMENSION:
            raise ConfigError(f"a hashed embedder of {dimension} dimensions", f"at least {LEAST_DIMENSION}")
        self._dimension = dimension

    @property
    def space(self) -> str:
        """Way and dimension: ``hashed-256-v1``."""
        return f"hashed-{self._dimension}-v1"

    @property
    def dimension(self) -> int:
        """Components of a vector."""
        return self._dimension

    @property
    def prior(self) -> Background:
        """Cosines of unrelated pairs, for stores too small to measure their own."""
        return PRIOR

    def windows(self, text: str) -> list[str]:
        """The text in windows of at most 200 words (or CJK characters) that share 25; at least one."""
        text = clean(text)
        return cut(text, word_pieces(text), WINDOW, OVERLAP)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Passages to vectors: shape (len(texts), dimension), float32, length 1, in order; never unavailable."""
        import numpy as np

        vectors = np.zeros((len(texts), self._dimension), np.float64)
        for row, text in enumerate(texts):
            for token, count in Counter(analyse(text)).items():
                for place, weight in _features(token, self._dimension):
                    vectors[row, place] += weight * math.sqrt(count)
            if not vectors[row].any():
                # A text without words still needs a direction; all such texts share one.
                vectors[row, 0] = 1.0
        scaled: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        return scaled

    def embed_query(self, text: str) -> Vectors:
        """A question to a vector: shape (dimension,), float32, length 1."""
        vector: Vectors = self.embed([text])[0]
        return vector


@lru_cache(maxsize=50_000)
def _features(token: str, dimension: int) -> tuple[tuple[int, float], ...]:
    """Where a token's word and letter groups fall, and with which signed weight."""
    marked = f"^{token}$"
    grams = [marked[at : at + GRAM] for at in range(len(marked) - GRAM + 1)]
    share = math.sqrt(GRAM_SHARE / len(grams)) if grams else 0.0
    return (_place(f"word {token}", 1.0, dimension), *(_place(f"gram {gram}", share, dimension) for gram in grams))


def _place(feature: str, weight: float, dimension: int) -> tuple[int, float]:
    number = int.from_bytes(blake2b(clean(feature).encode(), digest_size=8).digest(), "little")
    return (number >> 1) % dimension, weight if number & 1 else -weight
