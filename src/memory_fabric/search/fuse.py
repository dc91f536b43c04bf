"""One candidate a memory: the sources' raw scores are added, never their ranks (decision 6, retrieval.md §2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from memory_fabric.model.graph import Relation
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind
from memory_fabric.model.query import Query, Window
from memory_fabric.model.result import Candidate, Found
from memory_fabric.search.normalize import scale
from memory_fabric.search.voice import voice

TIME_WEIGHT = 12.0
"""Raw score of a memory from inside the time that the question names (retrieval.md §5: 4, stronger is plausible; on
half of LoCoMo's development questions recall@5 was 72.2 at 4, 72.9 at 8, 73.1 at 12)."""

GRAPH_AUTHORITY = 1.1
"""A memory that relations lead to, not one that only mentions what was asked (F-RANK-4)."""

DERIVED_AUTHORITY = 0.7
"""Derived text, such as compaction summaries: below 1.0 (F-RANK-4, C-019)."""

Weighed = Mapping[str, Mapping[MemoryId, float]]
"""Source → raw scores of memories that other sources found."""


def fuse(query: Query, found: Sequence[Found], weighed: Weighed, weights: Mapping[str, float]) -> list[Candidate]:
    """Candidates in no particular order.

    ``relevance`` is the share of the best attainable sum: absolute, linear, the same for every candidate of a
    question, so it keeps the order of the sums.  A source of no weight brings only what relations lead to, in the
    place that the others' scores give it: facts two hops apart belong into one answer (F-TRAV-6).
    """
    ceilings = {each.source: each.ceiling for each in found}
    timed = TIME_WEIGHT if query.window is not None else 0.0
    best = sum(weights[source] * ceiling for source, ceiling in ceilings.items()) + timed
    raw: dict[MemoryId, dict[str, float]] = {}
    memories: dict[MemoryId, Memory] = {}
    relations: dict[MemoryId, list[Relation]] = {}
    backed: set[MemoryId] = set()
    for each in found:
        for hit in each.hits:
            if not weights[each.source] and not hit.via:
                continue
            memories[hit.memory.id] = hit.memory
            raw.setdefault(hit.memory.id, {})[each.source] = hit.raw
            relations.setdefault(hit.memory.id, []).extend(hit.via)
            if hit.via and weights[each.source]:
                backed.add(hit.memory.id)
    candidates = []
    for id_, memory in memories.items():
        scores = {source: values[id_] for source, values in weighed.items() if id_ in values} | raw[id_]
        total = voice(memory, query) * sum(weights.get(source, 0.0) * score for source, score in scores.items())
        if query.window is not None:
            total += timed * closeness(memory, query.window)
        candidates.append(
            Candidate(
                memory=memory,
                relevance=scale(total, best),
                found_by={source: scale(score, ceilings[source]) for source, score in scores.items()},
                authority=_authority(memory, id_ in backed),
                relations=tuple(dict.fromkeys(relations[id_])),
            )
        )
    return candidates


def closeness(memory: Memory, window: Window) -> float:
    """1 inside the window, falling off by its half-width outside; 0 for the undated (retrieval.md §5)."""
    if memory.at is None:
        return 0.0
    since, before = window.since or memory.at, window.before or memory.at
    half = max((before - since).total_seconds() / 2, 43_200.0)
    centre = since + (before - since) / 2
    outside = max(0.0, abs((memory.at - centre).total_seconds()) - half)
    return math.exp(-outside / half)


def _authority(memory: Memory, graph_backed: bool) -> float:
    if memory.kind is MemoryKind.SUMMARY:
        return DERIVED_AUTHORITY
    return GRAPH_AUTHORITY if graph_backed else 1.0
