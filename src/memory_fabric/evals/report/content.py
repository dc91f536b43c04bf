"""What a report says: a section a suite, with its conditions, tables and the runs that are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory_fabric.errors import UsageError
from memory_fabric.evals.compare import ALL, Estimate, compare, estimate
from memory_fabric.evals.measures import HEADLINE, means
from memory_fabric.evals.outcome import Outcome, Run, by_category, groups_of
from memory_fabric.evals.scored import COLUMNS, Sets, scored
from memory_fabric.evals.significance import CONFIDENCE, RESAMPLES, SEED

DRAWN = ("hit@1", "recall@5", "mrr")
"""Measures with a plot and a paired test: the first answer, what a screen shows, and where the first right one is."""

REFERENCE = "auto"
"""The mode that the others are compared with: what a user gets."""


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text, not escaped."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One suite."""

    suite: str
    notes: tuple[str, ...]
    tables: tuple[Table, ...]
    runs: tuple[Run, ...]


def sections(runs: Sequence[Run]) -> list[Section]:
    """A section a suite, suites and runs in the order given."""
    suites: dict[str, list[Run]] = {}
    for run in runs:
        suites.setdefault(run.suite, []).append(run)
    return [_section(suite, some) for suite, some in suites.items()]


def drawn(run: Run) -> dict[str, dict[str, Estimate]]:
    """Drawn measure → ``ALL`` and each category → what is drawn of it."""
    parts = {ALL: list(run.outcomes), **run.categories()}
    return {
        name: {part: _estimate(some, name) for part, some in parts.items()}
        for name in DRAWN
        if name in run.outcomes[0].measures
    }


def figure(measure: str, value: float, sign: str = "") -> str:
    """Shares in per cent with one decimal, means of a discount with three, as the floors are given."""
    if measure == "mrr" or measure.startswith("ndcg"):
        return f"{value:{sign}.3f}"
    return f"{100 * value:{sign}.1f}"


def _estimate(outcomes: Sequence[Outcome], name: str) -> Estimate:
    return estimate([outcome.measures[name] for outcome in outcomes], groups_of(outcomes))


def _section(suite: str, runs: Sequence[Run]) -> Section:
    measures = [name for name in HEADLINE if all(name in run.outcomes[0].measures for run in runs)]
    tables = [_figures(runs, measures), _pairs(runs), *_categories(runs, measures), _conditions(runs)]
    grouped = any(groups_of(run.outcomes) for run in runs)
    notes = (
        f"Intervals: {CONFIDENCE:.0%} percentile bootstrap over {'groups of questions' if grouped else 'questions'}, "
        f"{RESAMPLES:,} resamples, seed {SEED}. p: two-sided paired randomization test.",
        "A question without an answer counts 0. Shares are in per cent.",
        *_missing(runs),
    )
    return Section(suite, notes, tuple(table for table in tables if table.rows), tuple(runs))


def of_sets(found: Sets) -> Section:
    """A suite that asks no store."""
    rows = tuple(each.cells() for each in scored(found.sets))
    told = tuple((name, _told(value)) for name, value in found.about.items() if _told(value))
    tables = (Table("All sets", COLUMNS, rows), Table("Measured with", ("", "value"), told))
    notes = ("right: labelled ones there are; given: what the product says; correct: those of them that are right.",)
    return Section(found.suite, notes, tables, ())


def _missing(runs: Sequence[Run]) -> Iterator[str]:
    """What is not in the tables, in words: questions that were not asked, and modes that did not run."""
    for key, said in (
        ("left_out", "Left out of the whole set, no measure can count them"),
        ("not run", "Not run"),
        ("half", "Half asked"),
    ):
        values = dict.fromkeys(told for run in runs if (told := _told(run.about.get(key))) and told != "0")
        if values:
            yield f"{said}: {'; '.join(values)}."


def _figures(runs: Sequence[Run], measures: Sequence[str]) -> Table:
    rows = []
    for run in runs:
        cells = [run.name, f"{len(run.outcomes):,}", f"{sum(bool(each.ranking) for each in run.outcomes):,}"]
        for name in measures:
            found = _estimate(run.outcomes, name)
            ends = (figure(name, found.interval.low), figure(name, found.interval.high))
            cells.append(f"{figure(name, found.mean)} ({ends[0]}–{ends[1]})")
        rows.append(tuple(cells))
    return Table("All questions", ("run", "n", "answered", *measures), tuple(rows))


def _categories(runs: Sequence[Run], measures: Sequence[str]) -> list[Table]:
    names = dict.fromkeys(name for run in runs for name in run.categories())
    tables = []
    for category in names:
        rows = []
        for run in runs:
            some = by_category(run.outcomes).get(category, [])
            if some:
                found = means([outcome.measures for outcome in some])
                rows.append((run.name, f"{len(some):,}", *(figure(name, found[name]) for name in measures)))
        tables.append(Table(f"Category {category}", ("run", "n", *measures), tuple(rows)))
    return tables


def _pairs(runs: Sequence[Run]) -> Table:
    """The reference against every other run, question by question."""
    reference = next((run for run in reversed(runs) if run.mode == REFERENCE), runs[-1])
    rows: list[tuple[str, ...]] = []
    for run in runs:
        if run is reference:
            continue
        names = [name for name in DRAWN if name in run.outcomes[0].measures and name in reference.outcomes[0].measures]
        try:
            found = compare(run, reference, names).rows
        except UsageError as error:
            rows.append((run.name, f"not compared: {error.message}", "", "", ""))
            continue
        for name, parts in found.items():
            row = parts[ALL]
            ends = (row.difference.interval.low, row.difference.interval.high)
            told = f"{figure(name, row.difference.mean, '+')} ({' to '.join(figure(name, end, '+') for end in ends)})"
            counts = f"{row.tally.wins} / {row.tally.ties} / {row.tally.losses}"
            rows.append((run.name, name, told, f"{row.p:.4f}", counts))
    title = f"{reference.name} against the others"
    return Table(title, ("against", "measure", "difference", "p", "better / equal / worse"), tuple(rows))


def _conditions(runs: Sequence[Run]) -> Table:
    """What each run was measured with, and the time of a question."""
    names = list(dict.fromkeys(name for run in runs for name, value in run.about.items() if _told(value)))
    rows = tuple((run.name, *(_told(run.about.get(name)) for name in names)) for run in runs)
    return Table("Measured with", ("run", *(name.replace("_", " ") for name in names)), rows)


def _told(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_told(each)}" for name, each in value.items())
    return "" if value is None else str(value)
