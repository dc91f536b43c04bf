"""Where a client works, from the roots that it offers (decision 10): asked for once a connection."""

from __future__ import annotations

import logging
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types import ListRootsRequest, ListRootsResult
from pydantic import ValidationError

PATIENCE = 1.0
"""Seconds that a client has to name its roots; one that does not is taken to work where the server runs."""

_KEY = "memory-fabric directory"

logger = logging.getLogger(__name__)


def connection_of(context: Any) -> Any:
    """The client's connection: what lives from its first request to its last."""
    return context.session._connection  # noqa: SLF001 - the SDK gives a handler no other name for it


async def directory_of(context: Any, otherwise: str | None) -> str | None:
    """The client's first root that is a directory of this machine, else ``otherwise``."""
    state = connection_of(context).state
    if _KEY not in state:
        state[_KEY] = await _first_root(context)
    return state[_KEY] or otherwise


async def forget_roots(context: Any, _params: Any) -> None:
    """They changed: ask again."""
    connection_of(context).state.pop(_KEY, None)


async def _first_root(context: Any) -> str | None:
    session = context.session
    offered = session.client_capabilities
    if offered is None or offered.roots is None or not session.can_send_request:
        return None
    try:
        beside = ServerMessageMetadata(related_request_id=context.request_id)  # over HTTP: on this answer's own stream
        answer = await session.send_request(ListRootsRequest(), ListRootsResult, PATIENCE, beside)
    except (MCPError, ValidationError) as error:
        logger.warning("the client does not name its roots: %s", error)
        return None
    paths = [path_of(str(root.uri)) for root in answer.roots]
    return next((path for path in paths if path), None)


def path_of(uri: str) -> str | None:
    """The path of a ``file:`` address; None for any other."""
    parts = urlsplit(uri)
    return url2pathname(parts.path) or None if parts.scheme == "file" else None
