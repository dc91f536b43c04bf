"""``eval``: measure how well it remembers."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from memory_fabric.doors.cli.desk import DONE, AsJson, Desk, Home
from memory_fabric.errors import UsageError
from memory_fabric.model.query import Mode

evaluation = typer.Typer(rich_markup_mode=None)


@evaluation.callback(invoke_without_command=True)
def _evaluation(context: typer.Context) -> None:
    """Measure how well it remembers."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@evaluation.command("run")
def run(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    suite: Annotated[str, typer.Argument(metavar="SUITE", help="Name of the suite.")],
    *,
    data: Annotated[Path, typer.Option("--data", metavar="DIR", help="Folder of the suite's data.")],
    transcripts: Annotated[
        Path | None, typer.Option("--transcripts", metavar="DIR", help="Folder of the transcripts it asks about.")
    ] = None,
    mode: Annotated[Mode, typer.Option("--mode", help="Which retrievers answer.")] = Mode.AUTO,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Run one suite and print its measures."""
    from memory_fabric.doors.cli.progress import bars
    from memory_fabric.doors.cli.show.measures import measure_lines
    from memory_fabric.evals.run import Suite
    from memory_fabric.evals.run import run as run_suite

    desk = Desk.of(context, home, as_json)
    if transcripts is None:
        raise UsageError(f"suite {suite!r} asks about transcripts", "name their folder: --transcripts DIR")
    with bars(desk) as shown:
        found = run_suite(Suite(suite, data, transcripts), mode, settings=desk.settings, progress=shown.stage())
    desk.data(found)
    desk.say(*measure_lines(found, desk.paint))
    return DONE
