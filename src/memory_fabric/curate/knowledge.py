"""The graph as clients of the official memory server use it, without secrets on the way in and out (F-PRIV-1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from memory_fabric import clock
from memory_fabric.model.nodes import CreatedLinks, CreatedNodes, Link, Node, Observations, Subgraph
from memory_fabric.model.query import Scope
from memory_fabric.ports import NodeStore
from memory_fabric.text import analyse, clean

EVERYTHING = frozenset({"", "*"})
"""Queries that list nodes in place of searching them (F-MCP-11)."""

FOUND = 50
"""Nodes that a search returns by default."""

Redact = Callable[[str], str]


class Knowledge:
    """Nine operations over one store; see ``ports.NodeStore`` for what each does and raises."""

    def __init__(self, store: NodeStore, redact: Redact) -> None:
        self._store = store
        self._redact = redact

    def create_nodes(self, nodes: Sequence[Node]) -> CreatedNodes:
        """Add the entities that are new, with their observations."""
        return self._store.create_nodes([self._node(node) for node in nodes], clock.utcnow())

    def create_links(self, links: Sequence[Link]) -> CreatedLinks:
        """Add the links that are new."""
        return self._store.create_links([self._link(link) for link in links], clock.utcnow())

    def add_observations(self, additions: Sequence[Observations]) -> list[Observations]:
        """Add what is new of each entity, and return that.

        Raises:
            UsageError: an entity is not known; nothing was written.
        """
        return self._store.add_observations([self._observations(each) for each in additions], clock.utcnow())

    def delete_nodes(self, names: Sequence[str]) -> int:
        """Remove entities with their observations and links; returns how many there were."""
        return self._store.delete_nodes([self._safe(name) for name in names], clock.utcnow())

    def delete_observations(self, deletions: Sequence[Observations]) -> int:
        """Remove observations; returns how many there were."""
        return self._store.delete_observations([self._observations(each) for each in deletions], clock.utcnow())

    def delete_links(self, links: Sequence[Link]) -> int:
        """Remove links; returns how many there were."""
        return self._store.delete_links([self._link(link) for link in links], clock.utcnow())

    def size(self, scope: Scope = Scope()) -> tuple[int, int]:
        """Nodes and links in scope."""
        return self._store.graph_size(scope)

    def list_nodes(self, scope: Scope = Scope(), offset: int = 0, limit: int = FOUND) -> list[Node]:
        """Nodes in scope: those that a client created first."""
        return [self._node(node) for node in self._store.list_nodes(scope, offset, limit)]

    def list_links(self, scope: Scope = Scope(), offset: int = 0, limit: int = FOUND) -> list[Link]:
        """Live links in scope, each once, oldest first."""
        return [self._link(link) for link in self._store.list_links(scope, offset, limit)]

    def open_nodes(self, names: Sequence[str], scope: Scope = Scope()) -> Subgraph:
        """The nodes of these names, and the links with at least one end among them."""
        return self._subgraph(self._store.open_nodes(names, scope))

    def search_nodes(self, query: str, scope: Scope = Scope(), limit: int = FOUND) -> Subgraph:
        """Nodes that hold any word of the query, best first, and their links; ``*`` and nothing list all (F-MCP-11)."""
        if query.strip() in EVERYTHING:
            names = [node.name for node in self._store.list_nodes(scope, 0, limit)]
            return self._subgraph(self._store.open_nodes(names, scope))
        terms = list(dict.fromkeys(analyse(query)))
        return self._subgraph(self._store.search_nodes(terms, scope, limit))

    def unresolved(self, limit: int = FOUND) -> list[str]:
        """Names that links point to and no entity has (C-048)."""
        return [self._safe(name) for name in self._store.unresolved(limit)]

    def _subgraph(self, found: Subgraph) -> Subgraph:
        return Subgraph(tuple(map(self._node, found.nodes)), tuple(map(self._link, found.links)))

    def _node(self, node: Node) -> Node:
        safe = self._safe
        return Node(safe(node.name), safe(node.type), tuple(safe(text) for text in node.observations))

    def _link(self, link: Link) -> Link:
        return Link(self._safe(link.start), self._safe(link.relation), self._safe(link.end))

    def _observations(self, given: Observations) -> Observations:
        return replace(
            given, entity=self._safe(given.entity), contents=tuple(self._safe(text) for text in given.contents)
        )

    def _safe(self, text: str) -> str:
        return self._redact(clean(text))
