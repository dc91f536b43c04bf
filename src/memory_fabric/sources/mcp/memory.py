"""Any MCP memory server as a source: ``search_nodes``, ``open_nodes``, ``read_graph``, over stdio or HTTP.

Its whole-string search finds nothing for two words: it is asked for each thing named and each word, and the answers are
merged by name.  Servers without a search are read whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceUnavailable
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Hit
from memory_fabric.ports import Probe
from memory_fabric.sources.configured import McpServer
from memory_fabric.sources.foreign import Redact, foreign_memory, in_scope
from memory_fabric.sources.mcp import graph as mcp_graph
from memory_fabric.sources.mcp.faults import one_line
from memory_fabric.sources.mcp.graph import Answers
from memory_fabric.sources.mcp.session import Connection, Link
from memory_fabric.sources.mcp.transport import connection_to

PREFIX = "mcp"

SEARCH, OPEN, READ = "search_nodes", "open_nodes", "read_graph"

MOST_OPENED = 20
"""Nodes that are opened for their observations, where a search gave names alone."""


class McpMemory:
    """See the module and ``ports.OutsideSource``."""

    required = False

    def __init__(self, entry: McpServer, environment: Mapping[str, str], redact: Redact) -> None:
        self.name = entry.name
        self.deadline = entry.deadline
        self._redact = redact
        self._connection = connection_to(entry, environment, redact)

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

    @property
    def connection(self) -> Connection:
        """The connection, for whoever writes there."""
        return self._connection

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
