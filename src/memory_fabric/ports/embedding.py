"""Embedding: texts to vectors of one space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Background:
    """Cosines of unrelated question-passage pairs of one space in this store: the zero of its scale (decision 7)."""

    mean: float
    deviation: float
    pairs: int
    best: float = 1.0
    """Cosine of a question with a passage of the very same words: below 1 where a model wants them marked."""


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
