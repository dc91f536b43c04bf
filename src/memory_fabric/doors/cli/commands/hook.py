"""``hook``: what Claude Code calls at an event; the console script goes straight to ``doors.hooks``."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_fabric.doors.cli.desk import AsJson, Desk, Home


def hook(
    context: typer.Context,
    event: Annotated[
        str,
        typer.Argument(
            metavar="EVENT",
            help="SessionStart, UserPromptSubmit, PreCompact, Stop, SubagentStop, SessionEnd; others do nothing.",
        ),
    ] = "",
    *,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Answer a hook of Claude Code: reads its JSON from standard input, never fails, always exits 0.

    `memory-fabric install claude-code` enters it into Claude Code's settings.  What hooks did is told by `doctor`.
    """
    from memory_fabric.doors.hooks.run import run

    chosen = Desk.of(context, home, as_json).home
    return run([event, *(["--home", str(chosen)] if chosen else [])])
