"""How relevant a memory must be to be shown unasked: stricter than where somebody asked (``search.floor``)."""

from __future__ import annotations

from collections.abc import Mapping

GRAPH_SHARE = 0.3
"""What the graph's share adds, as in ``search.floor.Floor.graph``: that a thing is named is a hint, not an answer."""

BAR = 0.40


def worth(found_by: Mapping[str, float]) -> float:
    """How much of the attainable a memory reaches, on its sources' own absolute scales, without vectors."""
    return found_by.get("text", 0.0) + GRAPH_SHARE * found_by.get("graph", 0.0)


def above_bar(found_by: Mapping[str, float]) -> bool:
    """Whether a memory may be shown to somebody who did not ask for it."""
    return worth(found_by) >= BAR
