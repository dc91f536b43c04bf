"""Nothing relevant gives nothing, and says so (F-ERR-11): the bar below which a candidate is no answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from memory_fabric.model.result import Candidate


@dataclass(frozen=True, slots=True)
class Floor:
    """How much of the attainable a candidate must reach, on its sources' own absolute scales.

    Set on the commits suite's development questions and on 150 questions about other things: 99 % of the sessions that
    are found at all stay, and 3 % of the other questions get an answer.  Other stores will differ somewhat.
    """

    both: float = 0.40
    """Sum of the text's and the vectors' shares, where both know the memory."""
    text: float = 0.24
    """The text's share, where there are no vectors."""
    vector: float = 0.25
    """The vectors' share, in ``vector`` mode."""


def relevant(candidates: Iterable[Candidate], floor: Floor = Floor()) -> list[Candidate]:
    """The candidates that are worth showing, in order; graph and recent hits always are."""
    return [each for each in candidates if _vouched_for(each.found_by, floor)]


def _vouched_for(found_by: Mapping[str, float], floor: Floor) -> bool:
    if "graph" in found_by or "recent" in found_by:
        return True
    text, vector = found_by.get("text"), found_by.get("vector")
    if text is None or vector is None:
        return (text or 0.0) >= floor.text or (vector or 0.0) >= floor.vector
    return text + vector >= floor.both
