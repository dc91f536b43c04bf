"""Each source's scores on its own absolute scale: never over the answer's own hits (F-NORM-5, decision 6)."""

from __future__ import annotations

from memory_fabric.model.result import Found


def scale(raw: float, ceiling: float) -> float:
    """The share of a perfect match, in [0, 1]; monotone in ``raw``, blind to other hits."""
    return min(1.0, max(0.0, raw / ceiling)) if ceiling > 0 else 0.0


def normalize(found: Found) -> dict[str, float]:
    """Memory id → scaled relevance by this source alone, in the source's order."""
    return {hit.memory.id: scale(hit.raw, found.ceiling) for hit in found.hits}
