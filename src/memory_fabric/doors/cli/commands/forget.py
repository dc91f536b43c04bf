"""``forget``: remove memories for good."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, AsJson, Desk, Home, NoMemory
from memory_fabric.doors.cli.options import AllProjects, ProjectName
from memory_fabric.errors import UsageError

if TYPE_CHECKING:
    from memory_fabric.curate.forget import Forgotten


def forget(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    ids: Annotated[list[str] | None, typer.Argument(metavar="ID", help="Ids as `search` prints them.")] = None,
    *,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="All memories that hold this, literally.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", metavar="ID", help="All memories of this session.")
    ] = None,
    project: ProjectName = None,
    every: AllProjects = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would go, remove nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Forget memories: gone from every index, and no later reading of their transcripts brings them back.

    Shows what would go, and asks.  Exit code 1 when nothing was found.
    """
    from memory_fabric.doors.cli.commands.search import Filters

    desk = Desk.of(context, home, as_json)
    if text is None and (project or every):
        raise UsageError("--project and --all go with --text", "ids and sessions stand for themselves")
    if not desk.settings.store.exists():
        raise NoMemory(desk.settings.home)
    with desk.read() if dry_run else desk.open() as fabric:
        scope, note = Filters(project, every).scope(fabric)
        found = fabric.forget(ids, text=text, session=session, scope=scope, dry_run=True)
        if found.memories and not dry_run:
            if not (yes or _agreed(desk, found)):
                desk.note("Nothing was forgotten.")
                return NOTHING
            # Exactly what was shown, whatever has come in since.
            gone = fabric.forget([memory.id for memory in found.memories])
            found = replace(found, memories=gone.memories, count=gone.count)
    return _show(found, desk, note if text is not None else None, dry_run=dry_run)


def _agreed(desk: Desk, found: Forgotten) -> bool:
    """Whether it may go.

    Raises:
        UsageError: nobody can be asked.
    """
    from memory_fabric.doors.cli.asking import agreed, somebody_there
    from memory_fabric.doors.cli.lines import count
    from memory_fabric.doors.cli.show.note import forgotten_lines

    if not somebody_there(desk):
        number = count(len(found.memories), "memory", "memories")
        raise UsageError(f"{number} would be forgotten for good", "add --yes, or look first with --dry-run")
    desk.say(*forgotten_lines(found, desk.paint, desk.width, asked=True))
    return agreed("Forget this for good?")


def _show(found: Forgotten, desk: Desk, note: str | None, *, dry_run: bool) -> int:
    from memory_fabric.doors.cli.show.note import forgotten_lines, unknown_remarks
    from memory_fabric.doors.notes import forgotten_json

    desk.data(forgotten_json(found, dry_run=dry_run))
    if found.memories:
        desk.say(*forgotten_lines(found, desk.paint, desk.width, asked=dry_run))
    elif not desk.as_json:
        desk.note("Nothing was found to forget.")
    desk.remark(note, *unknown_remarks(found.unknown))
    return DONE if found.memories else NOTHING
