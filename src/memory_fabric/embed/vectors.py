"""Checks on what a model returns, the same for every model: vectors of length 1, and a model that tells texts apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memory_fabric.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

UNRELATED = (
    "The invoice service retries a failed payment three times before it gives up.",
    "Water the tomatoes early in the morning, and cut off the lowest leaves.",
)
"""Two sentences that no working model takes for the same."""

TOO_ALIKE = 0.9
"""Cosine above which the two unrelated sentences unmask a broken model (F-VEC-4)."""


def unit(vectors: Vectors) -> Vectors | None:
    """The rows scaled to length 1 (C-068), or None when a row is zero or holds something that is not a number."""
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        return None
    return np.asarray(vectors / lengths, np.float32)


def refuse_broken(space: str, dimension: int, vectors: Vectors) -> None:
    """Refuse a model by what it made of ``UNRELATED``; exactly 0.9 passes (F-VEC-4).

    Raises:
        EmbedderUnavailable: not one vector a text, not of the dimension, not numbers, or both the same.
    """
    hint = "text and graph search go on; choose another embedder, or reinstall this one"
    if vectors.shape != (len(UNRELATED), dimension):
        reason = f"{len(UNRELATED)} texts gave vectors of shape {vectors.shape}, expected {(len(UNRELATED), dimension)}"
        raise EmbedderUnavailable(f"embedder {space}: {reason}", hint)
    scaled = unit(vectors)
    if scaled is None:
        raise EmbedderUnavailable(f"embedder {space}: its vectors hold no direction", hint)
    cosine = round(float(scaled[0] @ scaled[1]), 6)  # what float32 can tell apart
    if cosine > TOO_ALIKE:
        reason = f"two unrelated sentences have cosine {cosine:.3f}, above {TOO_ALIKE}"
        raise EmbedderUnavailable(f"embedder {space}: {reason}", hint)
