"""A report in Markdown: tables alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_fabric.evals.report.content import Section, Table

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>()#+!|~&-])")


def markdown(sections: Sequence[Section]) -> str:
    """The whole report."""
    return "\n".join(["# Evaluation", *(line for section in sections for line in _section(section)), ""])


def _section(section: Section) -> Iterator[str]:
    yield from ("", f"## {escape(section.suite)}", "", *map(escape, section.notes))
    for table in section.tables:
        yield from ("", f"### {escape(table.title)}", "", *_table(table))


def _table(table: Table) -> Iterator[str]:
    yield f"| {' | '.join(map(escape, table.columns))} |"
    yield "|" + "---|" * len(table.columns)
    for row in table.rows:
        yield f"| {' | '.join(map(escape, row))} |"


def escape(text: str) -> str:
    """Text that stands for itself in Markdown, in one line; what is only prose keeps its points and commas."""
    line = " ".join(text.split())
    return _SPECIAL.sub(r"\\\1", line) if re.search(r"[\\`*_\[\]<|~&#{}]", line) else line
