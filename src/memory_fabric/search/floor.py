"""Nothing relevant gives nothing, and says so (F-ERR-11): the bar below which a candidate is no answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memory_fabric.model.result import Candidate


@dataclass(frozen=True, slots=True)
class Floor:
    """A candidate stays when any source vouches for it by its own absolute scale."""

    text: float = 0.10
    """Share of the attainable BM25: below it, a long question shares a common word or two with the memory."""
    vector: float = 0.40
    """Share of the way from the background's mean to identity."""


def relevant(candidates: Iterable[Candidate], floor: Floor = Floor()) -> list[Candidate]:
    """The candidates that are worth showing, in order; graph and recent hits always are."""
    return [
        each
        for each in candidates
        if each.found_by.get("text", 0.0) >= floor.text
        or each.found_by.get("vector", 0.0) >= floor.vector
        or "graph" in each.found_by
        or "recent" in each.found_by
    ]
