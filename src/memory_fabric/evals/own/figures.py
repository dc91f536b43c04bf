"""The figures of both halves: means with intervals, and ``auto`` against every other mode, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import fsum
from statistics import median

from memory_fabric.evals.asking import Answered
from memory_fabric.evals.compare import estimate
from memory_fabric.evals.half import Half
from memory_fabric.evals.measures import hit, measure
from memory_fabric.evals.outcome import Outcome, groups_of
from memory_fabric.evals.significance import bootstrap, randomization, tally

ELSEWHERE = "cross-session, known session set aside"
"""The same questions and answers, without what the first ten results hold of the session that the hint is from.

Who asks where else something came up has that session already; a search that heeds the hint finds it first, one that
does not is no better for it.  The set itself leaves it in, as its definition does.
"""

Known = Mapping[str, frozenset[str]]
"""Question → items that it takes for known."""

TOGETHER = "together"
"""All sets, each question counting the same."""

CUTS = (1, 3, 5, 10)
"""Depths of ``hit@k`` (F-EVAL-4)."""

Asked = dict[str, Answered]
"""Mode → its answers, over the same questions."""

Cell = Mapping[str, float]
Figures = Mapping[str, Mapping[str, Mapping[str, Cell]]]
"""Half → mode → set or ``TOGETHER`` → figures."""

Tests = Mapping[str, Mapping[str, Mapping[str, Cell]]]
"""Half → set or ``TOGETHER`` → mode → the difference to it."""


def figures(asked: Asked, known: Known) -> Figures:
    """What every mode reached; a half that was not asked is left out."""
    found: dict[str, dict[str, dict[str, Cell]]] = {}
    for half in Half:
        for mode, each in asked.items():
            parts = _parts(each.outcomes, half, known)
            if parts:
                found.setdefault(half.value, {})[mode] = {part: _cell(some) for part, some in parts.items()}
    return found


def paired(asked: Asked, reference: str, known: Known) -> Tests:
    """The reciprocal ranks of the reference mode less those of each other one: paired, two-sided."""
    found: dict[str, dict[str, dict[str, Cell]]] = {}
    for half in Half:
        ours = _parts(asked[reference].outcomes, half, known)
        for part, mine in ours.items():
            for mode, each in asked.items():
                if mode != reference:
                    theirs = _parts(each.outcomes, half, known)[part]
                    found.setdefault(half.value, {}).setdefault(part, {})[mode] = _test(mine, theirs)
    return found


def service_times(outcomes: Sequence[Outcome], service: Mapping[str, Sequence[float]]) -> dict[str, object]:
    """Milliseconds of a question by the clock, and of each source in it (F-EVAL-4)."""
    by_source = {source: _percentiles([1000 * each for each in seconds]) for source, seconds in service.items()}
    return {**_percentiles([outcome.milliseconds for outcome in outcomes]), "service": by_source}


def _parts(outcomes: Sequence[Outcome], half: Half, known: Known) -> dict[str, list[Outcome]]:
    """Set → its outcomes in this half, then all together."""
    found: dict[str, list[Outcome]] = {}
    some = [outcome for outcome in outcomes if Half.of(outcome.id) is half]
    for outcome in some:
        for category in outcome.categories:
            found.setdefault(category, []).append(outcome)
    elsewhere = [_elsewhere(outcome, known[outcome.id]) for outcome in some if outcome.id in known]
    if elsewhere:
        found[ELSEWHERE] = elsewhere
    return {**found, TOGETHER: some} if some else {}


def _elsewhere(outcome: Outcome, known: frozenset[str]) -> Outcome:
    """Measured over what is left of the first ten items: deeper ones are not kept, and count as not found."""
    left = tuple(item for item in outcome.ranking if item not in known)
    return replace(outcome, ranking=left, measures=measure(left, outcome.gold))


def _cell(outcomes: Sequence[Outcome]) -> Cell:
    ranks = estimate([outcome.measures["mrr"] for outcome in outcomes], groups_of(outcomes))
    hits = {f"hit@{k}": fsum(hit(each.ranking, each.gold, k) for each in outcomes) / len(outcomes) for k in CUTS}
    found = {"mrr": ranks.mean, "low": ranks.interval.low, "high": ranks.interval.high, **hits}
    empty = sum(not outcome.ranking for outcome in outcomes)
    return {"n": len(outcomes), **{name: round(value, 4) for name, value in found.items()}, "empty": empty}


def _test(mine: Sequence[Outcome], theirs: Sequence[Outcome]) -> Cell:
    ours = [outcome.measures["mrr"] for outcome in mine]
    others = [outcome.measures["mrr"] for outcome in theirs]
    groups = groups_of(mine)
    differences = [a - b for a, b in zip(ours, others, strict=True)]
    interval = bootstrap(differences, groups)
    counts = tally(ours, others)
    return {
        "difference": round(fsum(differences) / len(differences), 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
        "p": round(randomization(ours, others, groups), 5),
        "better": counts.wins,
        "equal": counts.ties,
        "worse": counts.losses,
    }


def _percentiles(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    return {"p50": round(median(ordered), 2), "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 2)}
