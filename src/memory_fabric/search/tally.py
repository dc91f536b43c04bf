"""How many hits came to how many results (F-RES-3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory_fabric.model.result import Candidate, Found


@dataclass(frozen=True, slots=True)
class Tally:
    """``Σ counts - absorbed`` is the number of results before any limit."""

    counts: Mapping[str, int]
    """Source → its hits that came to a result; what was followed along an edge counts as the graph's."""
    merged: int
    """Results that more than one hit came to."""
    absorbed: int
    """Hits beyond the first of each result."""


def tally(found: Sequence[Found], results: Sequence[Candidate]) -> Tally:
    """Count the hits behind the results; hits below the bar came to nothing and are not counted."""
    handed = {each.source: {hit.memory.id for hit in each.hits} for each in found}
    counts = dict.fromkeys(handed, 0)
    merged = absorbed = 0
    for result in results:
        behind = {memory.id for memory in (result.memory, *result.absorbed)}
        hits = {source: len(behind & ids) for source, ids in handed.items()}
        followed = len(behind - set().union(*handed.values()))
        if followed:
            hits["graph"] = hits.get("graph", 0) + followed
        for source, number in hits.items():
            counts[source] = counts.get(source, 0) + number
        total = sum(hits.values())
        merged += total > 1
        absorbed += total - 1
    return Tally(counts, merged, absorbed)
