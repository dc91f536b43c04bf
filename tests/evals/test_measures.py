"""Measures of a ranking, by cases worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.evals.measures import MEASURES, all_gold, evaluate, hit, recall, reciprocal_rank

GOLD = frozenset({"g1", "g2"})


@pytest.mark.parametrize(
    ("ranking", "k", "hits", "every", "share"),
    [
        (["g1", "x"], 1, 1.0, 0.0, 0.5),
        (["x", "g1", "g2"], 1, 0.0, 0.0, 0.0),
        (["x", "g1", "g2"], 2, 1.0, 0.0, 0.5),
        (["x", "g1", "g2"], 3, 1.0, 1.0, 1.0),
        (["g2", "g1"], 5, 1.0, 1.0, 1.0),
        (["x", "y"], 5, 0.0, 0.0, 0.0),
        ([], 5, 0.0, 0.0, 0.0),
    ],
)
def test_hit_all_and_recall_look_at_the_first_k(
    ranking: list[str], k: int, hits: float, every: float, share: float
) -> None:
    assert (hit(ranking, GOLD, k), all_gold(ranking, GOLD, k), recall(ranking, GOLD, k)) == (hits, every, share)


@pytest.mark.parametrize(
    ("ranking", "value"),
    [(["g1"], 1.0), (["x", "g2", "g1"], 0.5), (["x", "y", "z", "g1"], 0.25), (["x"], 0.0), ([], 0.0)],
)
def test_the_reciprocal_rank_is_that_of_the_first_gold_item(ranking: list[str], value: float) -> None:
    assert reciprocal_rank(ranking, GOLD) == value


@pytest.mark.parametrize("k", [1, 5, 10])
def test_the_kth_item_counts_and_the_one_behind_it_does_not(k: int) -> None:
    """Every number at, just below and just above."""
    at_k = [*map(str, range(k - 1)), "g1"]
    behind = [*map(str, range(k)), "g1"]
    measure = MEASURES[f"hit@{k}"]
    assert (measure(at_k, GOLD), measure(behind, GOLD)) == (1.0, 0.0)


def test_the_table_names_what_is_reported() -> None:
    assert list(MEASURES) == ["hit@1", "hit@5", "hit@10", "mrr", "recall@5", "recall@10", "all@5", "all@10"]


def test_a_question_without_an_answer_counts_nought_in_every_measure() -> None:
    """anchors.md §8: expected pairs first, so that nobody gains by not answering."""
    one = {"q1": frozenset({"a"})}
    two = {**one, "q2": frozenset({"b"})}
    answered = {"q1": ["a"]}
    assert set(evaluate(answered, one).values()) == {1.0}
    assert set(evaluate(answered, two).values()) == {0.5}
    assert set(evaluate({}, two).values()) == {0.0}


def test_an_answer_to_a_question_that_was_not_asked_counts_for_nothing() -> None:
    assert evaluate({"q1": ["a"], "q9": ["b"]}, {"q1": frozenset({"a"})})["mrr"] == 1.0


def test_means_are_rounded_to_four_digits() -> None:
    gold = {name: frozenset({"a"}) for name in ("q1", "q2", "q3")}
    assert evaluate({"q1": ["a"]}, gold)["hit@1"] == 0.3333


def test_an_item_returned_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice for q1"):
        evaluate({"q1": ["a", "b", "a"]}, {"q1": frozenset({"a"})})


def test_no_question_is_refused() -> None:
    with pytest.raises(ValueError, match="no question"):
        evaluate({}, {})


@given(st.lists(st.sampled_from("abcdef"), unique=True), st.frozensets(st.sampled_from("abcdef"), min_size=1))
def test_measures_lie_between_nought_and_one_and_grow_with_k(ranking: list[str], gold: frozenset[str]) -> None:
    values = {name: measure(ranking, gold) for name, measure in MEASURES.items()}
    assert all(0.0 <= value <= 1.0 for value in values.values())
    assert values["hit@1"] <= values["hit@5"] <= values["hit@10"]
    assert values["recall@5"] <= values["recall@10"]
    assert values["all@10"] <= values["recall@10"] <= values["hit@10"]
    assert values["hit@1"] <= values["mrr"]


@given(st.lists(st.sampled_from("abcdef"), unique=True, min_size=2))
def test_a_gold_item_that_moves_up_never_lowers_a_measure(ranking: list[str]) -> None:
    """C-155: a metric is tested against a wrong case."""
    gold = frozenset({ranking[-1]})
    better = [ranking[-1], *ranking[:-1]]
    assert all(measure(better, gold) >= measure(ranking, gold) for measure in MEASURES.values())
    assert MEASURES["mrr"](better, gold) > MEASURES["mrr"](ranking, gold)
