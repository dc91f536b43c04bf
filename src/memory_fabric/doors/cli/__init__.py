"""``memory-fabric``: the command line.

A command is one function in one file of ``commands`` and one line in ``COMMANDS``.  The files import nothing heavy:
what a command needs is imported when it runs, and a file itself when its command is called or the help shows all.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from typing import Annotated, Any

import typer

from memory_fabric import __version__
from memory_fabric.doors.cli.desk import AsJson, Desk, Home
from memory_fabric.doors.cli.outermost import run, speak_utf8

COMMANDS = (
    ("ingest", "ingest:ingest", "Read transcripts into the memory."),
    ("search", "search:search", "Answer a question, with sources."),
    ("remember", "remember:remember", "Keep your own words."),
    ("forget", "forget:forget", "Remove memories for good."),
    ("related", "related:related", "Show what a thing is related to."),
    ("paths", "related:paths", "Show how two things are connected."),
    ("load", "load:load", "Print what a new session should know."),
    ("history", "history:history", "Show decisions and what replaced them."),
    ("sync", "sync:sync", "Push to memories kept elsewhere."),
    ("status", "status:status", "Show what the memory holds."),
    ("doctor", "doctor:doctor", "Look whether everything is well."),
    ("export", "transfer:export", "Write the memory to a file."),
    ("import", "transfer:import_", "Take in what `export` wrote."),
    ("hook", "hook:hook", "Answer a hook of Claude Code."),
    ("serve", "serve:serve", "Serve the memory to agents over HTTP."),
    ("mcp", "mcp:mcp", "Serve an agent over stdin and stdout."),
    ("install", "install:install", "Put it into an agent's configuration."),
    ("uninstall", "install:uninstall", "Take it out of there again."),
    ("demo", "demo:demo", "Try it on a small sample."),
    ("bench", "bench:bench", "Measure how fast it is here."),
    ("version", "version:version", "Print the version."),
)
"""Name, where its function is in ``commands``, and what the help says in a line, in the order of the help."""


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


def program(only: str | None = None) -> Any:
    """The whole program as typer builds it, or as much of it as one command needs."""
    app = typer.Typer(
        name="memory-fabric",
        help="Long-term memory for coding agents: reads their transcripts, answers with sources.",
        epilog="Exit codes: 0 done, 1 nothing usable, 2 a mistake in the request, 3 not available now.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(_program)
    for name, place, about in COMMANDS:
        if only in (None, name):
            module, _, function = place.partition(":")
            command = getattr(import_module(f"{__name__}.commands.{module}"), function)
            app.command(name, short_help=about)(command)
    if only is None:
        from memory_fabric.doors.cli.commands.evaluate import evaluation

        app.add_typer(evaluation, name="eval")
    if only in (None, "mem0"):
        from memory_fabric.doors.cli.commands.mem0 import mem0

        app.add_typer(mem0, name="mem0")
    if only in (None, "sources"):
        from memory_fabric.doors.cli.commands.sources import sources

        app.add_typer(sources, name="sources")
    return typer.main.get_command(app)


def call(*arguments: str) -> int:
    """One call, in this process: prints, and returns the exit code."""
    first = arguments[0] if arguments else None
    only = next((name for name in (*(name for name, _, _ in COMMANDS), "sources", "mem0") if name == first), None)
    return run(partial(program, only), arguments)


def main() -> None:
    """The console script."""
    # The threads of numpy's BLAS wait actively; starting them took a search half of its processor time (measured).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    speak_utf8()
    sys.exit(call(*sys.argv[1:]))
