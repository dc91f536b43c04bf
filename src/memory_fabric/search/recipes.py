"""Which sources a mode asks (F-ROUTE-1)."""

from __future__ import annotations

from collections.abc import Sequence

from memory_fabric.model.query import Intent, Mode, Query
from memory_fabric.ports import Source

RECIPES: dict[Mode, frozenset[str]] = {
    Mode.AUTO: frozenset({"text", "vector", "graph"}),
    Mode.HYBRID: frozenset({"text", "vector", "graph"}),
    Mode.VECTOR: frozenset({"vector"}),
    Mode.GRAPH: frozenset({"graph"}),
    Mode.TEXT: frozenset({"text"}),
}
"""``auto`` lets vector confidence decide the graph's weight, ``hybrid`` keeps it fixed."""


def uses_graph(mode: Mode) -> bool:
    """Whether relations may bring in what no source found by itself."""
    return "graph" in RECIPES[mode]


def sources_of(mode: Mode, query: Query, sources: Sequence[Source]) -> list[Source]:
    """The sources to ask; a question without a topic asks for recent memories in every mode (F-PARSE-7)."""
    wanted = frozenset({"recent"}) if asks_for_recent(query) else RECIPES[mode]
    return [source for source in sources if source.name in wanted]


def asks_for_recent(query: Query) -> bool:
    """Whether nothing is asked about but the time: an empty question, "what did we do last week?"."""
    if query.terms or query.entity_hints:
        return False
    return not query.text or query.intent is Intent.RECENT
