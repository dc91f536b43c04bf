"""How well a memory answers the question."""

from __future__ import annotations

from memory_fabric.model.result import Candidate

TINY = 1e-6
"""A factor must be above 0 for a geometric mean to keep an order among the others."""


def relevance(candidate: Candidate) -> float:
    """In (0, 1]: the fused relevance."""
    return max(TINY, min(1.0, candidate.relevance))
