"""``remember``: keep somebody's own words."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home
from memory_fabric.errors import UsageError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.curate.note import Remembered

THIS, ALL = "this", "all"
"""Answers to where a note holds."""

STREAM = "-"
"""Stands for standard input."""


def remember(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    text: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="What to remember; - or nothing is standard input.")
    ] = None,
    *,
    category: Annotated[
        str | None, typer.Option("--category", metavar="NAME", help="What it is about.  [default: found in the words]")
    ] = None,
    success: Annotated[bool, typer.Option("--success", help="It worked.")] = False,
    failed: Annotated[bool, typer.Option("--failed", help="It did not: an anti-pattern.")] = False,
    lesson: Annotated[
        str | None, typer.Option("--lesson", metavar="TEXT", help="What to do instead of what failed.")
    ] = None,
    agent: Annotated[str | None, typer.Option("--agent", metavar="ID", help="The agent whose memory it is.")] = None,
    project: Annotated[
        str | None,
        typer.Option("--project", metavar="NAME", help="Its project.  [default: that of the current directory]"),
    ] = None,
    everywhere: Annotated[bool, typer.Option("--global", help="For all projects.")] = False,
    mem0: Annotated[bool, typer.Option("--mem0", help="Send it to mem0 as well.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Store it also against a note that says the opposite.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Remember TEXT in its own words, with the names and relations it holds.

    Secrets are taken out first.  Exit code 1 when it was not stored because an earlier note says the opposite.
    """
    from memory_fabric.curate.note import Outcome
    from memory_fabric.doors.mem0_push import push_to_mem0

    desk = Desk.of(context, home, as_json)
    if everywhere and project:
        raise UsageError("--global and --project exclude each other", "leave one out")
    outcome = _outcome(desk, success, failed)
    words = _words(desk, text or [])
    with desk.open() as fabric:
        if outcome is Outcome.FAILED and not lesson:
            lesson = _lesson(desk, fabric, words)
        category = category or _category(desk, fabric, words)
        everywhere = everywhere or (not project and _everywhere(desk, fabric))
        keep = partial(
            fabric.remember,
            words,
            category=category,
            outcome=outcome,
            lesson=lesson or None,
            agent=agent,
            project=project,
            everywhere=everywhere,
        )
        said = keep(confirmed=yes)
        if said.contrary and not said.ids and _goes_on(desk, said):
            said = keep(confirmed=True)
        return show(said, desk, push_to_mem0(fabric, said.ids) if mem0 and said.ids else [])


def _outcome(desk: Desk, success: bool, failed: bool) -> str | None:
    """The outcome; both at once are asked about (F-ERR-8).

    Raises:
        UsageError: both, and nobody can be asked.
    """
    from memory_fabric.curate.note import Outcome
    from memory_fabric.doors.cli.asking import agreed, somebody_there

    if success and failed:
        if not somebody_there(desk):
            raise UsageError("--success and --failed exclude each other", "leave one out")
        return Outcome.SUCCESS if agreed("Both --success and --failed were given.  Did it work?") else Outcome.FAILED
    return Outcome.SUCCESS if success else Outcome.FAILED if failed else None


def _words(desk: Desk, text: list[str]) -> str:
    """The words, from the call, from standard input, or from whoever is there (F-ERR-6).

    Raises:
        UsageError: there are none.
    """
    from memory_fabric.doors.cli.asking import asked, somebody_there

    given = "" if text == [STREAM] else " ".join(text)
    if not text and somebody_there(desk):
        given = asked("What should be remembered?")
    elif not text or text == [STREAM]:
        given = sys.stdin.read()
    elif not given.strip() and somebody_there(desk):
        given = asked("The text is empty.  What should be remembered?")
    if not given.strip():
        raise UsageError("there is nothing to remember: the text is empty", 'say it: `memory-fabric remember "…"`')
    return given


def _lesson(desk: Desk, fabric: Fabric, words: str) -> str | None:
    """What should be done instead, where the words do not say it and somebody can be asked (F-CMD-2)."""
    from memory_fabric.curate.lesson import lesson_of
    from memory_fabric.doors.cli.asking import asked, somebody_there

    if not somebody_there(desk) or lesson_of(words, fabric.lexicon):
        return None
    return asked("What should be done instead?  (Enter for nothing)")


def _category(desk: Desk, fabric: Fabric, words: str) -> str | None:
    """What it is about, found in the words and confirmed by whoever is there (F-CMD-3); None leaves it to be found."""
    from memory_fabric.doors.cli.asking import chosen, somebody_there

    return chosen("What is it about?", fabric.lexicon.category_of(words)) if somebody_there(desk) else None


def _everywhere(desk: Desk, fabric: Fabric) -> bool:
    """Whether it holds for all projects, asked inside a project: in this one, if nothing is said (F-CMD-3)."""
    from memory_fabric.doors.cli.asking import chosen, somebody_there
    from memory_fabric.ingest.project import Projects

    here = Projects(fabric.store.projects()).identify(str(Path.cwd())) if somebody_there(desk) else None
    while here is not None:
        answer = chosen(f"Where does it hold, in {here.name} or in all projects?", THIS).casefold()
        if answer in (THIS, here.name.casefold(), ALL):
            return answer == ALL
    return False


def _goes_on(desk: Desk, said: Remembered) -> bool:
    """Whether to store it against what was said before (F-CMD-4)."""
    from memory_fabric.doors.cli.asking import agreed, somebody_there
    from memory_fabric.doors.cli.show.note import remembered_lines

    if not somebody_there(desk):
        return False
    desk.note(*remembered_lines(said, desk.paint, desk.width))
    return agreed("Store it all the same?")


def show(said: Remembered, desk: Desk, notes: list[str]) -> int:
    """Print what became of it."""
    from memory_fabric.doors.cli.show.note import remembered_lines
    from memory_fabric.doors.notes import remembered_json

    desk.data(remembered_json(said, notes))
    desk.say(*remembered_lines(said, desk.paint, desk.width))
    desk.remark(*said.notes, *notes)
    if said.ids:
        return DONE
    desk.note("  → --yes stores it all the same")
    return NOTHING
