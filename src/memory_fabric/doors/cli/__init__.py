"""``memory-fabric``: the command line.

A command is one function in one file of ``commands`` and one line in ``COMMANDS``.  The files import nothing heavy:
what a command needs is imported when it runs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated, Any

import typer

from memory_fabric import __version__
from memory_fabric.doors.cli.commands.demo import demo
from memory_fabric.doors.cli.commands.doctor import doctor
from memory_fabric.doors.cli.commands.evaluate import evaluation
from memory_fabric.doors.cli.commands.history import history
from memory_fabric.doors.cli.commands.ingest import ingest
from memory_fabric.doors.cli.commands.load import load
from memory_fabric.doors.cli.commands.related import paths, related
from memory_fabric.doors.cli.commands.search import search
from memory_fabric.doors.cli.commands.status import status
from memory_fabric.doors.cli.commands.transfer import export, import_
from memory_fabric.doors.cli.commands.version import version
from memory_fabric.doors.cli.desk import AsJson, Desk, Home
from memory_fabric.doors.cli.outermost import run, speak_utf8

COMMANDS: tuple[tuple[str, Callable[..., int], str], ...] = (
    ("ingest", ingest, "Read transcripts into the memory."),
    ("search", search, "Answer a question, with sources."),
    ("related", related, "Show what a thing is related to."),
    ("paths", paths, "Show how two things are connected."),
    ("load", load, "Print what a new session should know."),
    ("history", history, "Show decisions and what replaced them."),
    ("status", status, "Show what the memory holds."),
    ("doctor", doctor, "Look whether everything is well."),
    ("export", export, "Write the memory to a file."),
    ("import", import_, "Take in what `export` wrote."),
    ("demo", demo, "Try it on a small sample."),
    ("version", version, "Print the version."),
)
"""Name, function and what the help says in a line, in the order of the help."""

app = typer.Typer(
    name="memory-fabric",
    help="Long-term memory for coding agents: reads their transcripts, answers with sources.",
    epilog="Exit codes: 0 done, 1 nothing usable, 2 a mistake in the request, 3 not available now.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def _program(
    context: typer.Context,
    home: Home = None,
    as_json: AsJson = False,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    context.obj = Desk(home, as_json)
    if show_version:
        typer.echo(__version__)
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for _name, _command, _about in COMMANDS:
    app.command(_name, short_help=_about)(_command)
app.add_typer(evaluation, name="eval")


def program() -> Any:
    """The whole program, as typer builds it."""
    return typer.main.get_command(app)


def call(*arguments: str) -> int:
    """One call, in this process: prints, and returns the exit code."""
    return run(program, arguments)


def main() -> None:
    """The console script."""
    speak_utf8()
    sys.exit(call(*sys.argv[1:]))
