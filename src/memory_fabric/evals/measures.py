"""Measures of a ranking: declarations in one table, computed over a closed list of questions.

For a question with gold set G and T_k the first k distinct items returned: definitions of the data's own README.
A question without an answer counts 0 in every measure, so a system cannot gain by not answering.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum

Ranking = Sequence[str]
Gold = frozenset[str]


def hit(ranking: Ranking, gold: Gold, k: int) -> float:
    """1 if any gold item is among the first k."""
    return float(not gold.isdisjoint(ranking[:k]))


def all_gold(ranking: Ranking, gold: Gold, k: int) -> float:
    """1 if every gold item is among the first k; impossible for more gold than k, and counted all the same."""
    return float(gold <= set(ranking[:k]))


def recall(ranking: Ranking, gold: Gold, k: int) -> float:
    """Share of the gold among the first k."""
    return len(gold & set(ranking[:k])) / len(gold)


def reciprocal_rank(ranking: Ranking, gold: Gold) -> float:
    """1 / rank of the first gold item, 0 if none was returned."""
    return next((1.0 / place for place, item in enumerate(ranking, 1) if item in gold), 0.0)


MEASURES: Mapping[str, Callable[[Ranking, Gold], float]] = {
    **{f"hit@{k}": partial(hit, k=k) for k in (1, 5, 10)},
    "mrr": reciprocal_rank,
    **{f"recall@{k}": partial(recall, k=k) for k in (5, 10)},
    **{f"all@{k}": partial(all_gold, k=k) for k in (5, 10)},
}
"""Name → measure; a new one is a function and a line here."""


def evaluate(rankings: Mapping[str, Ranking], gold: Mapping[str, Gold]) -> dict[str, float]:
    """Means over all questions of ``gold``, in the order of the table; rounded to four digits.

    Raises:
        ValueError: there is no question, or a ranking names an item twice.
    """
    if not gold:
        raise ValueError("no question to evaluate")
    for question, ranking in rankings.items():
        if len(set(ranking)) != len(ranking):
            raise ValueError(f"an item is returned twice for {question}")
    return {
        name: round(fsum(measure(rankings.get(q, ()), g) for q, g in gold.items()) / len(gold), 4)
        for name, measure in MEASURES.items()
    }
