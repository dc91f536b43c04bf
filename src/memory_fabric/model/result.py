"""What the stages of a search hand on, and the answer.

A result's score is computed from its factors, so the explanation cannot disagree with it (F-RANK-5).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from memory_fabric.model.graph import Relation
from memory_fabric.model.memory import Memory
from memory_fabric.model.query import Query


@dataclass(frozen=True, slots=True)
class Hit:
    """One source's word for one memory, in that source's own unit."""

    memory: Memory
    raw: float
    """Text: BM25 in raw idf units; vector: cosine standardised by the background; graph: F-ROUTE-5; recent: 0."""
    via: tuple[Relation, ...] = ()
    """The relations that led to it (graph)."""


@dataclass(frozen=True, slots=True)
class Found:
    """All that one source answered."""

    source: str
    hits: tuple[Hit, ...]
    """Best first, no memory twice."""
    authority: float = 1.0
    ceiling: float = 1.0
    """The raw score of a perfect match of this very query, in the source's unit; makes scaling absolute."""
    lent: float = 0.0
    """The share of that ceiling that only a memory's neighbours can lend it, in [0, 1]."""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Outage:
    """A source that did not answer, and why."""

    source: str
    reason: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory with everything the search has learnt about it so far."""

    memory: Memory
    relevance: float
    """In [0, 1], after the mix."""
    found_by: Mapping[str, float]
    """Source → relevance by that source alone, in [0, 1]."""
    authority: float = 1.0
    """Before scaling: 1.3 cross-validated, 1.1 graph-backed, 1.0 otherwise, below for derived text (F-RANK-4)."""
    absorbed: tuple[Memory, ...] = ()
    """Near-duplicates folded into this one, best first; nothing of them is lost (F-DEDUP-6)."""
    cross_validated: bool = False
    linked: tuple[str, ...] = ()
    """Its entities that also stand elsewhere (F-XREF-1); empty when none does."""
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Factor:
    """One reason for a score: ``value`` in (0, 1], with its weight."""

    name: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class Result:
    """A candidate and the reasons for its place."""

    candidate: Candidate
    factors: tuple[Factor, ...]
    summed: bool = False
    """True for the compatibility ranking (F-RANK-6): a weighted sum in place of the geometric mean."""

    @property
    def raw_score(self) -> float:
        """The score before it is shown: may exceed 1 in the summed form only."""
        if self.summed:
            return math.fsum(factor.weight * factor.value for factor in self.factors)
        total = math.fsum(factor.weight for factor in self.factors)
        logs = math.fsum(factor.weight * math.log(factor.value) for factor in self.factors)
        return math.exp(logs / total)

    @property
    def score(self) -> float:
        """In [0, 1]."""
        return min(1.0, self.raw_score)


@dataclass(frozen=True, slots=True)
class Answer:
    """The results, and how they came about."""

    query: Query
    results: tuple[Result, ...]
    mix: Mapping[str, float]
    """Source → weight decided by routing; sums to 1 (empty when nothing was asked)."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Source → its hits that came to a result, shown or not (F-RES-3)."""
    merged: int = 0
    """Results that more than one hit came to."""
    absorbed: int = 0
    """Hits beyond the first of each result."""
    outages: tuple[Outage, ...] = ()
    sure: bool = True
    """Whether any result reaches the bar of an answer; False: what is shown is only near."""
    notes: tuple[str, ...] = ()
    """Plain sentences for the user: an uncalibrated embedder, a scope that was widened."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Stage → duration."""

    @property
    def degraded(self) -> bool:
        """True when a source did not answer."""
        return bool(self.outages)

    @property
    def total(self) -> int:
        """Results before the limit: hits over all sources less those absorbed (F-RES-3)."""
        return sum(self.counts.values()) - self.absorbed
