"""An MCP memory server over HTTP: the same answers, a secret in a header, an outage where nobody listens."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn
from mcp.server import MCPServer
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.federation.conftest import AGES, GRAPH, ask, names

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceUnavailable
from memory_fabric.ingest.redact import redact_value
from memory_fabric.sources.configured import McpServer
from memory_fabric.sources.mcp.memory import McpMemory

pytestmark = pytest.mark.sockets
TOKEN = "a-token-of-this-test"


class Guard:
    """Lets in only who shows the token."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer: Response | None = None
        if scope["type"] == "http" and Request(scope).headers.get("authorization") != f"Bearer {TOKEN}":
            answer = PlainTextResponse("who are you?", 401)
        await (answer or self.app)(scope, receive, send)


def memory_server() -> MCPServer:
    server = MCPServer("peer over http", version="7")

    @server.tool()
    def search_nodes(query: str) -> dict[str, Any]:
        """Search."""
        found = [each for each in GRAPH["entities"] if query.lower() in str(each).lower()]
        return {"entities": found, "relations": []}

    return server


class Served(uvicorn.Server):
    """A server in a thread of the test."""

    def __init__(self, guarded: bool, bound: socket.socket) -> None:
        app = memory_server().streamable_http_app()
        super().__init__(uvicorn.Config(Guard(app) if guarded else app, log_level="error", ws="none"))
        self.bound = bound
        self.thread = threading.Thread(target=lambda: self.run([bound]), daemon=True)

    def stop(self) -> None:
        self.should_exit = True
        self.thread.join(AGES)
        self.bound.close()


@contextlib.contextmanager
def serving(guarded: bool = False, port: int = 0) -> Iterator[int]:
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    bound.listen()
    served = Served(guarded, bound)
    served.thread.start()
    try:
        yield int(bound.getsockname()[1])
    finally:
        served.stop()


@contextlib.contextmanager
def source_at(port: int, environment: dict[str, str] | None = None, **more: Any) -> Iterator[McpMemory]:
    entry = McpServer(name="notes", deadline=AGES, url=f"http://127.0.0.1:{port}/mcp", **more)
    source = McpMemory(entry, os.environ if environment is None else environment, redact_value)
    try:
        yield source
    finally:
        source.close()


def test_it_answers_over_http() -> None:
    with serving() as port, source_at(port) as source:
        assert names(ask(source, "backoff of the cache")) == ["Redis", "payment gateway"]
        assert source.probe(Deadline.after(AGES)).tools == ("search_nodes",)


def test_its_secret_is_sent_as_a_bearer_token() -> None:
    """Secrets stand in the environment, never in the file."""
    with serving(guarded=True) as port:
        with source_at(port, {"NOTES_TOKEN": TOKEN}, token_env="NOTES_TOKEN") as source:
            assert names(ask(source, "cache")) == ["Redis"]
        with source_at(port, {"NOTES_TOKEN": "another"}, token_env="NOTES_TOKEN") as source:
            with pytest.raises(SourceUnavailable, match="notes: ") as caught:
                ask(source, "cache")
            assert "another" not in caught.value.message


def unused_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def test_nobody_there_is_an_outage() -> None:
    """F-ERR-1: at once, not at the deadline."""
    with source_at(unused_port()) as source, pytest.raises(SourceUnavailable, match="notes: "):
        ask(source, "cache")


def test_a_server_that_was_restarted_is_asked_anew() -> None:
    """It knows nothing of the old session, and nobody need notice; down it is an outage."""
    with serving() as port, source_at(port) as source:
        assert names(ask(source, "cache")) == ["Redis"]
    with source_at(port) as source:
        with serving(port=port):
            assert names(ask(source, "cache")) == ["Redis"]
        with serving(port=port):
            assert names(ask(source, "cache")) == ["Redis"]
        with pytest.raises(SourceUnavailable):
            ask(source, "cache")
        with serving(port=port):
            assert names(ask(source, "cache")) == ["Redis"]
