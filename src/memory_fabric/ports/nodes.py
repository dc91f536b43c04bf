"""The graph as clients of the official memory server write and read it (F-MCP-4 to F-MCP-12)."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from memory_fabric.model.memory import MemoryId
from memory_fabric.model.nodes import CreatedLinks, CreatedNodes, Link, Node, Observations, Subgraph
from memory_fabric.model.query import Scope


class NodeStore(Protocol):
    """Entities, links and observations by name; each write is one transaction, safe among processes (C-042 to C-044).

    Names are compared by ``text.entity_key`` (C-050); the first spelling is shown.  Labels outside the vocabulary are
    stored verbatim and returned verbatim (F-VOC-4).  Writing is meant: what was forgotten and is written again lives
    again.  Every observation is a memory too (kind ``note``, text ``<name>: <observation>``, no project, found
    everywhere), so that search finds it.

    Raises:
        StoreUnavailable: locked beyond the busy timeout, disk full, damaged; nothing was written.
    """

    def create_nodes(self, nodes: Sequence[Node], at: datetime) -> CreatedNodes:
        """Add the entities that are new, with their observations; also those that were only named so far."""
        ...

    def create_links(self, links: Sequence[Link], at: datetime) -> CreatedLinks:
        """Add the links that are new; ends that no entity has yet are kept unresolved and named in the answer."""
        ...

    def add_observations(self, additions: Sequence[Observations], at: datetime) -> list[Observations]:
        """Add what is new of each entity, and return that, an entry an entry asked for.

        Raises:
            UsageError: an entity is not known; nothing was written.
        """
        ...

    def observe(self, memory: MemoryId, entities: Sequence[str], text: str, at: datetime) -> None:
        """Make a stored memory an observation of these entities: what ``remember`` does with a note (F-CMD-4)."""
        ...

    def delete_nodes(self, names: Sequence[str], at: datetime) -> int:
        """Remove entities with their observations and links, in every index and through re-ingest.

        Unknown names are passed over.  What was removed is kept in the journal (F-MCP-7).  Returns how many there were.
        """
        ...

    def delete_observations(self, deletions: Sequence[Observations], at: datetime) -> int:
        """Remove observations, likewise; returns how many there were."""
        ...

    def delete_links(self, links: Sequence[Link], at: datetime) -> int:
        """Remove links, likewise; returns how many there were."""
        ...

    def strike(self, texts: Sequence[str]) -> int:
        """Remove what the journal keeps of deleted things that hold one of these texts (folded); returns how many.

        Forgetting does so by itself for what it forgets.
        """
        ...

    def graph_size(self, scope: Scope) -> tuple[int, int]:
        """Nodes and links in scope."""
        ...

    def list_nodes(self, scope: Scope, offset: int, limit: int) -> list[Node]:
        """Nodes: those that a client created first, in that order, then the others.

        In scope is what a client created, and what a memory or a relation in scope speaks of (C-148).  Names that are
        not resolved are no nodes.
        """
        ...

    def list_links(self, scope: Scope, offset: int, limit: int) -> list[Link]:
        """Live links in scope, each once, oldest first."""
        ...

    def open_nodes(self, names: Sequence[str], scope: Scope) -> Subgraph:
        """The nodes of these names, in that order, and the live links with at least one end among them."""
        ...

    def search_nodes(self, terms: Sequence[str], scope: Scope, limit: int) -> Subgraph:
        """Nodes whose names, type or observations hold any of these analysed terms, best first, and their links.

        Best is the sum of the terms' rarity; a term in a name counts double.
        """
        ...

    def unresolved(self, limit: int) -> list[str]:
        """Names that links point to and no entity has (C-048)."""
        ...
