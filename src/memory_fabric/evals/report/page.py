"""A report as one HTML page: no network, no script; readable in light and dark, wide tables scroll by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from memory_fabric.evals.report.content import DRAWN, Section, Table, drawn
from memory_fabric.evals.report.plots import bars, calibration, routing

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b6470; --line: #d5dae0; --ground: #ffffff;
  --c0: #2f6fb3; --c1: #c2571a; --c2: #2d8659; --c3: #8a4fa3; --c4: #a67c00; --c5: #b3365f; --base: #7b838d; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ec; --soft: #9aa4af; --line: #3a424b; --ground: #15181b;
  --c0: #6aa8ea; --c1: #f0955a; --c2: #5cc08f; --c3: #c493dc; --c4: #d9b23f; --c5: #ec7ca0; --base: #98a1ab; } }
body { margin: 0 auto; padding: 1.5rem; max-width: 78rem; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); } h3 { margin-bottom: .4rem; }
p.note { margin: .2rem 0; color: var(--soft); }
div.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
table { font-size: 13px; }
th, td { padding: .25rem .9rem .25rem 0; text-align: left; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--soft); font-weight: 600; }
div.plots { display: flex; flex-wrap: wrap; gap: 1.5rem 2.5rem; }
figure { margin: 0; flex: 1 1 21rem; max-width: 34rem; } figcaption { margin-bottom: .3rem; font-weight: 600; }
svg { width: 100%; height: auto; font: 11px system-ui, sans-serif; } svg text { fill: var(--ink); }
svg .soft { fill: var(--soft); } svg .axis { stroke: var(--line); } svg .whisker { stroke: var(--ink); fill: none; }
"""


def page(sections: Sequence[Section]) -> str:
    """The whole page."""
    body = "".join(part for section in sections for part in _section(section))
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Evaluation</title><style>{_STYLE}</style></head>\n<body><h1>Evaluation</h1>{body}</body></html>\n"
    )


def _section(section: Section) -> Iterator[str]:
    yield f"\n<h2>{escape(section.suite)}</h2>"
    for note in section.notes:
        yield f'<p class="note">{escape(note)}</p>'
    first, *others = section.tables
    yield _table(first)
    if section.runs:
        yield from _plots(section)
    for table in others:
        yield _table(table)


def _plots(section: Section) -> Iterator[str]:
    estimates = {run.name: drawn(run) for run in section.runs}
    by_measure = {name: {run: found[name] for run, found in estimates.items() if name in found} for name in DRAWN}
    figures = [(f"{name} by category", bars(name, runs)) for name, runs in by_measure.items() if runs]
    figures += [(f"Routing: {run.name}", drawing) for run in section.runs if (drawing := routing(run.outcomes))]
    figures += [(f"Calibration: {run.name}", drawing) for run in section.runs if (drawing := calibration(run.outcomes))]
    yield "\n<h3>Plots</h3>" + '<div class="plots">'
    for title, drawing in figures:
        yield f"\n<figure><figcaption>{escape(title)}</figcaption>{drawing}</figure>"
    yield "</div>"


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in table.columns)
    rows = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>\n" for row in table.rows)
    return (
        f'\n<h3>{escape(table.title)}</h3><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
