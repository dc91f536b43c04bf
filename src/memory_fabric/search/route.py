"""How much each source counts: vector confidence decides how much graph to mix in (F-ROUTE-2, decision 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_fabric.model.query import Mode
from memory_fabric.model.result import Found

OWN = ("text", "vector", "graph", "recent", "time")
"""Our own sources; every other one is an outside memory."""


@dataclass(frozen=True, slots=True)
class Routing:
    """Weights of the sources' raw scores, and the confidence between which the graph's share fades.

    ``sure`` and ``unsure`` are in deviations above the embedder's own background, so that they hold for any calibrated
    embedder; the cosine constants of one model are never reused for another (F-ROUTE-3).  They were set on half of
    one project's questions (``eval own``): treat them as a starting point, not as knowledge.  An earlier fade lost what
    only the graph finds and gained nothing.
    """

    text: float = 1.0
    vector: float = 2.5
    """BM25 plus 2 to 3 times the standardised cosine (retrieval.md §2)."""
    graph: float = 3.0
    """The graph's weight when vectors are unsure (F-ROUTE-2), and in ``hybrid`` mode."""
    recent: float = 1.0
    time: float = 1.0
    """Nearness to the instant asked about; its raw scores are in units of words (``sources.time``)."""
    outside: float = 1.0
    """Every outside memory's own word, in idf units for a perfect match of its own: what one middling word is worth.

    Small, since what it found is weighed by our text and vectors as well: their scale tells good from bad, an outside
    memory's often only "named" from "holds a word of it".  It settles what is otherwise equal.
    """
    sure: float = 7.5
    unsure: float = 5.5


def graph_share(confidence: float, routing: Routing) -> float:
    """1 at or below ``unsure``, 0 at or above ``sure``, falling evenly between (F-ROUTE-2)."""
    if confidence >= routing.sure:
        return 0.0
    if confidence <= routing.unsure:
        return 1.0
    return (routing.sure - confidence) / (routing.sure - routing.unsure)


def route(found: Sequence[Found], mode: Mode, routing: Routing = Routing()) -> dict[str, float]:
    """Source → weight of its raw scores; 0 leaves a source out.

    In ``auto`` mode the graph fades as the best vector hit grows sure; without vectors it keeps its whole weight.
    """
    weights = {each.source: _base(each.source, routing) for each in found}
    if mode is Mode.AUTO and "graph" in weights and "vector" in weights:
        best = max((hit.raw for each in found if each.source == "vector" for hit in each.hits), default=0.0)
        weights["graph"] *= graph_share(best, routing)
    return weights


def _base(source: str, routing: Routing) -> float:
    return float(getattr(routing, source)) if source in OWN else routing.outside


def mix(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights as shares that sum to 1; empty when nothing counts."""
    total = sum(weights.values())
    return {source: weight / total for source, weight in weights.items()} if total > 0 else {}
