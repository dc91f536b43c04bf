"""A score is computed from its reasons (F-RANK-1, F-RANK-4 to F-RANK-7)."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Intent, Query, Scope
from memory_fabric.model.result import Answer, Candidate, Factor, Outage, Result

NOW = datetime(2026, 3, 1, tzinfo=UTC)
HIGHEST_AUTHORITY = 1.3
WEIGHTS = (0.3, 0.5, 0.2)


def memory(name: str) -> Memory:
    return Memory(MemoryId(name), "text", MemoryKind.NOTE, None, NOW, Origin("note", SessionId("s")))


def result(*values: float, weights: tuple[float, ...] = WEIGHTS, summed: bool = False) -> Result:
    candidate = Candidate(memory("m"), values[1] if len(values) > 1 else 1.0, {})
    names = ("recency", "relevance", "authority")
    factors = tuple(Factor(*factor) for factor in zip(names, values, weights, strict=False))
    return Result(candidate, factors, summed)


@pytest.mark.parametrize(
    ("recency", "relevance", "authority", "mean", "total"),
    [
        (1.0, 1.0, 1.1, 0.967, 1.02),
        (1.0, 1.0, 1.3, 1.000, 1.06),
        (0.5, 1.0, 1.1, 0.786, 0.87),
        (0.1, 1.0, 1.1, 0.485, 0.75),
        (0.1, 0.8, 1.0, 0.425, 0.63),
    ],
)
def test_scores_of_the_table(recency: float, relevance: float, authority: float, mean: float, total: float) -> None:
    """features.md §7: the geometric mean of scaled authority, the sum of unscaled."""
    assert result(recency, relevance, authority / HIGHEST_AUTHORITY).score == pytest.approx(mean, abs=5e-4)
    summed = result(recency, relevance, authority, summed=True)
    assert summed.raw_score == pytest.approx(total, abs=1e-9)
    assert summed.score == min(1.0, summed.raw_score)


def test_the_sum_with_an_uncapped_boost_is_shown_as_one() -> None:
    """F-RANK-6."""
    summed = result(1.0, 1.2, 1.3, summed=True)
    assert summed.raw_score == pytest.approx(1.16)
    assert summed.score == 1.0


factors = st.floats(0.001, 1.0)
weights = st.floats(0.01, 10.0)


@given(factors, factors, factors)
def test_a_mean_lies_between_its_factors(a: float, b: float, c: float) -> None:
    """D-1: in [0, 1]."""
    score = result(a, b, c).score
    assert min(a, b, c) - 1e-12 <= score <= max(a, b, c) + 1e-12
    assert 0.0 < score <= 1.0


@given(factors, factors, factors, st.floats(1.01, 3.0))
def test_a_better_factor_never_lowers_the_score(a: float, b: float, c: float, lift: float) -> None:
    better = min(1.0, b * lift)
    assert result(a, better, c).raw_score >= result(a, b, c).raw_score - 1e-12
    assert result(a, better, c, summed=True).raw_score >= result(a, b, c, summed=True).raw_score - 1e-12


@given(factors, factors, factors, weights)
def test_only_the_proportion_of_weights_matters_to_the_mean(a: float, b: float, c: float, scale: float) -> None:
    """F-RANK-7."""
    scaled = (WEIGHTS[0] * scale, WEIGHTS[1] * scale, WEIGHTS[2] * scale)
    assert result(a, b, c, weights=scaled).score == pytest.approx(result(a, b, c).score)


@given(factors, factors, factors)
def test_the_mean_is_the_weighted_product(a: float, b: float, c: float) -> None:
    """F-RANK-1, F-RANK-5: anyone can compute it from the explanation."""
    shown = result(a, b, c)
    assert shown.score == pytest.approx(math.prod(f.value**f.weight for f in shown.factors))


@given(factors, factors)
def test_an_equal_factor_changes_no_order(a: float, b: float) -> None:
    assert (result(0.5, a, 0.5).score < result(0.5, b, 0.5).score) == (a < b) or a == pytest.approx(b)


def test_an_old_exact_match_beats_a_vague_fresh_one_up_to_the_stated_relevance() -> None:
    """C-135, features.md §7: at floor f below f^0.6 (0.49 at 0.3)."""
    old = result(0.3, 1.0, 1.0).score
    assert result(1.0, 0.48, 1.0).score < old < result(1.0, 0.49, 1.0).score


def answer(*results: Result, **values: object) -> Answer:
    query = Query("q", "q", ("q",), (), Intent.GENERAL, None, Scope(), NOW)
    return Answer(query, results, {}, **values)  # type: ignore[arg-type]


def test_the_total_counts_hits_less_those_absorbed() -> None:
    """F-RES-3."""
    assert answer(counts={"text": 3, "graph": 2}, absorbed=2).total == 3
    assert answer().total == 0


def test_an_answer_is_degraded_when_a_source_did_not_answer() -> None:
    assert not answer().degraded
    assert answer(outages=(Outage("mem0", "refused"),)).degraded
