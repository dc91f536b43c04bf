"""``search_memory``: the best results, each with as much of its text as the budget allows (F-MCP-1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memory_fabric.clock import utcnow
from memory_fabric.doors import when
from memory_fabric.doors.mcp.arguments import BadArgument, Json
from memory_fabric.doors.mcp.memory_shapes import WIDTHS, Labels, result_json
from memory_fabric.doors.mcp.paging import TOKENS, Budget, weight
from memory_fabric.doors.mcp.tool import Call, Reply
from memory_fabric.doors.results import rounded
from memory_fabric.errors import UsageError
from memory_fabric.model.query import Mode, Scope, Window

if TYPE_CHECKING:
    from memory_fabric.model.result import Answer, Result

EVERY = "all"
"""The word for all projects."""


def search_memory(call: Call) -> Reply:
    """Ask the memory.

    Raises:
        BadArgument: an unknown project, a time that cannot be read.
    """
    began = time.perf_counter()
    asked = call.arguments
    scope, widened = _scope(call)
    around = _read("around", asked["around"], when.as_of, utcnow())
    answer = call.fabric.search(asked["query"], scope, mode=Mode(asked["mode"]), limit=asked["top_k"], around=around)
    notes = [widened] if widened and not answer.query.all_projects else []
    notes += [*answer.notes, *(f"{each.source} did not answer: {each.reason}" for each in answer.outages)]
    data: Json = {
        "query": asked["query"],
        "mode": asked["mode"],
        "entities_matched": list(answer.query.entity_hints),
        "graph_weight": rounded(answer.mix.get("graph", 0.0)),
        "latency_ms": 0,
    }
    labels = Labels.of(call.fabric, [each.candidate.memory for each in answer.results])
    budget = Budget(asked["max_tokens"] or TOKENS)
    budget.left -= weight({**data, "results": [], "notes": notes})
    widths = WIDTHS[-1:] if asked["detail"] == "index" else WIDTHS
    results = shown(answer.results, answer.query.terms, labels, budget, widths)
    notes += _remarks(call, answer, results)
    data["latency_ms"] = round((time.perf_counter() - began) * 1000, 1)
    return Reply({**data, "results": results, "notes": notes})


def shown(
    results: Sequence[Result], terms: Collection[str], labels: Labels, budget: Budget, widths: Sequence[int]
) -> list[Json]:
    """The results in order, the best with most of their text, an index line of each that fits."""
    lines = list(budget.fitting(result_json(each, terms, labels, widths[-1]) for each in results))
    for place, line in enumerate(lines):
        for width in widths[:-1]:
            wider = result_json(results[place], terms, labels, width)
            more = weight(wider) - weight(line)
            if more <= budget.left:
                budget.left -= more
                lines[place] = wider
                break
    return lines


def _scope(call: Call) -> tuple[Scope, str | None]:
    asked, now = call.arguments, utcnow()
    since, before = (_read(name, asked[name], _first, now) for name in ("since", "before"))
    if since is not None and before is not None and since >= before:
        raise BadArgument("before", f"nothing lies between since={asked['since']} and before={asked['before']}")
    project = (asked["project"] or "").strip()
    every = project.casefold() == EVERY
    try:
        return call.fabric.scope(
            Scope(window=Window(since, before)),
            project=None if every else project or None,
            every=every,
            cwd=call.directory,
        )
    except UsageError as error:
        raise BadArgument("project", f"{error.message} ({error.hint}, or {EVERY})") from error


def _first(text: str, now: datetime) -> datetime | None:
    return when.window(text, None, now).since


def _read(
    name: str, text: str | None, read: Callable[[str, datetime], datetime | None], now: datetime
) -> datetime | None:
    if text is None:
        return None
    try:
        return read(text, now)
    except UsageError as error:
        raise BadArgument(name, f"{error.message} ({error.hint})") from error


def _remarks(call: Call, answer: Answer, results: list[Json]) -> list[str]:
    """How to get what is not shown."""
    if not answer.results:
        if not call.fabric.store.count():
            return ["The memory is empty: `memory-fabric ingest` reads transcripts, add_memory keeps a note."]
        return ["Nothing relevant found: try other words, names of files or tools, or project=all."]
    notes = [] if answer.sure else ["Nothing surely relevant: these are only near what was asked."]
    if any(each["cut"] for each in results):
        notes.append("Texts marked cut are excerpts: open_memory gives them whole.")
    if len(results) < len(answer.results):
        left = len(answer.results) - len(results)
        notes.append(f"{left} more results did not fit: raise max_tokens, or ask with detail=index.")
    return notes
