"""``mcp``: serve an agent over stdin and stdout."""

from __future__ import annotations

from typing import Annotated

import typer

from memory_fabric.doors.cli.desk import AsJson, Desk, Home
from memory_fabric.doors.mcp.tool import ToolSet


def mcp(
    context: typer.Context,
    *,
    tools: Annotated[
        ToolSet, typer.Option("--tools", help="Which tools to offer: memory (core), the knowledge graph, or all.")
    ] = ToolSet.ALL,
    home: Home = None,
    as_json: AsJson = False,
) -> None:
    """Serve the memory to one agent by the Model Context Protocol, over stdin and stdout.

    Started by the agent, not by hand.  It ends with its input and with the process that started it.
    """
    from memory_fabric.doors.mcp.stdio import claim

    settings = Desk.of(context, home, as_json).settings
    wire = claim()
    from memory_fabric.doors.mcp.process import serve_stdio

    serve_stdio(settings, tools, wire)
