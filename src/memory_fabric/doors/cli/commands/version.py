"""``version``."""

from __future__ import annotations

import typer

from memory_fabric import __version__
from memory_fabric.doors.cli.desk import DONE, AsJson, Desk, Home


def version(context: typer.Context, home: Home = None, as_json: AsJson = False) -> int:
    """Print the version."""
    desk = Desk.of(context, home, as_json)
    desk.say(__version__)
    desk.data({"version": __version__})
    return DONE
