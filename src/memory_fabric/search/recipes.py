"""Which sources a mode asks (F-ROUTE-1)."""

from __future__ import annotations

from collections.abc import Sequence

from memory_fabric.model.query import Mode, Query
from memory_fabric.ports import Source

RECIPES: dict[Mode, frozenset[str]] = {
    Mode.AUTO: frozenset({"text", "vector", "graph"}),
    Mode.HYBRID: frozenset({"text", "vector", "graph"}),
    Mode.VECTOR: frozenset({"vector"}),
    Mode.GRAPH: frozenset({"graph"}),
    Mode.TEXT: frozenset({"text"}),
}
"""``auto`` lets vector confidence decide the graph's weight, ``hybrid`` keeps it fixed."""


def sources_of(mode: Mode, query: Query, sources: Sequence[Source]) -> list[Source]:
    """The sources to ask; an empty question asks for recent memories in every mode (F-PARSE-7)."""
    wanted = RECIPES[mode] if query.text.strip() else frozenset({"recent"})
    return [source for source in sources if source.name in wanted]
