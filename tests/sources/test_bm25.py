"""Exact BM25, against numbers worked out by hand (decision 17, retrieval.md §9)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.model.memory import MemoryId, SessionId
from memory_fabric.ports import TextStatistics, TextUnit
from memory_fabric.sources.bm25 import (
    B_UNIT,
    BACK,
    FORWARD,
    K1,
    PROMPT_WEIGHT,
    Scorer,
    context_b,
    context_weight,
    idf,
)


def unit(prompt: str, reply: str = "", place: int = 0, length: int | None = None) -> TextUnit:
    def spaced(text: str) -> str:
        return f" {'  '.join(text.split())} "

    size = len(prompt.split()) + len(reply.split()) if length is None else length
    return TextUnit(MemoryId(f"m{place}"), SessionId("s"), place, spaced(prompt), spaced(reply), size)


def scorer(*terms: str, units: int = 10, mean: float = 100.0, frequency: int = 1) -> Scorer:
    return Scorer.of(terms, TextStatistics(units, mean, dict.fromkeys(terms, frequency)))


# ── idf ──────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("frequency", "units", "value"),
    [(0, 0, math.log(2)), (1, 10, math.log(1 + 9.5 / 1.5)), (10, 10, math.log(1 + 0.5 / 10.5))],
)
def test_lucenes_inverse_document_frequency(frequency: int, units: int, value: float) -> None:
    assert idf(frequency, units) == pytest.approx(value)


@given(st.integers(0, 10_000), st.integers(0, 10_000))
def test_every_word_is_worth_something_and_rarer_ones_more(one: int, other: int) -> None:
    """FTS5 floors the idf of frequent words; this does not."""
    rare, common = sorted((one, other))
    assert 0 < idf(common, 10_000) <= idf(rare, 10_000)


# ── the weight of the context ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("mean", "weight"),
    [
        (0, 1.5),
        (29.9, 1.5),
        (30, 1.5),
        (30.1, 1.4977),
        (math.sqrt(30 * 150), 0.95),
        (149.9, 0.4005),
        (150, 0.4),
        (150.1, 0.4),
        (9999, 0.4),
    ],
)
def test_the_context_counts_more_where_units_are_short(mean: float, weight: float) -> None:
    """retrieval.md §9: 1.5 up to 30 tokens, 0.4 from 150, between them by the logarithm."""
    assert context_weight(mean) == pytest.approx(weight, abs=1e-4)


@given(st.floats(0, 1e5), st.floats(0, 1e5))
def test_the_weight_only_falls(one: float, other: float) -> None:
    short, long = sorted((one, other))
    assert 0.3 <= context_weight(long) <= context_weight(short) <= 1.5


# ── scores ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_constants_of_the_measurements() -> None:
    """retrieval.md §9: k1 0.9, b 0.5 for the exchange; a user's word counts 1.4."""
    assert (K1, B_UNIT, PROMPT_WEIGHT, BACK, FORWARD) == (0.9, 0.5, 1.4, 4, 3)


@pytest.mark.parametrize(("mean", "b"), [(10.0, 0.0), (30.0, 0.0), (31.0, 0.0153), (150.0, 0.75), (900.0, 0.75)])
def test_the_length_of_a_short_turn_does_not_weigh_on_what_its_neighbours_say(mean: float, b: float) -> None:
    assert context_b(mean) == pytest.approx(b, abs=1e-3)


def test_a_small_case_by_hand() -> None:
    """Two terms, in 1 and 2 of 3 units; mean length 4; a unit of 6 tokens holds the first twice, the second once.

    idf 0.9808 and 0.4700; norm 0.9 (0.5 + 0.5 6/4) = 1.125.
    2 1.9/3.125 0.9808 + 1 1.9/2.125 0.4700 = 1.6129.
    """
    score = Scorer.of(["cache", "redis"], TextStatistics(3, 4.0, {"cache": 1, "redis": 2}))
    it = unit("", "cache b cache redis e f")
    assert score.idfs == pytest.approx((math.log(1 + 2.5 / 1.5), math.log(1 + 1.5 / 2.5)))
    assert score.counts(it) == (2.0, 1.0)
    assert score.own(it, score.counts(it)) == pytest.approx(1.6129, abs=1e-4)


def test_a_word_of_the_user_counts_1_4() -> None:
    """retrieval.md §9."""
    score = scorer("cache")
    assert score.counts(unit("cache cache", "cache")) == pytest.approx((3.8,))
    assert score.counts(unit("cacher caches", "")) == (0.0,)


def test_an_average_unit_with_the_word_once_scores_its_idf() -> None:
    score = scorer("cache", mean=3)
    assert score.own(unit("", "cache b c"), (1.0,)) == pytest.approx(score.idfs[0])


@pytest.mark.parametrize(
    ("distance", "decay"),
    [(-5, 0.0), (-4, 0.512), (-3, 0.64), (-2, 0.8), (-1, 1.0), (1, 0.6), (2, 0.48), (3, 0.384), (4, 0.0)],
)
def test_neighbours_lend_their_words(distance: int, decay: float) -> None:
    """retrieval.md §9: four exchanges before, three after, fading by 0.8, those after at 0.6."""
    score = scorer("cache", mean=3)
    here = unit("", "a b c", place=10)
    lent = score.neighbourhood(here, {10: (0.0,), 10 + distance: (1.0,)})
    assert lent == pytest.approx(score.context * score.idfs[0] * decay * (K1 + 1) / (decay + K1))


def test_the_neighbourhood_holds_the_unit_itself() -> None:
    score = scorer("cache", mean=3)
    assert score.neighbourhood(unit("", "cache b c"), {0: (1.0,)}) == pytest.approx(score.context * score.idfs[0])


counts = st.lists(st.floats(0, 1e4), min_size=2, max_size=2).map(tuple)


@given(counts, st.integers(0, 5000), st.dictionaries(st.integers(-6, 6), counts), st.floats(0, 1000))
def test_no_score_passes_the_ceiling(
    own: tuple[float, float], length: int, around: dict[int, tuple[float, float]], mean: float
) -> None:
    """F-NORM-5: the ceiling is that of a unit full of every term; it makes the scale absolute."""
    score = Scorer.of(["cache", "redis"], TextStatistics(100, mean, {"cache": 3, "redis": 50}))
    it = unit("", "x", length=length)
    total = score.own(it, own) + score.neighbourhood(it, {**around, 0: own})
    assert 0 <= total <= score.ceiling


@given(st.floats(0, 100), st.floats(0, 100), st.integers(0, 500), st.integers(0, 500))
def test_more_of_a_word_counts_more_and_longer_units_less(one: float, other: float, a: int, b: int) -> None:
    score = scorer("cache")
    few, many = sorted((one, other))
    short, long = sorted((a, b))
    assert score.own(unit("", "", length=long), (few,)) <= score.own(unit("", "", length=long), (many,)) + 1e-12
    assert score.own(unit("", "", length=long), (few,)) <= score.own(unit("", "", length=short), (few,)) + 1e-12


def test_no_terms_score_nothing() -> None:
    score = scorer()
    assert score.ceiling == 0.0
    assert score.own(unit("a", "b"), score.counts(unit("a", "b"))) == 0.0
