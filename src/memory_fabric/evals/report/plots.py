"""Plots as inline SVG: what the eye sees faster than in a table.  Colours are the page's own variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, fsum

from memory_fabric.evals.baseline import BASELINE
from memory_fabric.evals.compare import Estimate, estimate
from memory_fabric.evals.outcome import Outcome, groups_of
from memory_fabric.evals.report.content import figure

COLOURS = 6
"""Distinct colours of the page; runs beyond them repeat, and are told apart by their labels."""

DECILES = 10
"""Groups of equally many questions in a calibration plot."""

WIDTH, HEIGHT = 480, 280
LEFT, RIGHT, TOP, BOTTOM = 44, 14, 26, 40
"""Room around a plot with two axes, in units of the drawing."""

LABEL, VALUE = 130, 48
"""Room for a bar's name and its figure."""

BAR, GAP, HEAD = 15, 4, 22


def bars(measure: str, runs: Mapping[str, Mapping[str, Estimate]]) -> str:
    """Run → part → estimate becomes a block of bars for each part, a bar a run, with its interval as a whisker."""
    parts = list(dict.fromkeys(part for found in runs.values() for part in found))
    drawn: list[str] = []
    y = 0
    for part in parts:
        drawn.append(f'<text x="0" y="{y + 14}" font-weight="600">{escape(part)}</text>')
        y += HEAD
        for number, (run, found) in enumerate(runs.items()):
            if part in found:
                drawn.extend(_bar(measure, run, found[part], _colour(run, number), y))
                y += BAR + GAP
        y += GAP
    span = _span()
    grid = [
        f'<line class="axis" x1="{LABEL + span * tick / 4}" y1="0" x2="{LABEL + span * tick / 4}" y2="{y}"/>'
        f'<text class="soft" x="{LABEL + span * tick / 4}" y="{y + 14}" text-anchor="middle">'
        f"{figure(measure, tick / 4)}</text>"
        for tick in range(5)
    ]
    return _svg(y + 20, f"{measure} by part and run", [*grid, *drawn])


def _bar(measure: str, run: str, found: Estimate, colour: str, y: int) -> Iterator[str]:
    span, middle = _span(), y + BAR / 2
    low, high = (LABEL + span * end for end in (found.interval.low, found.interval.high))
    yield f'<text class="soft" x="{LABEL - 6}" y="{y + 12}" text-anchor="end">{escape(_short(run))}</text>'
    yield f'<rect x="{LABEL}" y="{y}" width="{span * found.mean:.1f}" height="{BAR}" rx="2" fill="{colour}">'
    yield f"<title>{escape(run)}: {figure(measure, found.mean)}</title></rect>"
    ends = f"M{low:.1f} {middle - 3}v6M{high:.1f} {middle - 3}v6"
    yield f'<path class="whisker" d="M{low:.1f} {middle}H{high:.1f}{ends}"/>'
    yield f'<text x="{WIDTH}" y="{y + 12}" text-anchor="end">{figure(measure, found.mean)}</text>'


def routing(outcomes: Sequence[Outcome]) -> str:
    """The graph's share of the mix over the vectors' confidence, a mark a question: found first, found, missed.

    Empty where nothing routes: no vectors, or a share that is the same for every question.
    """
    known = [(each.confidence, each.graph, each) for each in outcomes if each.confidence is not None]
    points = [(x, y, each) for x, y, each in known if y is not None and {"hit@1", "hit@10"} <= set(each.measures)]
    if len({round(y, 6) for _, y, _ in points}) < 2:
        return ""
    low, high = min(x for x, _, _ in points), max(x for x, _, _ in points)
    top = max(y for _, y, _ in points)
    drawn = list(_axes((low, high), (0.0, top), "best vector hit, deviations above the background", "graph's share"))
    for x, y, outcome in points:
        drawn.append(_mark(_x(x, low, high), _y(y, 0.0, top), outcome))
    legend = (("var(--c2)", "right first"), ("var(--c4)", "right in the first ten"), ("var(--c5)", "missed"))
    for number, (colour, name) in enumerate(legend):
        y_text = TOP + 12 + 15 * number
        drawn.append(f'<circle cx="{WIDTH - 150}" cy="{y_text - 4}" r="4" fill="{colour}"/>')
        drawn.append(f'<text x="{WIDTH - 140}" y="{y_text}">{name}</text>')
    return _svg(HEIGHT, "graph's share over vector confidence", drawn)


def _mark(x: float, y: float, outcome: Outcome) -> str:
    """By colour and by form: a disc, a ring, a cross."""
    if outcome.measures.get("hit@1"):
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="var(--c2)" fill-opacity=".7"/>'
    if outcome.measures.get("hit@10"):
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="none" stroke="var(--c4)" stroke-width="1.5"/>'
    return f'<path d="M{x - 3:.1f} {y - 3:.1f}l6 6m0-6l-6 6" stroke="var(--c5)" stroke-width="1.5"/>'


def calibration(outcomes: Sequence[Outcome]) -> str:
    """The share of right first answers over the score of the first result, in groups of equally many questions.

    Empty where no answer has a score.
    """
    scored = [each for each in outcomes if each.score is not None and "hit@1" in each.measures]
    if not scored:
        return ""
    points = list(_deciles(scored))
    low, high = points[0][0], points[-1][0]
    unanswered = f" ({len(outcomes) - len(scored)} without an answer left out)" if len(outcomes) > len(scored) else ""
    drawn = list(_axes((low, high), (0.0, 1.0), f"score of the first result{unanswered}", "right"))
    path = "L".join(f"{_x(x, low, high):.1f} {_y(found.mean, 0, 1):.1f}" for x, found in points)
    drawn.append(f'<path d="M{path}" fill="none" stroke="var(--c0)" stroke-width="2"/>')
    for x, found in points:
        place, ends = _x(x, low, high), (_y(found.interval.low, 0, 1), _y(found.interval.high, 0, 1))
        drawn.append(f'<path class="whisker" d="M{place:.1f} {ends[0]:.1f}V{ends[1]:.1f}"/>')
        drawn.append(f'<circle cx="{place:.1f}" cy="{_y(found.mean, 0, 1):.1f}" r="3.5" fill="var(--c0)"/>')
    return _svg(HEIGHT, "share of right answers by score", drawn)


def _deciles(scored: Sequence[Outcome]) -> Iterator[tuple[float, Estimate]]:
    """Mean score and share right of each group, by rising score; fewer groups where there are fewer questions."""
    ordered = sorted(scored, key=lambda each: each.score or 0.0)
    size = len(ordered) / min(DECILES, len(ordered))
    for number in range(min(DECILES, len(ordered))):
        some = ordered[ceil(number * size - 1e-9) : ceil((number + 1) * size - 1e-9)]
        right = [each.measures["hit@1"] for each in some]
        yield fsum(each.score or 0.0 for each in some) / len(some), estimate(right, groups_of(some))


def _axes(x: tuple[float, float], y: tuple[float, float], x_name: str, y_name: str) -> Iterator[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    for tick in range(5):
        value = y[0] + (y[1] - y[0]) * tick / 4
        place = _y(value, *y)
        yield f'<line class="axis" x1="{LEFT}" y1="{place:.1f}" x2="{right}" y2="{place:.1f}"/>'
        yield f'<text class="soft" x="{LEFT - 6}" y="{place + 4:.1f}" text-anchor="end">{100 * value:.0f} %</text>'
        along = x[0] + (x[1] - x[0]) * tick / 4
        yield f'<text class="soft" x="{_x(along, *x):.1f}" y="{bottom + 15}" text-anchor="middle">{along:.2f}</text>'
    yield f'<text class="soft" x="{(LEFT + right) / 2}" y="{HEIGHT - 6}" text-anchor="middle">{escape(x_name)}</text>'
    yield f'<text class="soft" x="0" y="{TOP - 13}">{escape(y_name)}</text>'


def _x(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low) if high > low else 0.5
    return LEFT + 8 + share * (WIDTH - LEFT - RIGHT - 16)


def _y(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low) if high > low else 0.5
    return HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM)


def _span() -> int:
    return WIDTH - LABEL - VALUE


def _colour(run: str, number: int) -> str:
    return "var(--base)" if run.endswith(BASELINE) else f"var(--c{number % COLOURS})"


def _short(name: str) -> str:
    return name if len(name) <= 20 else "…" + name[-19:]


def _svg(height: float, what: str, drawn: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(what)}">' + "".join(drawn) + "</svg>"
    )
