"""Two runs over the same questions, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from memory_fabric.errors import UsageError
from memory_fabric.evals.measures import HEADLINE
from memory_fabric.evals.outcome import Outcome, Run, groups_of
from memory_fabric.evals.significance import Interval, Tally, bootstrap, randomization, tally

NAMED = 5
"""Questions that a refusal names; the others are counted."""

ALL = "all"
"""The row over all questions, before those of the categories."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over questions, and its 95 % interval."""

    mean: float
    interval: Interval


@dataclass(frozen=True, slots=True)
class Row:
    """One measure over some questions."""

    n: int
    first: Estimate
    second: Estimate
    difference: Estimate
    """Second minus first."""
    p: float
    """Two-sided, of the paired randomization test."""
    tally: Tally
    """Wins: questions on which the second is better."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What ``compare`` found."""

    first: Run
    second: Run
    groups: int | None
    """Groups that were resampled; None where every question stands for itself."""
    rows: Mapping[str, Mapping[str, Row]]
    """Measure → ``ALL`` or category → row."""


def compare(first: Run, second: Run, measures: Sequence[str] = ()) -> Comparison:
    """The second run against the first, by measure (default: the headline's that both have) and category.

    Raises:
        UsageError: other suites, other questions, other gold, or a measure that one of them does not have.
    """
    pairs = _paired(first, second)
    both = [name for name in first.outcomes[0].measures if name in second.outcomes[0].measures]
    chosen = list(measures) or [name for name in HEADLINE if name in both]
    for name in chosen:
        if name not in both:
            raise UsageError(f"measure {name!r} is not in both files", f"choose one of: {', '.join(both)}")
    parts = {ALL: pairs}
    for category in dict.fromkeys(each for pair in pairs for each in pair[0].categories):
        parts[category] = [pair for pair in pairs if category in pair[0].categories]
    groups = groups_of(first.outcomes)
    rows = {name: {part: _row(some, name) for part, some in parts.items()} for name in chosen}
    return Comparison(first, second, None if groups is None else len(set(groups)), rows)


def estimate(values: Sequence[float], groups: Sequence[str] | None) -> Estimate:
    """The mean of some questions' values, and how sure it is."""
    return Estimate(fsum(values) / len(values), bootstrap(values, groups))


def _row(pairs: Sequence[tuple[Outcome, Outcome]], name: str) -> Row:
    first = [pair[0].measures[name] for pair in pairs]
    second = [pair[1].measures[name] for pair in pairs]
    groups = groups_of([pair[0] for pair in pairs])
    return Row(
        n=len(pairs),
        first=estimate(first, groups),
        second=estimate(second, groups),
        difference=estimate([b - a for a, b in zip(first, second, strict=True)], groups),
        p=randomization(second, first, groups),
        tally=tally(second, first),
    )


def _paired(first: Run, second: Run) -> list[tuple[Outcome, Outcome]]:
    """Each question's two outcomes, in the first run's order; what the first file says of a question holds."""
    if first.suite != second.suite:
        raise UsageError(f"the files are of two suites: {first.suite} and {second.suite}", "compare runs of one suite")
    ours = {outcome.id: outcome for outcome in first.outcomes}
    theirs = {outcome.id: outcome for outcome in second.outcomes}
    told = [
        f"only in {run.name}: {_some([id_ for id_ in mine if id_ not in others])}"
        for run, mine, others in ((first, ours, theirs), (second, theirs, ours))
        if mine.keys() - others.keys()
    ]
    if told:
        raise UsageError(f"the files are over other questions; {'; '.join(told)}", "run both over the same data")
    changed = [id_ for id_, outcome in ours.items() if outcome.gold != theirs[id_].gold]
    if changed:
        raise UsageError(f"the files have other right answers for {_some(changed)}", "run both over the same data")
    return [(outcome, theirs[id_]) for id_, outcome in ours.items()]


def _some(ids: Sequence[str]) -> str:
    rest = f" and {len(ids) - NAMED:,} more" if len(ids) > NAMED else ""
    return ", ".join(ids[:NAMED]) + rest


def as_json(comparison: Comparison) -> dict[str, object]:
    """For programs: ``{"suite", "n", "groups", "a", "b", "measures": {name: {…, "by": {category: …}}}}``."""
    measures = {}
    for name, rows in comparison.rows.items():
        by = {part: _row_json(row) for part, row in rows.items() if part != ALL}
        measures[name] = {**_row_json(rows[ALL]), "by": by}
    return {
        "suite": comparison.first.suite,
        "n": len(comparison.first.outcomes),
        "groups": comparison.groups,
        "a": {"name": comparison.first.name, "mode": comparison.first.mode, **comparison.first.about},
        "b": {"name": comparison.second.name, "mode": comparison.second.mode, **comparison.second.about},
        "measures": measures,
    }


def _row_json(row: Row) -> dict[str, object]:
    return {
        "n": row.n,
        "a": _estimate_json(row.first),
        "b": _estimate_json(row.second),
        "difference": _estimate_json(row.difference),
        "p": round(row.p, 5),
        "wins": row.tally.wins,
        "ties": row.tally.ties,
        "losses": row.tally.losses,
    }


def _estimate_json(estimate: Estimate) -> dict[str, float]:
    return {
        "mean": round(estimate.mean, 4),
        "low": round(estimate.interval.low, 4),
        "high": round(estimate.interval.high, 4),
    }
