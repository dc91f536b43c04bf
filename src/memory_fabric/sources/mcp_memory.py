"""Any MCP memory server as a source: ``search_nodes``, ``open_nodes``, ``read_graph``, over stdio or HTTP.

Its whole-string search finds nothing for two words: it is asked for each thing named and each word, and the answers are
merged by name.  Servers without a search are read whole.
"""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from time import monotonic
from typing import IO, TYPE_CHECKING, Any

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceUnavailable
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Hit
from memory_fabric.ports import Probe
from memory_fabric.sources import mcp_graph
from memory_fabric.sources.configured import McpServer
from memory_fabric.sources.foreign import Redact, foreign_memory, in_scope
from memory_fabric.sources.mcp_faults import ServerStopped, leaves, one_line
from memory_fabric.sources.mcp_graph import Answers
from memory_fabric.sources.mcp_session import Connection, Link
from memory_fabric.sources.secret import secret_of

if TYPE_CHECKING:
    from mcp import Client

PREFIX = "mcp"

SEARCH, OPEN, READ = "search_nodes", "open_nodes", "read_graph"

MOST_OPENED = 20
"""Nodes that are opened for their observations, where a search gave names alone."""

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


class McpMemory:
    """See the module and ``ports.OutsideSource``."""

    required = False

    def __init__(self, entry: McpServer, environment: Mapping[str, str], redact: Redact) -> None:
        self.name = entry.name
        self.deadline = entry.deadline
        self._redact = redact
        opener = _http if entry.url is not None else _program
        self._connection = Connection(entry.name, lambda: opener(entry, environment, redact))

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        """See ``ports.Source``: 1.0 for a node that the question names, 0.8 for one found by a word of it."""
        started = monotonic()
        needles = mcp_graph.needles(query)
        if not needles or limit <= 0:
            return Found(self.name, (), seconds=monotonic() - started)
        answers = self._connection.ask(lambda link: self._asked(link, needles), deadline)
        # The scope can leave out all of a node or nothing, so the limit may be taken first.
        hits: dict[MemoryId, Hit] = {}
        for node, raw in mcp_graph.chosen(answers, query, limit):
            memory = self._memory(node, answers, query)
            if in_scope(memory, query.scope):
                hits.setdefault(memory.id, Hit(memory, raw))
        return Found(self.name, tuple(hits.values()), ceiling=mcp_graph.EXACT, seconds=monotonic() - started)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:  # noqa: ARG002
        """See ``ports.Source``: it knows nothing of what others found."""
        return {}

    def probe(self, deadline: Deadline) -> Probe:
        """See ``ports.OutsideSource``."""
        return self._connection.ask(self._probed, deadline)

    def close(self) -> None:
        """See ``ports.OutsideSource``."""
        self._connection.close()

    # ── in the loop of the connection ────────────────────────────────────────────────────────────────────────────

    async def _probed(self, link: Link) -> Probe:
        self._require(link)
        return Probe(link.product, tuple(sorted(link.tools)))

    async def _asked(self, link: Link, needles: Sequence[str]) -> Answers:
        self._require(link)
        answers = Answers()
        if SEARCH in link.tools:
            calls = [self._called(link, SEARCH, {"query": needle}) for needle in needles]
        else:
            calls = [self._called(link, READ, {})]
        for graph in await asyncio.gather(*calls):
            answers.take(graph)
        bare = [name for name, node in answers.nodes.items() if not node.observations][:MOST_OPENED]
        if bare and SEARCH in link.tools and OPEN in link.tools:
            answers.take(await self._called(link, OPEN, {"names": bare}))
        return answers

    def _require(self, link: Link) -> None:
        if link.tools.isdisjoint((SEARCH, READ)):
            offered = ", ".join(sorted(link.tools)) or "none"
            raise SourceUnavailable(
                f"{self.name}: {link.product} has neither {SEARCH} nor {READ}: it is no memory that can be searched",
                f"its tools: {one_line(offered)}",
            )

    async def _called(self, link: Link, tool: str, arguments: dict[str, Any]) -> Mapping[str, Any]:
        try:
            result = await link.client.call_tool(tool, arguments)
        except RuntimeError as error:  # the client's word for an answer that breaks the tool's own schema
            raise SourceUnavailable(f"{self.name}: {one_line(str(self._redact(str(error))))}") from error
        texts = [block.text for block in result.content if block.type == "text"]
        if result.is_error:
            said = one_line(str(self._redact(" ".join(texts)))) or "no reason given"
            raise SourceUnavailable(f"{self.name}: {tool} failed: {said}", f"look at what {link.product} keeps")
        graph = mcp_graph.graph_of(result.structured_content, texts)
        if graph is None:
            raise SourceUnavailable(f"{self.name}: {tool} answered what is no graph", "is it a memory server?")
        return graph

    # ── shaping ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _memory(self, node: mcp_graph.Found, answers: Answers, query: Query) -> Memory:
        relations = answers.of(node.name)
        shown = relations[: mcp_graph.MOST_RELATIONS]
        observations = mcp_graph.observed(node, query)
        left_out = {
            "observations_left_out": len(node.observations) - len(observations),
            "relations_left_out": len(relations) - len(shown),
        }
        metadata: dict[str, object] = {
            "entityType": node.type,
            "relations": [{"from": start, "to": end, "relationType": label} for start, label, end in shown],
            "observations": observations,
            **{key: number for key, number in left_out.items() if number},
        }
        targets = [end for start, _, end in shown if start == node.name]
        return foreign_memory(
            PREFIX,
            self.name,
            node.name,
            mcp_graph.whole(node, query),
            self._redact,
            entities=(node.name, *targets),
            metadata=metadata,
        )


Opener = Callable[[McpServer, Mapping[str, str], Redact], Any]


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
async def _http(entry: McpServer, environment: Mapping[str, str], redact: Redact) -> AsyncIterator[Client]:  # noqa: ARG001
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
