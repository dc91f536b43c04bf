"""What an evaluation measured, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_fabric.doors.cli.lines import columns, plain
from memory_fabric.doors.cli.paint import Paint

if TYPE_CHECKING:
    from memory_fabric.evals.compare import Comparison, Estimate, Row

_SHOWN = frozenset({"suite", "mode", "n", "metrics", "by", "questions", "modes"})

_NAMES = frozenset({"seed"})
"""Numbers that count nothing."""


def measure_lines(found: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """The overall measures, then those of each part, then what else was measured."""
    if not found["metrics"]:
        yield from _set_lines(found, paint)
        return
    yield paint.bold(f"{found['suite']}  mode {found['mode']}  n = {found['n']:,}")
    yield from _table(found["metrics"])
    for part, metrics in found.get("by", {}).items():
        yield ""
        yield paint.bold(str(part))
        yield from _table(metrics)
    yield from _rest(found)


def _set_lines(found: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """A suite that asks no store: a line a part of each set, then what is left out, a line each."""
    from memory_fabric.evals.scored import COLUMNS, scored

    yield paint.bold(f"{found['suite']}  n = {found['n']:,}")
    rows = [COLUMNS, *(each.cells() for each in scored(found["by"]))]
    wide = [max(columns(plain(row[place])) for row in rows) for place in range(len(COLUMNS))]
    for row in rows:
        texts = [plain(cell) + " " * (wide[place] - columns(plain(cell))) for place, cell in enumerate(row[:2])]
        numbers = [f"{cell:>{wide[place]}}" for place, cell in enumerate(row[2:], 2)]
        yield "  " + "  ".join((*texts, *numbers))
    for name, reason in found.get("left_out", {}).items():
        yield f"left out of {name}: {reason}"
    yield from _rest({name: value for name, value in found.items() if name != "left_out"})


def side_by_side(found: Mapping[str, Any], measures: Sequence[str], paint: Paint) -> Iterator[str]:
    """A line a mode, over all questions and over each category's; then what they share."""
    modes = found["modes"]
    yield paint.bold(f"{found['suite']}  n = {found['n']:,}")
    yield from _modes({name: run["metrics"] for name, run in modes.items()}, measures, _times(modes))
    for part, metrics in found["by"].items():
        yield ""
        yield paint.bold(f"{part}  n = {metrics['n']:,}")
        yield from _modes({name: run["by"][part] for name, run in modes.items()}, measures)
    yield from _rest({name: value for name, value in found.items() if name != "milliseconds"})


def comparison_lines(found: Comparison, paint: Paint) -> Iterator[str]:
    """Every measure, over all questions and over each category's."""
    yield f"A  {plain(found.first.name)}"
    yield f"B  {plain(found.second.name)}"
    resampled = "questions" if found.groups is None else f"{found.groups:,} groups of questions"
    yield (
        paint.bold(f"{plain(found.first.suite)}  n = {len(found.first.outcomes):,}")
        + f"  95 % intervals over {resampled}"
    )
    wide = max(columns(plain(part)) for rows in found.rows.values() for part in rows)
    for name, rows in found.rows.items():
        yield ""
        yield paint.bold(plain(name))
        heads = ("A", "B", "B - A")
        yield (
            f"  {'':<{wide}}  {'n':>5}  "
            + "  ".join(f"{head:<21}" for head in heads)
            + "  p       B better/equal/worse"
        )
        for part, row in rows.items():
            padded = plain(part) + " " * (wide - columns(plain(part)))
            yield f"  {padded}  {row.n:>5}  {_row(row)}"


def _row(row: Row) -> str:
    sides = (_estimate(row.first), _estimate(row.second), _estimate(row.difference, "+"))
    counts = f"{row.tally.wins}/{row.tally.ties}/{row.tally.losses}"
    return "  ".join(f"{side:<21}" for side in sides) + f"  {row.p:.4f}  {counts}"


def _estimate(estimate: Estimate, sign: str = "") -> str:
    return f"{estimate.mean:{sign}.3f} [{estimate.interval.low:{sign}.3f}, {estimate.interval.high:{sign}.3f}]"


def _modes(
    metrics: Mapping[str, Mapping[str, float]], measures: Sequence[str], times: Mapping[str, str] | None = None
) -> Iterator[str]:
    wide = max(map(len, metrics))
    heads = [*measures, *(["ms p50"] if times else [])]
    yield f"  {'':<{wide}}  " + "  ".join(f"{head:>9}" for head in heads)
    for name, values in metrics.items():
        cells = [f"{values[measure]:.4f}" for measure in measures] + ([times[name]] if times else [])
        yield f"  {name:<{wide}}  " + "  ".join(f"{cell:>9}" for cell in cells)


def _times(modes: Mapping[str, Any]) -> dict[str, str]:
    return {name: f"{run['milliseconds']['p50']:.1f}" for name, run in modes.items()}


def _rest(found: Mapping[str, Any]) -> Iterator[str]:
    """What else was measured, and with what; what is empty says nothing."""
    rest = {name: value for name, value in found.items() if name not in _SHOWN and value not in ("", None, {})}
    if rest:
        yield ""
        yield "  ".join(f"{name} {value if name in _NAMES else _value(value)}" for name, value in rest.items())


def _table(metrics: Mapping[str, Any]) -> Iterator[str]:
    wide = max((len(name) for name in metrics), default=0)
    for name, value in metrics.items():
        yield f"  {name:<{wide}}  {f'{value:.4f}' if isinstance(value, float) else value}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(each)}" for name, each in value.items())
    return f"{value:,}" if isinstance(value, int | float) else str(value)
