"""``serve``: the MCP server over HTTP, for this machine."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Annotated

import typer

from memory_fabric.doors.cli.desk import DONE, AsJson, Desk, Home
from memory_fabric.doors.mcp.http.guards import HEALTH, MCP, SEARCH
from memory_fabric.doors.mcp.http.loopback import HOST, PORT
from memory_fabric.doors.mcp.tool import ToolSet

if TYPE_CHECKING:
    from memory_fabric.doors.resident import Resident


def serve(
    context: typer.Context,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="A loopback address: 127.0.0.1, localhost or ::1.")
    ] = HOST,
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="Port to listen on; 0 takes a free one.")
    ] = PORT,
    tools: Annotated[ToolSet, typer.Option("--tools", help="Which tools are offered.")] = ToolSet.ALL,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Serve the memory to the agents of this machine over HTTP (MCP), until Ctrl-C or a signal ends it.

    Clients must send the token that stands in the file `token` beside the store.  Exit code 2 for an address that
    other machines reach, 3 for a port that is taken.
    """
    from memory_fabric.doors.mcp.http.loopback import listen
    from memory_fabric.doors.mcp.http.serving import serve as serve_http
    from memory_fabric.doors.mcp.opened import OpenedOnce
    from memory_fabric.doors.mcp.server import build
    from memory_fabric.doors.token import NAME

    desk = Desk.of(context, home, as_json)
    token = desk.settings.home / NAME

    def tell(resident: Resident) -> None:
        url = resident.origin
        told = {"url": url + MCP, "search": url + SEARCH, "health": url + HEALTH}
        desk.data({**told, "port": resident.port, "pid": resident.pid, "token_file": str(token)}, line=True)
        desk.say(f"Serving on {url}{MCP}", f'  send "Authorization: Bearer" with the token in {token}')
        desk.note("Ctrl-C ends.")

    with listen(host, port) as opened, closing(OpenedOnce(desk.settings)) as memory:
        serve_http(memory.get(), build(memory, tools), opened, tell)
    return DONE
