"""Measures of a ranking: declarations in one table, computed over a closed list of questions.

For a question with gold set G and T_k the first k distinct items returned: definitions of the data's own README.
A question without an answer counts 0 in every measure, so a system cannot gain by not answering; an answer to a
question that was not asked is an error, so that nobody is measured on another list than the one that is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import fsum, log2

Ranking = Sequence[str]
Gold = frozenset[str]
Measure = Callable[[Ranking, Gold], float]

CUTS = (1, 5, 10)
"""Depths that are reported (issue 4): the first answer, one screen, one page."""


PUBLISHED = (2, 20, 25)
"""Further depths of recall that are published, and are the floors of the evaluation data: 2 for passages (HippoRAG),
20 for BEAM's messages, 25 for LoCoMo's turns."""


def hit(ranking: Ranking, gold: Gold, k: int) -> float:
    """1 if any gold item is among the first k; also called any@k."""
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


def ndcg(ranking: Ranking, gold: Gold, k: int) -> float:
    """Binary gains discounted by 1 / log2(rank + 1), over those of the ideal ranking: min(k, size of G) items."""
    gained = fsum(1.0 / log2(place + 1) for place, item in enumerate(ranking[:k], 1) if item in gold)
    return gained / fsum(1.0 / log2(place + 1) for place in range(1, min(k, len(gold)) + 1))


MEASURES: Mapping[str, Measure] = {
    **{f"hit@{k}": partial(hit, k=k) for k in CUTS},
    **{f"any@{k}": partial(hit, k=k) for k in CUTS},
    **{f"all@{k}": partial(all_gold, k=k) for k in CUTS},
    **{f"recall@{k}": partial(recall, k=k) for k in sorted({*CUTS, *PUBLISHED})},
    "mrr": reciprocal_rank,
    **{f"ndcg@{k}": partial(ndcg, k=k) for k in CUTS},
}
"""Name → measure; a new one is a function and a line here.  ``any@k`` is ``hit@k`` under another common name."""

HEADLINE = ("hit@1", "hit@5", "hit@10", "recall@5", "recall@10", "all@5", "mrr", "ndcg@10")
"""Those of a table that must fit a screen: what the peers and the floors are given in."""


def measure(ranking: Ranking, gold: Gold) -> dict[str, float]:
    """Every measure of one question, each in [0, 1], in the order of the table.

    Raises:
        ValueError: there is no gold, or the ranking names an item twice.
    """
    if not gold:
        raise ValueError("no gold: such a question is left out and counted, not measured")
    if len(set(ranking)) != len(ranking):
        raise ValueError("an item is returned twice")
    return {name: function(ranking, gold) for name, function in MEASURES.items()}


def evaluate(rankings: Mapping[str, Ranking], gold: Mapping[str, Gold]) -> dict[str, float]:
    """Means over all questions of ``gold``, in the order of the table; rounded to four digits.

    Raises:
        ValueError: there is no question, one was answered that was not asked, one has no gold, or a ranking names an
            item twice.
    """
    unexpected = sorted(rankings.keys() - gold.keys())
    if unexpected:
        raise ValueError(f"answered but not asked: {', '.join(unexpected[:5])}")
    values = []
    for question, right in gold.items():
        try:
            values.append(measure(rankings.get(question, ()), right))
        except ValueError as error:
            raise ValueError(f"{question}: {error}") from error
    return means(values)


def means(values: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The mean of each measure over questions, rounded to four digits, in the order of the first question's.

    Raises:
        ValueError: there is no question.
    """
    if not values:
        raise ValueError("no question to evaluate")
    return {name: round(fsum(each[name] for each in values) / len(values), 4) for name in values[0]}
