"""``search``: ask the memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home
from memory_fabric.doors.cli.options import (
    AllProjects,
    Around,
    AsOf,
    Before,
    Category,
    Kind,
    ProjectName,
    Since,
    Superseded,
)
from memory_fabric.errors import UsageError
from memory_fabric.model.query import Mode

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.model.query import Scope
    from memory_fabric.model.result import Answer

LIMIT, MOST = 10, 50
"""Results by default, and at most (F-CMD-7)."""


def search(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    question: Annotated[
        list[str] | None, typer.Argument(metavar="QUESTION", help="What to look for.  [default: what is recent]")
    ] = None,
    *,
    project: ProjectName = None,
    every: AllProjects = False,
    since: Since = None,
    before: Before = None,
    around: Around = None,
    as_of: AsOf = None,
    kind: Kind = None,
    category: Category = None,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=MOST, help="Results to show.")] = LIMIT,
    mode: Annotated[Mode, typer.Option("--mode", help="Which retrievers answer.")] = Mode.AUTO,
    superseded: Superseded = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show how each score came about.")] = False,
    mem0: Annotated[bool, typer.Option("--mem0", help="Ask mem0 too, also where it is not configured.")] = False,
    enable_graph: Annotated[
        bool, typer.Option("--enable-graph", help="Ask mem0 for relations, and list all relations with --json.")
    ] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Answer a question with passages, facts and their source lines.

    Looks in the project of the current directory, or in all where that has no memories.  Without a QUESTION it shows
    the newest memories.  Exit code 1 when nothing was found.
    """
    from memory_fabric.search.recipes import OUTSIDE

    desk = Desk.of(context, home, as_json)
    filters = Filters(project, every, since, before, as_of, tuple(kind or ()), tuple(category or ()), superseded)
    if mem0 and mode not in OUTSIDE:
        asking = ", ".join(sorted(OUTSIDE))
        raise UsageError(f"--mem0 and --mode {mode} exclude each other", f"modes that ask other memories: {asking}")
    with desk.read() as fabric:
        scope, note = filters.scope(fabric)
        asked = fabric.with_mem0(graph=enable_graph) if mem0 else True
        answer = fabric.search(
            " ".join(question or ()), scope, mode=mode, limit=limit, outside=asked, around=instant(around)
        )
        return show(answer, fabric, desk, explain=explain, note=note, graph=enable_graph)


def instant(around: str | None) -> datetime | None:
    """The instant that was typed; a day counts by its end, since what it is about led up to it.

    Raises:
        UsageError: it cannot be read.
    """
    from memory_fabric.clock import utcnow
    from memory_fabric.doors import when

    return when.as_of(around, utcnow()) if around is not None else None


@dataclass(frozen=True, slots=True)
class Filters:
    """What narrows or widens a question, as typed."""

    project: str | None = None
    every: bool = False
    since: str | None = None
    before: str | None = None
    as_of: str | None = None
    kinds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    superseded: bool = False

    def scope(self, fabric: Fabric) -> tuple[Scope, str | None]:
        """The scope of the question, and a note where the choice of projects needs one.

        Raises:
            UsageError: a time that cannot be read, an unknown project.
        """
        from memory_fabric.clock import utcnow
        from memory_fabric.doors import when
        from memory_fabric.model.query import Scope

        now = utcnow()
        limits = Scope(
            window=when.window(self.since, self.before, now),
            kinds=self.kinds,
            categories=self.categories,
            as_of=when.as_of(self.as_of, now) if self.as_of is not None else None,
            superseded=self.superseded,
        )
        return fabric.scope(limits, project=self.project, every=self.every, cwd=str(Path.cwd()))


def show(answer: Answer, fabric: Fabric, desk: Desk, *, explain: bool, note: str | None, graph: bool = False) -> int:
    """Print an answer; what was not asked for goes to stderr."""
    from memory_fabric.doors.cli.show.answer import Shown, answer_lines
    from memory_fabric.doors.results import answer_json, relation_ends

    notes = [note] if note and not answer.query.all_projects else []
    names = fabric.store.entities(relation_ends(answer))
    if desk.as_json:
        from memory_fabric.doors.memory_graph import with_graph

        whole = answer_json(answer, names, notes)
        desk.data(with_graph(whole, answer, names) if graph else whole)
    else:
        shown = Shown(
            paint=desk.paint,
            width=desk.width,
            names=names,
            sessions=fabric.store.sessions([each.candidate.memory.origin.session for each in answer.results]),
            projects={each.id: each for each in fabric.store.projects()},
            explain=explain,
        )
        desk.say(*answer_lines(answer, shown))
    desk.remark(*notes, *answer.notes)
    if answer.results and not answer.sure:
        desk.remark("nothing surely relevant: these are only near what was asked")
    for outage in answer.outages:
        remedy = f" ({outage.remedy})" if outage.remedy else ""
        reason = outage.reason.removeprefix(f"{outage.source}: ")
        desk.remark(f"{outage.source} did not answer: {reason}{remedy}")
    if answer.results:
        return DONE
    if not desk.as_json:
        desk.note(*nothing(answer, fabric.store.count()))
    return NOTHING


def nothing(answer: Answer, memories: int) -> list[str]:
    """What to say and suggest when no memory answers (F-ERR-11)."""
    if not memories:
        return ["The memory is empty.", "  → run `memory-fabric ingest` to read your transcripts"]
    scope = answer.query.scope
    lines = ["Nothing relevant found." if answer.query.text else "Nothing here yet."]
    if scope.projects is not None:
        lines.append("  → look in every project: --all")
    if scope.window.since or scope.window.before or scope.kinds or scope.categories or scope.as_of:
        lines.append("  → leave out filters: --since, --before, --as-of, --kind, --category")
    if answer.query.text:
        lines.append("  → use other words: names of files, tools, errors")
    return [*lines, "  → see what is there: `memory-fabric status`"]
