"""Ways to talk to the server over stdio: the official Python client, and plain bytes."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal

PROGRAM = (sys.executable, "-c", "from memory_fabric.doors.cli import main; main()")

PATIENCE = 30.0
"""Seconds for an answer: a server that hangs is a failure, not a wait."""

Json = dict[str, Any]


def surroundings(home: Path, **more: str) -> dict[str, str]:
    """The environment of a server on the memory in this folder, without an embedding model."""
    return {**os.environ, "MEMORY_FABRIC_HOME": str(home), "MEMORY_FABRIC_EMBEDDER": "none", **more}


# ── the official client ──────────────────────────────────────────────────────────────────────────────────────────────


@dataclass
class Client:
    """A connected client of the official SDK, for tests that are not async."""

    portal: BlockingPortal
    session: Any
    notified: queue.Queue[Any] = field(default_factory=queue.Queue)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Any:
        """The result of a tool; raises ``MCPError`` where the answer is an error."""
        return self.portal.call(self.session.call_tool, tool, dict(arguments or {}))

    def data(self, tool: str, arguments: Mapping[str, Any] | None = None) -> Json:
        """Its structured content; the call must have gone well."""
        result = self.call(tool, arguments)
        assert not result.is_error, result.content
        data: Json = result.structured_content
        return data

    def notes(self, tool: str, arguments: Mapping[str, Any] | None = None) -> list[str]:
        """What is said beside the result."""
        return [part.text for part in self.call(tool, arguments).content[1:]]


@contextmanager
def connected(
    home: Path, *words: str, cwd: Path | None = None, roots: Path | None = None, **environment: str
) -> Iterator[Client]:
    """A server on this memory and a client that has shaken hands with it; ``roots`` is what the client offers."""
    from mcp.client.stdio import stdio_client

    from mcp import StdioServerParameters

    program, *rest = PROGRAM
    server = StdioServerParameters(
        command=program, args=[*rest, "mcp", *words], env=surroundings(home, **environment), cwd=cwd
    )
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(stdio_client(server)) as (read, write),
        _session(portal, read, write, roots) as client,
    ):
        yield client


@contextmanager
def beside(home: Path) -> Iterator[Client]:
    """The same server in this process: the whole protocol, without the time that a process needs to start."""
    from mcp.shared.memory import create_client_server_memory_streams

    from memory_fabric import Settings
    from memory_fabric.doors.mcp.opened import OpenedOnce
    from memory_fabric.doors.mcp.server import build

    memory = OpenedOnce(Settings(home=home, embedder="none"))
    server = build(memory)
    with start_blocking_portal() as portal:
        with portal.wrap_async_context_manager(create_client_server_memory_streams()) as (ours, theirs):
            served = portal.start_task_soon(server.run, *theirs, server.create_initialization_options())
            with _session(portal, *ours) as client:
                yield client
        served.result(PATIENCE)
    memory.close()


@contextmanager
def _session(portal: BlockingPortal, read: Any, write: Any, roots: Path | None = None) -> Iterator[Client]:
    from mcp import ClientSession

    notified: queue.Queue[Any] = queue.Queue()

    async def keep(message: Any) -> None:
        notified.put(message)

    async def name_roots(context: Any) -> Any:
        from mcp_types import ListRootsResult, Root

        assert roots is not None
        return ListRootsResult(roots=[Root.model_validate({"uri": roots.as_uri()})])

    callback = name_roots if roots is not None else None
    session = ClientSession(read, write, message_handler=keep, list_roots_callback=callback)
    with portal.wrap_async_context_manager(session):
        portal.call(session.initialize)
        yield Client(portal, session, notified)


# ── plain bytes ──────────────────────────────────────────────────────────────────────────────────────────────────────


class Raw:
    """A server process, its lines and its end."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def send(self, *messages: Json | bytes) -> None:
        assert self.process.stdin is not None
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self) -> Json:
        """The next message; everything on stdout must be one."""
        line = self.lines.get(timeout=PATIENCE)
        assert line is not None, "the server ended"
        message: Json = json.loads(line)
        assert message["jsonrpc"] == "2.0"
        return message

    def ask(self, message: Json) -> Json:
        """The answer to a request, notifications passed over."""
        self.send(message)
        while (answer := self.receive()).get("id") != message["id"]:
            assert "method" in answer, answer
        return answer

    def shake_hands(self, version: str = "2025-06-18") -> Json:
        answer = self.ask(request(0, "initialize", **hello(version)))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def end(self, within: float) -> tuple[int, list[Json]]:
        """Close its input; its exit code and what it still said."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(within)
        rest = []
        while (line := self.lines.get(timeout=PATIENCE)) is not None:
            rest.append(json.loads(line))
        return code, rest


@contextmanager
def raw(home: Path, *words: str, **environment: str) -> Iterator[Raw]:
    """A server of our own that is gone after the block."""
    process = subprocess.Popen(
        [*PROGRAM, "mcp", *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=surroundings(home, **environment),
    )
    with process:
        try:
            yield Raw(process)
        finally:
            process.kill()


def request(id_: Any, method: str, **params: Any) -> Json:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def tool_call(id_: Any, tool: str, **arguments: Any) -> Json:
    return request(id_, "tools/call", name=tool, arguments=arguments)


def hello(version: str) -> Json:
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
