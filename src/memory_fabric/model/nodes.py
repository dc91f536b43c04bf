"""The graph in the shape of the official memory server (formats.md §10): names and words as a client gave them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Node:
    """An entity with what was observed of it."""

    name: str
    type: str
    """As given (``entityType``); the kind of an entity that was read from a transcript."""
    observations: tuple[str, ...] = ()
    """Each once, oldest first."""


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between two names, in the direction it was given."""

    start: str
    relation: str
    end: str


@dataclass(frozen=True, slots=True)
class Observations:
    """What to add to, or take from, one entity."""

    entity: str
    contents: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Subgraph:
    """Some nodes, and the links with at least one end among them (F-MCP-11, F-MCP-12)."""

    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class CreatedNodes:
    """What ``create_nodes`` did."""

    new: tuple[Node, ...] = ()
    ignored: tuple[Observations, ...] = ()
    """Observations given for an entity that was known already: not taken, and said so (F-MCP-4)."""


@dataclass(frozen=True, slots=True)
class CreatedLinks:
    """What ``create_links`` did."""

    new: tuple[Link, ...] = ()
    unresolved: tuple[str, ...] = ()
    """Names at an end that no entity has yet: the link is kept and waits for it (D-4, C-048)."""
