"""The score: recency, relevance and authority, each in (0, 1] (F-RANK-1 to F-RANK-8, decisions 1 to 3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import NOW, ago, candidate, memory, question

from memory_fabric.model.query import Window
from memory_fabric.model.result import Candidate
from memory_fabric.search.factors import authority, recency, relevance
from memory_fabric.search.factors.recency import Curve, days_between
from memory_fabric.search.rank import Ranking, factors, rank

LINEAR = Ranking(curve=Curve("linear"))


# ── recency ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_happened_now_is_wholly_fresh() -> None:
    assert Curve()(0.0) == 1.0


def test_half_of_what_can_be_lost_is_lost_at_the_half_life() -> None:
    """F-RANK-2: both numbers are settings."""
    assert Curve(half_life=90, floor=0.5)(90) == pytest.approx(0.75)
    assert Curve(half_life=10, floor=0.2)(10) == pytest.approx(0.6)
    assert Curve(half_life=90, floor=0.5)(180) == pytest.approx(0.625)


def test_the_very_old_keep_the_floor() -> None:
    assert Curve(floor=0.5)(100_000) == pytest.approx(0.5)
    assert Curve(floor=0.01)(1e9) == pytest.approx(0.01)


@pytest.mark.parametrize(
    ("days", "value"), [(0, 1.0), (15, 0.5), (26.9, 0.1033), (27, 0.1), (27.1, 0.1), (30, 0.1), (31, 0.1), (4000, 0.1)]
)
def test_the_linear_curve_of_the_originals(days: float, value: float) -> None:
    """F-RANK-2: ``max(0.1, 1 - days / 30)``; the floor is reached at 27 days."""
    assert Curve("linear")(days) == pytest.approx(value, abs=1e-4)


def test_the_undated_are_neutral() -> None:
    """D-2, F-RANK-3: 0.5, never as good as new; with the linear curve like something 15 days old."""
    assert recency(None, question(), Curve()) == 0.5
    assert recency(None, question(), Curve("linear")) == recency(ago(15), question(), Curve("linear"))


@pytest.mark.parametrize(
    "at",
    [
        NOW + timedelta(seconds=1),
        NOW + timedelta(days=10),
        NOW + timedelta(days=30),
        datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
        datetime.max.replace(tzinfo=UTC),
    ],
)
@pytest.mark.parametrize("curve", [Curve(), Curve("linear")])
def test_the_future_counts_as_now(at: datetime, curve: Curve) -> None:
    """C-133: ten days ahead divided by zero, thirty days ahead weighed 10.04."""
    assert days_between(at, question()) == 0.0
    assert curve(-10.0) == curve(-1e9) == 1.0
    assert recency(at, question(), curve) == 1.0


@pytest.mark.parametrize("at", [datetime(1970, 1, 1, tzinfo=UTC), datetime(1, 1, 1, tzinfo=UTC)])
def test_the_epoch_is_only_old(at: datetime) -> None:
    """C-133: epoch 0, as a missing time often is."""
    assert recency(at, question(), Curve()) == pytest.approx(0.5)
    assert recency(at, question(), Curve("linear")) == 0.1


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)), st.sampled_from(["soft", "linear"]))
def test_recency_is_bounded_whenever_it_was_and_is(at: datetime, now: datetime, curve: str) -> None:
    """C-133: a bounded weight in (0, 1]."""
    assert 0.1 <= recency(at, question(now=now), Curve(curve)) <= 1.0


@given(st.floats(0, 1e5), st.floats(0, 1e5), st.sampled_from(["soft", "linear"]))
def test_older_is_never_fresher(one: float, other: float, curve: str) -> None:
    young, old = sorted((one, other))
    assert Curve(curve)(old) <= Curve(curve)(young)


def test_recency_is_measured_from_the_time_asked_about() -> None:
    """C-139, F-RANK-8: asked in September about March, what was said in March is fresh and today's is not."""
    march = question(window=Window(datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC)))
    inside, before = datetime(2026, 3, 20, tzinfo=UTC), datetime(2026, 2, 19, tzinfo=UTC)
    assert days_between(inside, march) == 0.0
    assert days_between(before, march) == 10.0
    assert days_between(datetime(2026, 4, 11, tzinfo=UTC), march) == 10.0
    assert recency(inside, march, Curve()) == 1.0 > recency(NOW, march, Curve())


@pytest.mark.parametrize(("seconds", "days"), [(-1, 1 / 86_400), (0, 0.0), (1, 0.0)])
def test_the_window_begins_at_its_first_second(seconds: int, days: float) -> None:
    window = Window(datetime(2026, 3, 1, tzinfo=UTC), datetime(2026, 4, 1, tzinfo=UTC))
    at = datetime(2026, 3, 1, tzinfo=UTC) + timedelta(seconds=seconds)
    assert days_between(at, question(window=window)) == pytest.approx(days)


def test_recency_is_measured_from_the_instant_that_the_question_is_about() -> None:
    """Design decision 2; it says better than words when."""
    asked = replace(question(window=Window(ago(400), ago(399))), around=ago(100))
    assert days_between(ago(100), asked) == 0.0
    assert days_between(ago(110), asked) == pytest.approx(10.0)
    assert days_between(ago(90), asked) == pytest.approx(10.0)


def test_an_open_window_is_near_on_its_open_side() -> None:
    since = question(window=Window(since=ago(10)))
    assert days_between(ago(3), since) == 0.0
    assert days_between(ago(11), since) == pytest.approx(1.0)
    assert days_between(ago(300), question(window=Window())) == 0.0


# ── authority and relevance ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("raw", "scaled"), [(1.3, 1.0), (1.1, 0.846), (1.0, 0.769)])
def test_authority_is_divided_by_its_highest(raw: float, scaled: float) -> None:
    """F-RANK-4."""
    given_ = candidate("m", authority=raw)
    assert authority(given_) == pytest.approx(scaled, abs=5e-4)
    assert authority(given_, scaled=False) == raw


@pytest.mark.parametrize(
    ("given_", "value"), [(-0.1, 1e-6), (0.0, 1e-6), (1e-7, 1e-6), (0.3, 0.3), (1.0, 1.0), (1.1, 1.0)]
)
def test_relevance_is_above_zero_and_at_most_one(given_: float, value: float) -> None:
    """D-1: every factor must lie in (0, 1], or the others could not order anything."""
    assert relevance(candidate("m", given_)) == value


# ── the score ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("days", "fused", "raw", "mean", "total"),
    [
        (0.0, 1.0, 1.1, 0.967, 1.02),
        (0.0, 1.0, 1.3, 1.000, 1.06),
        (None, 1.0, 1.1, 0.786, 0.87),
        (26.99, 1.0, 1.1, 0.485, 0.75),
        (27.0, 1.0, 1.1, 0.485, 0.75),
        (300.0, 1.0, 1.1, 0.485, 0.75),
        (30.0, 0.8, 1.0, 0.425, 0.63),
    ],
)
def test_the_table_of_scores(days: float | None, fused: float, raw: float, mean: float, total: float) -> None:
    """features.md §7, with the original curve: the geometric mean, and the sum of the originals (F-RANK-6)."""
    given_ = candidate(memory("m", days=days), fused, authority=raw)
    (geometric,) = rank([given_], question(), LINEAR)
    (summed,) = rank([given_], question(), replace(LINEAR, summed=True))
    assert geometric.score == pytest.approx(mean, abs=1e-3)
    assert summed.raw_score == pytest.approx(total, abs=1e-3)
    assert summed.score == min(1.0, summed.raw_score)


def test_the_sum_is_ordered_by_its_unclamped_value() -> None:
    """F-RANK-6: two results that both show 1.0 keep their order."""
    better = candidate("z", 1.0, authority=1.3)
    good = candidate("a", 1.0, authority=1.1)
    ranked = rank([good, better], question(), Ranking(summed=True))
    assert [each.candidate.memory.id for each in ranked] == ["z", "a"]
    assert [each.score for each in ranked] == [1.0, 1.0]


def test_the_weights_of_the_seeds() -> None:
    """F-RANK-1: 0.3, 0.5 and 0.2, in this order, and the explanation shows them (F-RANK-5)."""
    shown = factors(candidate("m"), question(), Ranking())
    assert [each.name for each in shown] == ["recency", "relevance", "authority"]
    assert [each.weight for each in shown] == pytest.approx([0.3, 0.5, 0.2])


def test_weights_are_normalised_to_one() -> None:
    """F-RANK-7: settings of 3, 5 and 2 mean the same as 0.3, 0.5 and 0.2."""
    given_ = candidate(memory("m", days=40), 0.37, authority=1.1)
    (plain,) = rank([given_], question())
    (large,) = rank([given_], question(), Ranking(3, 5, 2))
    assert large.score == pytest.approx(plain.score)
    assert sum(each.weight for each in large.factors) == pytest.approx(1.0)


def test_a_weight_of_zero_takes_its_factor_out() -> None:
    old, new = candidate(memory("old", days=900), 0.6), candidate(memory("new"), 0.5)
    ranked = rank([old, new], question(), Ranking(recency=0.0))
    assert [each.candidate.memory.id for each in ranked] == ["old", "new"]


def test_an_exact_old_answer_beats_a_vague_new_one() -> None:
    """C-135 and the tension of features.md §7: with the floor of 0.5 it wins while the new one is below 0.66."""
    old = candidate(memory("old", days=400), 1.0)
    for vague, first in ((0.64, "old"), (0.65, "old"), (0.75, "new")):
        ranked = rank([old, candidate(memory("new"), vague)], question())
        assert ranked[0].candidate.memory.id == first


def test_ties_fall_to_the_smaller_id() -> None:
    """F-RES-1."""
    ranked = rank([candidate("b"), candidate("c"), candidate("a")], question())
    assert [each.candidate.memory.id for each in ranked] == ["a", "b", "c"]


def _candidate(name: str, relevance_: float, days: float | None, raw: float) -> Candidate:
    return candidate(memory(name, days=days), relevance_, authority=raw)


some = st.builds(
    _candidate,
    st.text("abcdef", min_size=1, max_size=4),
    st.floats(0, 1),
    st.one_of(st.none(), st.floats(-100, 5000)),
    st.sampled_from([0.8, 1.0, 1.1, 1.3]),
)
several = st.lists(some, max_size=8, unique_by=lambda each: each.memory.id)


@given(several.flatmap(lambda them: st.tuples(st.just(them), st.permutations(them))), st.booleans())
def test_rank_does_not_depend_on_the_order_of_its_input(
    both: tuple[list[Candidate], list[Candidate]], summed: bool
) -> None:
    ranking = Ranking(summed=summed)
    assert rank(both[0], question(), ranking) == rank(both[1], question(), ranking)


@given(several)
def test_scores_lie_in_zero_to_one_and_order_totally(them: list[Candidate]) -> None:
    ranked = rank(them, question())
    assert all(0 < each.score <= 1 for each in ranked)
    keys = [(-each.score, each.candidate.memory.id) for each in ranked]
    assert keys == sorted(set(keys))
    assert len(ranked) == len(them)


@given(some, st.floats(0, 1), st.booleans())
def test_more_relevance_never_lowers_a_score(it: Candidate, other: float, summed: bool) -> None:
    low, high = sorted((it.relevance, other))
    ranking = Ranking(summed=summed)
    (less,), (more,) = (rank([replace(it, relevance=value)], question(), ranking) for value in (low, high))
    assert less.raw_score <= more.raw_score + 1e-12
