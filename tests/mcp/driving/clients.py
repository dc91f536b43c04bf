"""Who calls: the official Python client, and the npm inspector."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import anyio
from tests.mcp.driving.calls import Json
from tests.mcp.driving.servers import INSPECTOR, PROGRAM, Serving, environment

PATIENCE = 60.0
"""Seconds for one call: a server that hangs is a failure, not a wait."""


@dataclass(frozen=True)
class Outcome:
    """How a call ended: with structured content and texts, or with an error."""

    data: Json | None
    texts: tuple[str, ...]
    error: str | None = None


class Peer(Protocol):
    """A client that is connected to our server, or connects for each call."""

    async def tools(self) -> list[Json]: ...
    async def call(self, tool: str, arguments: Json) -> Outcome: ...
    async def resource(self, uri: str) -> str: ...


@dataclass(frozen=True)
class PythonPeer:
    """The official Python client; it validates structured content itself, too."""

    client: Any

    async def tools(self) -> list[Json]:
        listed = await self.client.list_tools()
        return [tool.model_dump(by_alias=True, exclude_none=True) for tool in listed.tools]

    async def call(self, tool: str, arguments: Json) -> Outcome:
        from mcp.shared.exceptions import MCPError

        try:
            with anyio.fail_after(PATIENCE):
                result = await self.client.call_tool(tool, arguments)
        except MCPError as error:
            return Outcome(None, (), error.error.message)
        texts = tuple(part.text for part in result.content if part.type == "text")
        return Outcome(result.structured_content, texts, " ".join(texts) if result.is_error else None)

    async def resource(self, uri: str) -> str:
        read = await self.client.read_resource(uri)
        return str(read.contents[0].text)


@dataclass(frozen=True)
class InspectorPeer:
    """The npm inspector's command line: a process, and over stdio a server, for every call."""

    target: tuple[str, ...]
    """Its last arguments, which say where the server is."""
    home: Path
    """For what it keeps."""

    async def _run(self, *words: str) -> tuple[Json, str]:
        command = [str(INSPECTOR), "--cli", "-q", "--format", "json", *words, *self.target]
        with anyio.fail_after(PATIENCE):
            done = await anyio.run_process(command, check=False, env={**os.environ, "HOME": str(self.home)})
        out, err = done.stdout.decode(), done.stderr.decode().strip()
        return (json.loads(out)["result"] if out.strip() else {}), err

    async def tools(self) -> list[Json]:
        listed, err = await self._run("--method", "tools/list")
        if "tools" not in listed:
            raise RuntimeError(f"tools/list: {err}")
        return list(listed["tools"])

    async def call(self, tool: str, arguments: Json) -> Outcome:
        given = json.dumps(arguments)
        result, err = await self._run("--method", "tools/call", "--tool-name", tool, "--tool-args-json", given)
        texts = tuple(part["text"] for part in result.get("content", ()))
        failed = result.get("isError") or not result
        return Outcome(result.get("structuredContent"), texts, " ".join((*texts, err)) if failed else None)

    async def resource(self, uri: str) -> str:
        read, err = await self._run("--method", "resources/read", "--uri", uri)
        if "contents" not in read:
            raise RuntimeError(f"resources/read: {err}")
        return str(read["contents"][0]["text"])


@contextmanager
def own_stdio(home: Path, program: tuple[str, ...] = PROGRAM) -> Iterator[Any]:
    """The official client's transport to a server that it starts on the memory in a folder."""
    from mcp.client.stdio import stdio_client

    from mcp import StdioServerParameters

    start = StdioServerParameters(command=program[0], args=[*program[1:], "mcp"], env=environment(home))
    with Path(os.devnull).open("w") as quiet:
        yield stdio_client(start, errlog=quiet)


@asynccontextmanager
async def python_peer(target: Serving | Path, mode: str) -> AsyncIterator[PythonPeer]:
    """The official client, connected: to a server over HTTP, or to one it starts on the memory in a folder."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from mcp import Client

    if isinstance(target, Path):
        with own_stdio(target) as started:
            async with Client(started, mode=mode) as client:
                yield PythonPeer(client)
        return
    async with (
        httpx2.AsyncClient(headers=target.bearer, timeout=PATIENCE) as http,
        Client(streamable_http_client(target.url, http_client=http), mode=mode) as client,
    ):
        yield PythonPeer(client)


def inspector_peer(target: Serving | Path, home: Path) -> InspectorPeer:
    """The inspector, pointed at a server over HTTP, or at a command on the memory in a folder."""
    if isinstance(target, Path):
        ours = {name: value for name, value in environment(target).items() if name.startswith("MEMORY_FABRIC_")}
        env = [word for name, value in ours.items() for word in ("-e", f"{name}={value}")]
        return InspectorPeer((*env, "--", *PROGRAM, "mcp"), home)
    bearer = f"Authorization: Bearer {target.token}"
    return InspectorPeer(("--transport", "http", "--server-url", target.url, "--header", bearer), home)
