"""What the turns around a turn lend it: "The cello." means little by itself, and much after "Which instrument?"."""

from __future__ import annotations

from collections.abc import Mapping

from memory_fabric.model.memory import MemoryId
from memory_fabric.sources.bm25 import between

BACK, FORWARD = (0.4, 0.3), (0.35, 0.2)
"""Shares of the turns before and after that are added, nearest first (half of LoCoMo's development questions, lab with
exact scores: recall@10 81.5 without them, 83.1 with them; averaging the vectors themselves gains no more)."""

LENT_AT_MOST = sum((*BACK, *FORWARD))
"""What neighbours add to a turn among turns that all match perfectly."""

IN_CONTEXT = 60
"""Nearest turns, at least, that are ordered anew by what their neighbours lend."""


def vector_context(mean_length: float) -> float:
    """How much neighbours lend, by the mean length of units in tokens: 1 up to 30, 0 from 150 on."""
    return between(1.0, 0.0, mean_length)


def lent(places: Mapping[int, MemoryId], place: int, scores: Mapping[MemoryId, float]) -> float:
    """The weighted sum of the neighbours' scores; a neighbour without one lends nothing."""
    around = [(place - distance, share) for distance, share in enumerate(BACK, 1)]
    around += [(place + distance, share) for distance, share in enumerate(FORWARD, 1)]
    return sum(share * scores.get(places[at], 0.0) for at, share in around if at in places)
