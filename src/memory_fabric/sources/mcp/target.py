"""Writing to an MCP memory server with the official server's tools (formats.md §10).

Entities and relations go as they are.  A decision or a note becomes an entity of its own, of the type ``decision`` or
``note``, with its words as an observation and an ``about`` relation to everything that it names.  The official server
leaves known entities and relations alone and adds only new observations, so pushing twice changes nothing; nothing
there is overwritten or deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceError, SourceUnavailable
from memory_fabric.ports import Claimed
from memory_fabric.ports.outbox import LINK, NODE, OBSERVATION, pieces
from memory_fabric.sources.mcp.faults import one_line
from memory_fabric.sources.mcp.session import Connection, Link
from memory_fabric.text import text_hash

TITLE = 80
"""Characters of a decision's words that name its entity; a longer one gets the start of its hash as well."""

Call = tuple[str, dict[str, Any]]
"""A tool and its arguments."""


class McpTarget:
    """See ``ports.outbox.Target``."""

    graph = True

    def __init__(self, name: str, connection: Connection, deadline: float) -> None:
        """``deadline``: seconds for one parcel."""
        self.name = name
        self._connection = connection
        self._deadline = deadline

    def push(self, claimed: Claimed) -> str | None:
        """See ``Target``; gives the name of the entity, which is the server's own id."""
        payload = claimed.parcel.payload
        calls = list(_calls(claimed.parcel.kind, payload))

        async def work(link: Link) -> None:
            for tool, arguments in calls:
                await _call(self.name, link, tool, arguments)

        self._connection.ask(work, Deadline.after(self._deadline))
        return None if claimed.parcel.kind == LINK else _entity_name(claimed.parcel.kind, payload)

    def close(self) -> None:
        """See ``Target``."""
        self._connection.close()


def _calls(kind: str, payload: Mapping[str, Any]) -> Iterator[Call]:
    if kind == LINK:
        yield _relations([payload])
    elif kind == NODE:
        yield "create_entities", {"entities": [{**payload, "observations": []}]}
    elif kind == OBSERVATION:
        yield _observations(str(payload["entity"]), pieces(str(payload["text"])))
    else:
        name, said = _entity_name(kind, payload), _said(payload)
        yield "create_entities", {"entities": [{"name": name, "entityType": payload["kind"], "observations": said}]}
        # The server may have known the entity, and then took none of its observations.
        yield _observations(name, said)
        if payload["entities"]:
            yield _relations([{"from": name, "to": each, "relationType": "about"} for each in payload["entities"]])


def _observations(name: str, contents: Sequence[str]) -> Call:
    return "add_observations", {"observations": [{"entityName": name, "contents": list(contents)}]}


def _relations(relations: Sequence[Mapping[str, Any]]) -> Call:
    return "create_relations", {"relations": [dict(each) for each in relations]}


def _entity_name(kind: str, payload: Mapping[str, Any]) -> str:
    if kind in (NODE, OBSERVATION):
        return str(payload["name" if kind == NODE else "entity"])
    words = " ".join(str(payload["text"]).split())
    if len(words) <= TITLE:
        return words
    return f"{words[:TITLE].rpartition(' ')[0] or words[:TITLE]} … ({text_hash(words)[:6]})"


def _said(payload: Mapping[str, Any]) -> list[str]:
    """The words, and in a line of its own when and where they were said, since the server keeps no time."""
    said = pieces(str(payload["text"]))
    when = str(payload["timestamp"] or "")[:10]
    where = payload["project"]
    if when or where:
        said.append("said" + (f" on {when}" if when else "") + (f" in {where}" if where else ""))
    if payload.get("lesson"):
        said.append(f"lesson: {payload['lesson']}")
    return said


async def _call(source: str, link: Link, tool: str, arguments: dict[str, Any]) -> None:
    """One call of a tool.

    Raises:
        SourceUnavailable: the server has no such tool: it is no memory that can be written.
        SourceError: it refuses.
    """
    if tool not in link.tools:
        raise SourceUnavailable(f"{source}: has no tool {tool}, so nothing can be pushed there", "set `push` to false")
    answer = await link.client.call_tool(tool, arguments)
    if answer.is_error:
        words = next((each.text for each in answer.content if each.type == "text"), "it gave no reason")
        raise SourceError(f"{source}: {tool} was refused: {one_line(words)}", "it is tried again with the next sync")
