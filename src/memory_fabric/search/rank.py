"""Order candidates by a score that is computed from its reasons (F-RANK-1, F-RANK-5)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from memory_fabric.model.query import Query
from memory_fabric.model.result import Candidate, Factor, Result
from memory_fabric.search.factors import authority, recency, relevance
from memory_fabric.search.factors.recency import Curve


@dataclass(frozen=True, slots=True)
class Ranking:
    """Weights and curve of the score: ``recency^0.3 · relevance^0.5 · authority^0.2`` (F-RANK-1, D-1)."""

    recency: float = 0.3
    relevance: float = 0.5
    authority: float = 0.2
    curve: Curve = Curve()
    summed: bool = False
    """The weighted sum of the originals (F-RANK-6)."""


def rank(candidates: Iterable[Candidate], query: Query, ranking: Ranking = Ranking()) -> list[Result]:
    """Results, best first; ties fall to the smaller id (F-RES-1).  The input's order does not matter."""
    results = [Result(each, factors(each, query, ranking), ranking.summed) for each in candidates]
    return sorted(results, key=lambda result: (-result.raw_score, result.candidate.memory.id))


def factors(candidate: Candidate, query: Query, ranking: Ranking) -> tuple[Factor, ...]:
    """The reasons for a candidate's place; weights are normalised to sum 1 (F-RANK-7)."""
    total = ranking.recency + ranking.relevance + ranking.authority
    return (
        Factor("recency", recency(candidate.memory.at, query, ranking.curve), ranking.recency / total),
        Factor("relevance", relevance(candidate), ranking.relevance / total),
        Factor("authority", authority(candidate, scaled=not ranking.summed), ranking.authority / total),
    )
