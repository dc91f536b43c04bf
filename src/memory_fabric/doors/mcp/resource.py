"""The resource ``memory://knowledge-graph``: the graph as JSON, a page at a time (F-MCP-13, C-082)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, quote, urlsplit

from memory_fabric.doors.mcp.graph_pages import Cursor, page_of
from memory_fabric.doors.mcp.graph_tools import whole_graph
from memory_fabric.doors.mcp.paging import Budget, compact

if TYPE_CHECKING:
    from memory_fabric.app import Fabric

URI = "memory://knowledge-graph"
NAME = "knowledge-graph"
MIME = "application/json"
DESCRIPTION = f"Entities and relations, a page at a time: {URI}?cursor=… where _meta.next gives one"


class UnknownResource(Exception):  # noqa: N818 - told to the client by its own code
    """An address that names nothing of ours."""


def read_resource(fabric: Fabric, uri: str, directory: str | None) -> tuple[str, str | None]:
    """A page of the graph as JSON, and the address of the next one.

    Raises:
        UnknownResource: another address.
        BadArgument: a cursor that is none of ours.
    """
    parts = urlsplit(uri)
    if f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}" != URI:
        raise UnknownResource(uri)
    asked = parse_qs(parts.query).get("cursor")
    scope, _ = fabric.scope(cwd=directory)
    page = page_of(whole_graph(fabric, scope), Cursor.read(asked[0] if asked else None), Budget())
    return compact(page.data), f"{URI}?cursor={quote(str(page.next))}" if page.next else None
