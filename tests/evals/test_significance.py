"""Intervals and tests: laws, and cases worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_fabric.evals.significance import EXACT, Interval, Tally, bootstrap, randomization, tally

few = settings(deadline=None, max_examples=40)
shares = st.sampled_from([0.0, 0.2, 0.25, 1 / 3, 0.5, 1.0])
pairs = st.lists(st.tuples(shares, shares), min_size=1, max_size=30)


def sides(drawn: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [a for a, _ in drawn], [b for _, b in drawn]


def test_three_questions_that_all_gained_are_no_proof() -> None:
    """By hand: of the 8 assignments of signs to (1, 1, 1), two have a sum as far from 0 as 3: p = 2 / 8."""
    assert randomization([1, 1, 1], [0, 0, 0]) == 0.25


def test_the_exact_p_of_unequal_differences_is_counted_by_hand() -> None:
    """(3, 1, -1): sums of the 8 assignments are ±5, ±3, ±3, ±1; six of them are at least as far as 3."""
    assert randomization([3, 1, 0], [0, 0, 1]) == 0.75


def test_questions_of_one_group_change_sign_together() -> None:
    """By hand: three conversations, each better on all of its questions, are three facts and not nine."""
    better, worse, groups = [1.0] * 9, [0.0] * 9, list("aaabbbccc")
    assert randomization(better, worse, groups) == 0.25
    assert randomization(better, worse) == pytest.approx(2 / 512)


def test_the_interval_of_two_questions_is_known() -> None:
    """By hand: resamples of (0, 1) have the means 0, 1/2, 1 with the chances 1/4, 1/2, 1/4."""
    assert bootstrap([0.0, 1.0]) == Interval(0.0, 1.0)
    assert bootstrap([0.0, 1.0], confidence=0.4) == Interval(0.5, 0.5)


def test_the_interval_of_many_questions_is_the_normal_one() -> None:
    """400 questions, half of them right: the mean's deviation is 0.025, so 95 % lie within 0.049 of it."""
    interval = bootstrap([0.0, 1.0] * 200)
    assert (interval.low, interval.high) == pytest.approx((0.451, 0.549), abs=0.004)


def test_groups_widen_an_interval_as_their_questions_agree() -> None:
    """40 groups of ten questions that are all right or all wrong say as much as 40 questions."""
    values = [float(group % 2) for group in range(40) for _ in range(10)]
    groups = [group for group in range(40) for _ in range(10)]
    grouped, single = bootstrap(values, groups), bootstrap(values)
    one_each = bootstrap([float(group % 2) for group in range(40)])
    assert grouped == one_each
    assert grouped.high - grouped.low > 2.5 * (single.high - single.low)


def test_large_groups_weigh_more_in_the_mean_over_questions() -> None:
    """Groups of 1 and 9 questions: resamples give the means 0, 9/10 and 1, never the mean of means, 1/2."""
    interval = bootstrap([0.0, *[1.0] * 9], ["small", *["large"] * 9], confidence=0.4)
    assert interval == Interval(pytest.approx(0.9), pytest.approx(0.9))  # type: ignore[arg-type]


@given(st.lists(shares, min_size=1, max_size=30))
@few
def test_an_interval_lies_within_the_values(values: list[float]) -> None:
    interval = bootstrap(values, resamples=200)
    assert min(values) - 1e-12 <= interval.low <= interval.high <= max(values) + 1e-12


@given(shares, st.integers(1, 30))
@few
def test_equal_values_leave_no_doubt(value: float, count: int) -> None:
    """And so does a constant difference of two systems."""
    interval = bootstrap([value] * count, resamples=200)
    assert (interval.low, interval.high) == pytest.approx((value, value))


@given(st.lists(shares, min_size=1, max_size=30))
@few
def test_a_system_does_not_differ_from_itself(values: list[float]) -> None:
    assert randomization(values, values, trials=200) == 1.0
    assert tally(values, values) == Tally(0, len(values), 0)


@given(pairs)
@few
def test_exchanging_the_systems_changes_the_sign_and_nothing_else(drawn: list[tuple[float, float]]) -> None:
    first, second = sides(drawn)
    assert randomization(first, second, trials=200) == randomization(second, first, trials=200)
    ours, theirs = tally(first, second), tally(second, first)
    assert (ours.wins, ours.ties, ours.losses) == (theirs.losses, theirs.ties, theirs.wins)
    there = bootstrap([a - b for a, b in drawn], resamples=200)
    back = bootstrap([b - a for a, b in drawn], resamples=200)
    assert (there.low, there.high) == pytest.approx((-back.high, -back.low))


@given(st.integers(EXACT + 1, 60))
@few
def test_a_constant_difference_of_many_questions_is_no_chance(count: int) -> None:
    """A p of 2 / 2^n at most: only the two assignments without a change come as far."""
    assert randomization([0.5] * count, [0.25] * count, trials=999) <= 0.005


@given(pairs)
@few
def test_p_is_a_chance_and_the_draws_repeat(drawn: list[tuple[float, float]]) -> None:
    first, second = sides(drawn)
    p = randomization(first, second, trials=200)
    assert 0.0 < p <= 1.0
    assert p == randomization(first, second, trials=200)
    assert bootstrap(first, resamples=200) == bootstrap(first, resamples=200)


@pytest.mark.parametrize("extra", [-1, 0, 1])
def test_drawn_and_counted_chances_agree_about_the_limit(extra: int) -> None:
    """One question more than are tried exactly is drawn at random; both give nearly the same p."""
    size = EXACT + extra
    first = [float(number % 3 != 0) for number in range(size)]
    second = [float(number % 3 == 0) for number in range(size)]
    assert randomization(first, second) == pytest.approx(_by_counting(first, second), abs=0.015)


def _by_counting(first: list[float], second: list[float]) -> float:
    differences = [a - b for a, b in zip(first, second, strict=True)]
    sums = [0.0]
    for each in differences:
        sums = [total + sign * each for total in sums for sign in (1, -1)]
    return sum(abs(total) >= abs(sum(differences)) for total in sums) / len(sums)


def test_differences_that_are_rounding_are_ties() -> None:
    assert tally([0.1 + 0.2, 1.0, 0.0], [0.3, 0.0, 1.0]) == Tally(1, 1, 1)
    assert tally([2e-9, 5e-10], [0.0, 0.0]) == Tally(1, 1, 0)


def test_what_cannot_be_meant_is_refused() -> None:
    with pytest.raises(ValueError, match="no value"):
        bootstrap([])
    with pytest.raises(ValueError, match="no value"):
        randomization([], [])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        randomization([1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"shorter|longer"):
        tally([1.0], [])
    with pytest.raises(ValueError, match="1 groups for 2 values"):
        bootstrap([1.0, 2.0], ["a"])


@pytest.mark.parametrize("confidence", [0.0, 1.0, -0.1, 1.1])
def test_a_confidence_outside_nought_and_one_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        bootstrap([1.0], confidence=confidence)
