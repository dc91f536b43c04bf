"""Pages of a graph: first its entities, then its relations, within a budget (C-082).

The union of all pages is the whole graph.  An entity whose observations do not fit on what is left of a page is split:
it comes again, under the same name, with the rest.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from memory_fabric.doors.mcp.arguments import BadArgument, Json
from memory_fabric.doors.mcp.graph_shapes import link_json, node_json
from memory_fabric.doors.mcp.paging import Budget
from memory_fabric.model.nodes import Link, Node, Subgraph

_CURSOR = re.compile(r"(entities|relations):(\d{1,12})(?::(\d{1,12}))?")

_AT_ONCE = 100
"""Entities or relations fetched at a time."""


class Graph(Protocol):
    """What is paged."""

    @property
    def size(self) -> tuple[int, int]:
        """Entities and relations."""
        ...

    def nodes(self, offset: int, limit: int) -> Sequence[Node]:
        """Entities in their order."""
        ...

    def links(self, offset: int, limit: int) -> Sequence[Link]:
        """Relations in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Listed:
    """The graph of a store, fetched as needed."""

    size: tuple[int, int]
    nodes: Callable[[int, int], Sequence[Node]]
    links: Callable[[int, int], Sequence[Link]]


@dataclass(frozen=True, slots=True)
class Held:
    """A graph that was found already."""

    graph: Subgraph

    @property
    def size(self) -> tuple[int, int]:
        """Entities and relations."""
        return len(self.graph.nodes), len(self.graph.links)

    def nodes(self, offset: int, limit: int) -> Sequence[Node]:
        """Entities in their order."""
        return self.graph.nodes[offset : offset + limit]

    def links(self, offset: int, limit: int) -> Sequence[Link]:
        """Relations in their order."""
        return self.graph.links[offset : offset + limit]


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a page begins."""

    part: str = "entities"
    offset: int = 0
    observation: int = 0
    """Observations of the first entity that were shown already."""

    @classmethod
    def read(cls, text: str | None) -> Cursor:
        """The cursor that a client sends back.

        Raises:
            BadArgument: it is none of ours.
        """
        if text is None:
            return cls()
        match = _CURSOR.fullmatch(text.strip())
        if match is None:
            raise BadArgument("cursor", f"{text[:40]!r} is not one that this tool gave")
        return cls(match[1], int(match[2]), int(match[3] or 0))

    def __str__(self) -> str:
        text = f"{self.part}:{self.offset}"
        return f"{text}:{self.observation}" if self.observation else text


@dataclass(slots=True)
class Page:
    """A part of a graph."""

    entities: list[Json] = field(default_factory=list)
    relations: list[Json] = field(default_factory=list)
    next: Cursor | None = None

    @property
    def data(self) -> Json:
        """As the official server answers."""
        return {"entities": self.entities, "relations": self.relations}


def page_of(graph: Graph, cursor: Cursor, budget: Budget) -> Page:
    """The part of the graph from the cursor on that fits; always at least one observation or relation of it."""
    page = Page()
    if cursor.part == "entities":
        page.next = _fill_nodes(graph, cursor, budget, page)
        cursor = Cursor("relations")
    if page.next is None:
        page.next = _fill_links(graph, cursor, budget, page)
    return page


def remark(graph: Graph, page: Page, cursor: Cursor, tool: str) -> str | None:
    """How to get the rest, or None where nothing is left."""
    if page.next is None:
        return None
    entities, relations = graph.size
    share = _done(page.next, entities) - _done(cursor, entities)
    left = entities + relations - _done(page.next, entities)
    more = -(-left // max(1, share))
    return (
        f"There is more: this page holds {len(page.entities)} of {entities} entities and {len(page.relations)} of "
        f"{relations} relations, about {more} more to come. Call {tool} again with cursor={page.next} "
        "(max_tokens sets the size of a page), or ask for what you need with search_nodes or open_nodes."
    )


def _done(cursor: Cursor, entities: int) -> int:
    return cursor.offset + (entities if cursor.part == "relations" else 0)


def _fill_nodes(graph: Graph, start: Cursor, budget: Budget, page: Page) -> Cursor | None:
    """Put entities on the page; where it ended, None when all are there."""
    offset, shown = start.offset, start.observation
    while batch := graph.nodes(offset, _AT_ONCE):
        for node in batch:
            rest = replace(node, observations=node.observations[shown:])
            if budget.take(node_json(rest)):
                page.entities.append(node_json(rest))
                offset, shown = offset + 1, 0
                continue
            part = _part(rest, budget, must=not page.entities)
            if part is not None:
                page.entities.append(node_json(part))
                shown += len(part.observations)
                if shown >= len(node.observations):
                    offset, shown = offset + 1, 0
            return Cursor("entities", offset, shown)
    return None


def _part(node: Node, budget: Budget, *, must: bool) -> Node | None:
    """The entity with its first observations that fit; with one that does not fit where ``must`` leaves no choice."""
    empty = replace(node, observations=())
    if not budget.take(node_json(empty)) and not must:
        return None
    fitting = tuple(budget.fitting(node.observations))
    if not fitting and not must:
        return None
    return replace(node, observations=fitting or node.observations[:1])


def _fill_links(graph: Graph, start: Cursor, budget: Budget, page: Page) -> Cursor | None:
    offset = start.offset
    while batch := graph.links(offset, _AT_ONCE):
        for link in batch:
            if not budget.take(link_json(link)):
                if page.entities or page.relations:
                    return Cursor("relations", offset)
                budget.left = 0
            page.relations.append(link_json(link))
            offset += 1
    return None
