"""How an MCP server is reached: a program that is started for it, or an address."""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import IO, TYPE_CHECKING

from memory_fabric.errors import SourceUnavailable
from memory_fabric.sources.configured import McpServer
from memory_fabric.sources.foreign import Redact
from memory_fabric.sources.mcp.faults import ServerStopped, leaves, one_line
from memory_fabric.sources.mcp.session import Connection
from memory_fabric.sources.secret import secret_of

if TYPE_CHECKING:
    from mcp import Client

LONGEST_CALL = 60.0
"""Seconds after which a call is given up, whoever still waits for it."""

PASSED_ON = frozenset(
    "PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL LC_CTYPE TZ TMPDIR TEMP TMP XDG_CACHE_HOME XDG_CONFIG_HOME "
    "XDG_DATA_HOME SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES "
    "USERPROFILE USERNAME HOMEDRIVE HOMEPATH PROCESSOR_ARCHITECTURE".split()
)
"""Variables that every program may see; others only when the entry names them (C-117)."""

LAST_WORDS = 2000
"""Bytes at the end of a server's error stream that are looked at when it went away."""


def connection_to(entry: McpServer, environment: Mapping[str, str], redact: Redact) -> Connection:
    """The connection of an entry, not opened yet."""
    if entry.url is not None:
        return Connection(entry.name, lambda: _http(entry, environment))
    return Connection(entry.name, lambda: _program(entry, environment, redact))


@asynccontextmanager
async def _program(entry: McpServer, environment: Mapping[str, str], redact: Redact) -> AsyncIterator[Client]:
    """A client of a server that is started for it; its standard error is kept aside for when it goes away."""
    from mcp import Client, MCPError, StdioServerParameters, stdio_client

    _silence()
    given = passed_on(entry, environment)
    program = shutil.which(entry.command[0], path=given.get("PATH"))
    if program is None:
        raise SourceUnavailable(
            f"{entry.name}: {entry.command[0]} is not there or cannot be run", "check its command in sources.json"
        )
    server = StdioServerParameters(
        command=program, args=list(entry.command[1:]), env=given, encoding_error_handler="replace"
    )
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            client = Client(stdio_client(server, errors), read_timeout_seconds=LONGEST_CALL, cache=None)
            async with client as open_client:
                yield open_client
        except (MCPError, ExceptionGroup) as error:
            if not all(isinstance(each, MCPError) for each in leaves(error)):
                raise
            said = one_line(str(redact(_last_line(errors))))
            raise ServerStopped(f"{leaves(error)[0]}{f' ({said})' if said else ''}") from error


@asynccontextmanager
async def _http(entry: McpServer, environment: Mapping[str, str]) -> AsyncIterator[Client]:
    """A client of a server that runs somewhere."""
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    from mcp import Client

    _silence()
    secret = secret_of(entry.name, entry.token_env, entry.keyring, environment)
    headers = {"Authorization": f"Bearer {secret}"} if secret is not None else {}
    async with httpx2.AsyncClient(headers=headers, timeout=LONGEST_CALL) as http:
        transport = streamable_http_client(str(entry.url), http_client=http)
        async with Client(transport, read_timeout_seconds=LONGEST_CALL, cache=None) as client:
            yield client


def passed_on(entry: McpServer, environment: Mapping[str, str]) -> dict[str, str]:
    """The variables that the server's program sees: a short list, those that the entry names, and its secret.

    Raises:
        SourceUnavailable: the secret is not where the entry says.
    """
    named = {*PASSED_ON, *entry.env}
    given = {name: value for name, value in environment.items() if name.upper() in PASSED_ON or name in named}
    if entry.token_env is not None:
        given[entry.token_env] = secret_of(entry.name, entry.token_env, entry.keyring, environment) or ""
    return given


def _last_line(errors: IO[str]) -> str:
    size = errors.seek(0, 2)
    errors.seek(max(0, size - LAST_WORDS))
    lines = [line for line in errors.read().splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _silence() -> None:
    """Keep the client's log off our error stream: what matters of it comes as an error (F-ERR-1)."""
    logger = logging.getLogger("mcp")
    if not logger.handlers:
        logger.addHandler(logging.NullHandler())
