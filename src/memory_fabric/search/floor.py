"""Nothing relevant gives nothing, and says so (F-ERR-11): the bar that an answer must reach, and what is near it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, replace

from memory_fabric.model.graph import EntityId, RelationOrigin
from memory_fabric.model.result import Candidate
from memory_fabric.search.favour import touches


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
    graph: float = 0.3
    """What the graph's share adds to the others': that a thing is named, or was used, is a hint, not an answer.

    What a stated relation leads to is one (F-TRAV-6), so is what touched a file that is asked about, and in ``graph``
    mode, where nothing else speaks, everything is.
    """
    time: float = 0.2
    """What lying at the very instant asked about adds: alone it makes a memory near, beside half the bar an answer."""
    nearness: float = 0.6
    """The share of the bar from which a candidate is shown beside a sure one, or, where none is sure, as near.

    Of a bar that is the lower, the more of the attainable only neighbours can lend: a short turn reaches little by
    itself.  On conversations of short turns that is 0.3 of the bar, on transcripts about half.
    """

    def near(self, lent: float = 0.0) -> Floor:
        """The bar of what is shown at all, where ``lent``, in [0, 1], is the share that only neighbours can give."""
        by = self.nearness * (1.0 - lent)
        return replace(self, both=by * self.both, text=by * self.text, vector=by * self.vector)


def relevant(
    candidates: Iterable[Candidate], floor: Floor = Floor(), named: Set[EntityId] = frozenset()
) -> list[Candidate]:
    """The candidates that are worth showing, in order; ``named`` are the artifacts that the question names."""
    return [each for each in candidates if _bears_on(each, named) or _vouched_for(each.found_by, floor)]


def _bears_on(candidate: Candidate, named: Set[EntityId]) -> bool:
    """Whether relations led to it by what somebody said in it, or as it touched an artifact that is asked about."""
    told = any(relation.origin is not RelationOrigin.OBSERVED for relation in candidate.relations)
    return told or touches(candidate, named)


def _vouched_for(found_by: Mapping[str, float], floor: Floor) -> bool:
    text, vector = found_by.get("text"), found_by.get("vector")
    if text is None and vector is None:
        return bool(found_by)
    hints = floor.graph * found_by.get("graph", 0.0) + floor.time * found_by.get("time", 0.0)
    reached = (text or 0.0) + (vector or 0.0) + hints
    return reached >= (floor.vector if text is None else floor.text if vector is None else floor.both)
