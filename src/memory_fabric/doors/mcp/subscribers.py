"""Who wants to hear of changes: subscribers of the handshake protocols, and listeners of the one after (F-MCP-13)."""

from __future__ import annotations

from typing import Any

from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated
from mcp_types import EmptyResult, SubscribeRequestParams, UnsubscribeRequestParams

from memory_fabric.doors.mcp.roots import connection_of


class Subscribers:
    """One server's, over all its connections; a connection's end takes its subscriptions with it."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._sessions: dict[tuple[int, str], Any] = {}

    async def subscribe(self, context: Any, params: SubscribeRequestParams) -> EmptyResult:
        """Tell this connection of changes from now on."""
        connection = connection_of(context)
        key = (id(connection), str(params.uri))
        if key not in self._sessions:
            self._sessions[key] = connection
            connection.exit_stack.callback(self._sessions.pop, key, None)
        return EmptyResult()

    async def unsubscribe(self, context: Any, params: UnsubscribeRequestParams) -> EmptyResult:
        """Tell it no more."""
        self._sessions.pop((id(connection_of(context)), str(params.uri)), None)
        return EmptyResult()

    async def changed(self, uri: str) -> None:
        """Tell all who asked; one that is gone is passed over."""
        for (_, wanted), connection in list(self._sessions.items()):
            if wanted == uri:
                await connection.send_resource_updated(uri)
        await self.bus.publish(ResourceUpdated(uri=uri))
