"""Decisions over time: for people, for programs, and as a Mermaid timeline (F-CMD-11)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from memory_fabric.doors.cli.lines import day, one_line, place, plain, wrap
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.results import instant, origin_json
from memory_fabric.model.memory import Project, ProjectId
from memory_fabric.search.history import HistoryItem

TITLE = 80
"""Characters of one event in a timeline."""


def history_lines(
    items: Iterable[HistoryItem], projects: Mapping[ProjectId, Project], paint: Paint, width: int
) -> Iterator[str]:
    """Date and statement, then its source; a replaced one says by what and when."""
    for item in items:
        memory, statement = item.memory, item.statement
        rest = " " * 12
        head, *more = wrap(plain(" ".join(statement.text.split())), width, rest, rest)
        yield f"{paint.bold(f'{day(memory.at):<10}')}  {head[12:]}"
        yield from more
        if item.superseded_by:
            yield rest + paint.warn(f"→ superseded by {plain(item.superseded_by)} on {day(item.superseded_at)}")
        project = projects.get(memory.project) if memory.project else None
        where = [statement.kind.value, statement.category] if statement.kind != statement.category else [statement.kind]
        where += [project.name] if project else []
        where += [place(memory.origin)]
        yield rest + paint.dim(plain(" · ".join(where)))


def history_json(item: HistoryItem, projects: Mapping[ProjectId, Project]) -> dict[str, Any]:
    """One statement in its time."""
    memory, statement = item.memory, item.statement
    project = projects.get(memory.project) if memory.project else None
    return {
        "date": instant(memory.at),
        "kind": statement.kind.value,
        "category": statement.category,
        "text": statement.text,
        "speaker": statement.speaker,
        "confidence": statement.confidence,
        "choice": statement.choice,
        "alternatives": list(statement.alternatives),
        "rationale": statement.rationale,
        "entities": list(statement.entities),
        "superseded_by": item.superseded_by,
        "superseded_at": instant(item.superseded_at),
        "project": memory.project,
        "project_name": project.name if project else None,
        "memory": memory.id,
        "origin": origin_json(memory.origin),
    }


def mermaid_lines(items: Sequence[HistoryItem]) -> Iterator[str]:
    """A Mermaid ``timeline``, oldest day first."""
    yield "timeline"
    ordered = sorted(items, key=lambda item: (item.memory.at is not None, day(item.memory.at)))
    for date, group in groupby(ordered, key=lambda item: day(item.memory.at)):
        events = [_event(item) for item in group]
        yield f"    {date} : " + " : ".join(events)


def _event(item: HistoryItem) -> str:
    """One event; colons and semicolons would end it."""
    text = one_line(item.statement.text, TITLE)
    if item.superseded_by:
        text += f" (superseded by {item.superseded_by})"
    return text.replace(":", "∶").replace(";", ",").replace("#", "＃")
