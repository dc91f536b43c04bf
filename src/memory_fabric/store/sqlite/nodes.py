"""The graph as clients of the official memory server write and read it: one transaction a call."""

from __future__ import annotations

import math
import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from memory_fabric.model.memory import MemoryId
from memory_fabric.model.query import Scope
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import Row, all_rows, bounded
from memory_fabric.store.sqlite.scope import Condition, as_list, memories_in, relations_in
from memory_fabric.store.sqlite.textindex import match_expression
from memory_fabric.text import entity_key

if TYPE_CHECKING:
    from memory_fabric.model.nodes import CreatedLinks, CreatedNodes, Link, Node, Observations, Subgraph

MATCHED = 400
"""Entities of each kind of match that are weighed."""

IN_NAME = 2.0
"""How much more a term says that stands in a name than one in the type or an observation."""


class NodeTable:
    """The nodes, links and observations of one file (``ports.NodeStore``)."""

    def __init__(self, connections: Connections, now: Callable[[], datetime]) -> None:
        self._connections = connections
        self._now = now

    # ── writing: a transaction a call ────────────────────────────────────────────────────────────────────────────

    def create_nodes(self, nodes: Sequence[Node], at: datetime) -> CreatedNodes:
        """Add the entities that are new, with their observations."""
        from memory_fabric.store.sqlite import node_writes

        with self._connections.atomic() as connection:
            return node_writes.create_nodes(connection, nodes, at)

    def create_links(self, links: Sequence[Link], at: datetime) -> CreatedLinks:
        """Add the links that are new."""
        from memory_fabric.store.sqlite import node_writes

        with self._connections.atomic() as connection:
            return node_writes.create_links(connection, links, at)

    def add_observations(self, additions: Sequence[Observations], at: datetime) -> list[Observations]:
        """Add what is new of each entity, and return that."""
        from memory_fabric.store.sqlite import node_writes

        with self._connections.atomic() as connection:
            return node_writes.add_observations(connection, additions, at)

    def observe(self, memory: MemoryId, entities: Sequence[str], text: str, at: datetime) -> None:
        """Make a stored memory an observation of these entities."""
        from memory_fabric.store.sqlite import node_writes

        with self._connections.atomic() as connection:
            node_writes.observe(connection, memory, entities, text, at)

    def delete_nodes(self, names: Sequence[str], at: datetime) -> int:
        """Remove entities with their observations and links."""
        from memory_fabric.store.sqlite import node_writes

        with self._connections.atomic() as connection:
            return node_writes.delete_nodes(connection, names, at)

    def delete_observations(self, deletions: Sequence[Observations], at: datetime) -> int:
        """Remove observations."""
        from memory_fabric.store.sqlite import node_writes

        with self._connections.atomic() as connection:
            return node_writes.delete_observations(connection, deletions, at)

    def delete_links(self, links: Sequence[Link], at: datetime) -> int:
        """Remove links."""
        from memory_fabric.store.sqlite import node_writes

        with self._connections.atomic() as connection:
            return node_writes.delete_links(connection, links, at)

    def strike(self, texts: Sequence[str]) -> int:
        """Remove what the journal keeps of things that hold one of these texts."""
        from memory_fabric.store.sqlite.journal import strike

        with self._connections.atomic() as connection:
            return strike(connection, texts)

    # ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────

    def graph_size(self, scope: Scope) -> tuple[int, int]:
        """Nodes and links in scope."""
        nodes, links = self._nodes_in(scope), self._links_in(scope)
        with self._connections.reading() as connection:
            counts = [
                connection.execute(query(name, part.sql), part.values).fetchone()[0]
                for name, part in (("count_nodes", nodes), ("count_links", links))
            ]
        return int(counts[0]), int(counts[1])

    def list_nodes(self, scope: Scope, offset: int, limit: int) -> list[Node]:
        """Nodes in scope: those that a client created first."""
        from memory_fabric.store.sqlite.node_rows import node_of

        condition = self._nodes_in(scope)
        values = condition.values | {"offset": max(offset, 0), "limit": max(limit, 0)}
        with self._connections.reading() as connection:
            return [node_of(row) for row in all_rows(connection, query("list_nodes", condition.sql), values)]

    def list_links(self, scope: Scope, offset: int, limit: int) -> list[Link]:
        """Live links in scope, each once, oldest first."""
        from memory_fabric.store.sqlite.node_rows import link_of

        condition = self._links_in(scope)
        values = condition.values | {"offset": max(offset, 0), "limit": max(limit, 0)}
        with self._connections.reading() as connection:
            return [link_of(row) for row in all_rows(connection, query("list_links", condition.sql), values)]

    def open_nodes(self, names: Sequence[str], scope: Scope) -> Subgraph:
        """The nodes of these names, in that order, and the live links with at least one end among them."""
        condition = self._nodes_in(scope)
        keys = as_list(dict.fromkeys(entity_key(bounded(name.strip())) for name in names))
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("nodes_by_key", condition.sql), condition.values | {"keys": keys})
            return self._with_links(connection, rows, scope)

    def search_nodes(self, terms: Sequence[str], scope: Scope, limit: int) -> Subgraph:
        """Nodes that hold any of the terms, best first, and their links."""
        from memory_fabric.model.nodes import Subgraph

        if not terms or limit <= 0:
            return Subgraph()
        condition = self._nodes_in(scope)
        values = condition.values | {"match": match_expression(terms), "limit": MATCHED}
        with self._connections.reading() as connection:
            named = all_rows(connection, query("match_nodes", condition.sql), values)
            observed = all_rows(connection, query("match_observations", condition.sql), values)
            best = _ranked(terms, named, observed, _rarity(connection, terms))[:limit]
            rows = all_rows(connection, query("nodes_by_row"), {"rows": as_list(best)})
            return self._with_links(connection, rows, scope)

    def unresolved(self, limit: int) -> list[str]:
        """Names that links point to and no entity has."""
        with self._connections.reading() as connection:
            return [str(row[0]) for row in all_rows(connection, query("unresolved"), {"limit": max(limit, 0)})]

    def _with_links(self, connection: sqlite3.Connection, rows: Sequence[Row], scope: Scope) -> Subgraph:
        from memory_fabric.model.nodes import Subgraph
        from memory_fabric.store.sqlite.node_rows import link_of, node_of

        condition = self._links_in(scope)
        values = condition.values | {"rows": as_list(row[0] for row in rows)}
        links = all_rows(connection, query("links_at", condition.sql), values)
        return Subgraph(tuple(node_of(row) for row in rows), tuple(link_of(row) for row in links))

    def _links_in(self, scope: Scope) -> Condition:
        """What holds and is in scope; what a client wrote stands until it is deleted, whatever was said later."""
        condition = relations_in(scope, self._now())
        return Condition(f"({condition.sql} OR r.evidence IS NULL)", condition.values)

    def _nodes_in(self, scope: Scope) -> Condition:
        """What a client created, and what a memory or a relation in scope speaks of (C-148)."""
        if scope.projects is None:
            return Condition()
        memories, relations = memories_in(scope), relations_in(scope, self._now())
        spoken_of = (
            "EXISTS (SELECT 1 FROM mentions x JOIN memories m ON m.row = x.memory"
            f" WHERE x.entity = e.row AND {memories.sql})"
        )
        ends = " OR ".join(
            f"EXISTS (SELECT 1 FROM relations r WHERE r.{end} = e.row AND {relations.sql})"
            for end in ("subject", "object")
        )
        return Condition(f"(e.declared IS NOT NULL OR {spoken_of} OR {ends})", memories.values | relations.values)


def _ranked(terms: Sequence[str], named: Iterable[Row], observed: Iterable[Row], rarity: dict[str, float]) -> list[int]:
    """Rows of entities by the sum of their terms' rarity, a term in a name counted double; ties by row."""
    weights: dict[int, dict[str, float]] = defaultdict(dict)
    for row, names, type_ in named:
        for term in terms:
            if f" {term} " in str(names):
                weights[int(str(row))][term] = IN_NAME
            elif f" {term} " in str(type_):
                weights[int(str(row))].setdefault(term, 1.0)
    for row, text in observed:
        for term in terms:
            if f" {term} " in str(text):
                weights[int(str(row))].setdefault(term, 1.0)
    scores = {row: sum(rarity[term] * weight for term, weight in held.items()) for row, held in weights.items()}
    return sorted(scores, key=lambda row: (-scores[row], row))


def _rarity(connection: sqlite3.Connection, terms: Sequence[str]) -> dict[str, float]:
    """ln(1 + N/(1 + n)) over the names and types of all entities."""
    total = int(connection.execute("SELECT count(*) FROM entities").fetchone()[0])
    counted = "SELECT count(*) FROM nodes_fts WHERE nodes_fts MATCH ?"
    return {
        term: math.log(
            1.0 + total / (1.0 + int(connection.execute(counted, (match_expression([term]),)).fetchone()[0]))
        )
        for term in terms
    }
