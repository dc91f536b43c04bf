"""Measures of a ranking, by cases worked out by hand."""

from __future__ import annotations

from math import log2

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_fabric.evals.measures import HEADLINE, MEASURES, all_gold, evaluate, hit, ndcg, recall, reciprocal_rank

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
    """Issue 4: ``hit@k any@k all@k recall@k mrr ndcg@k``, k 1, 5, 10."""
    families = ("hit", "any", "all", "recall", "ndcg")
    published = {"recall@2", "recall@20", "recall@25"}
    assert set(MEASURES) == {f"{name}@{k}" for name in families for k in (1, 5, 10)} | {"mrr"} | published
    assert set(HEADLINE) <= set(MEASURES)


def test_a_question_without_an_answer_counts_nought_in_every_measure() -> None:
    """anchors.md §8: expected pairs first, so that nobody gains by not answering."""
    one = {"q1": frozenset({"a"})}
    two = {**one, "q2": frozenset({"b"})}
    answered = {"q1": ["a"]}
    assert set(evaluate(answered, one).values()) == {1.0}
    assert set(evaluate(answered, two).values()) == {0.5}
    assert set(evaluate({}, two).values()) == {0.0}


def test_an_answer_to_a_question_that_was_not_asked_is_refused() -> None:
    """The list of expected pairs is closed: whoever answers another list is told, not measured."""
    with pytest.raises(ValueError, match="not asked: q9"):
        evaluate({"q1": ["a"], "q9": ["b"]}, {"q1": frozenset({"a"})})


def test_a_question_without_gold_is_refused() -> None:
    with pytest.raises(ValueError, match="q1: no gold"):
        evaluate({}, {"q1": frozenset()})


@pytest.mark.parametrize(
    ("ranking", "k", "value"),
    [
        (["g1", "g2"], 10, 1.0),
        (["g2", "x", "g1"], 10, 1.5 / (1.0 + 1.0 / log2(3))),
        (["x", "g1"], 10, (1.0 / log2(3)) / (1.0 + 1.0 / log2(3))),
        (["g1", "x"], 1, 1.0),
        (["x", "g1"], 1, 0.0),
        (["x", "y", "z", "v", "g1"], 5, (1.0 / log2(6)) / (1.0 + 1.0 / log2(3))),
        (["x", "y", "z", "v", "w", "g1"], 5, 0.0),
        ([], 5, 0.0),
    ],
)
def test_ndcg_discounts_by_rank_and_divides_by_the_ideal(ranking: list[str], k: int, value: float) -> None:
    """Gains of 1 at rank 1, 1 / log2(3) at 2, 1 / 2 at 3; two gold items, so the ideal at k = 1 is one of them."""
    assert ndcg(ranking, GOLD, k) == pytest.approx(value, abs=1e-12)


@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3", "q4"]),
        st.tuples(
            st.lists(st.sampled_from("abcdefghijklmnop"), unique=True),
            st.frozensets(st.sampled_from("abcdefghijklmnop"), min_size=1),
        ),
        min_size=1,
    )
)
@settings(deadline=None)
def test_our_measures_are_those_of_ir_measures(cases: dict[str, tuple[list[str], frozenset[str]]]) -> None:
    """``ir-measures`` has no name for all@k: that one is worked out by hand above."""
    import ir_measures

    theirs = {"hit": ir_measures.Success, "any": ir_measures.Success, "recall": ir_measures.R, "ndcg": ir_measures.nDCG}
    names = {f"{ours}@{k}": measure @ k for ours, measure in theirs.items() for k in (1, 5, 10)}
    names["mrr"] = ir_measures.RR
    judged = {question: dict.fromkeys(gold, 1) for question, (_, gold) in cases.items()}
    returned = {
        question: {item: 1.0 / place for place, item in enumerate(ranking, 1)}
        for question, (ranking, _) in cases.items()
    }
    expected = ir_measures.calc_aggregate(set(names.values()), judged, returned)
    ours = evaluate(
        {question: ranking for question, (ranking, _) in cases.items()},
        {question: gold for question, (_, gold) in cases.items()},
    )
    assert {name: ours[name] for name in names} == pytest.approx(
        {name: expected[measure] for name, measure in names.items()}, abs=5.1e-5
    )


def test_means_are_rounded_to_four_digits() -> None:
    gold = {name: frozenset({"a"}) for name in ("q1", "q2", "q3")}
    assert evaluate({"q1": ["a"]}, gold)["hit@1"] == 0.3333


def test_an_item_returned_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="q1: an item is returned twice"):
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
