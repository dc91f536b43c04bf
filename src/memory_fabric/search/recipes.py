"""Which sources a mode asks (F-ROUTE-1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_fabric.model.query import Intent, Mode, Query

if TYPE_CHECKING:
    from memory_fabric.ports import OutsideSource, Source

RECIPES: dict[Mode, frozenset[str]] = {
    Mode.AUTO: frozenset({"text", "vector", "graph"}),
    Mode.HYBRID: frozenset({"text", "vector", "graph"}),
    Mode.VECTOR: frozenset({"vector"}),
    Mode.GRAPH: frozenset({"graph"}),
    Mode.TEXT: frozenset({"text"}),
}
"""``auto`` lets vector confidence decide the graph's weight, ``hybrid`` keeps it fixed."""


OUTSIDE = frozenset({Mode.AUTO, Mode.HYBRID, Mode.GRAPH})
"""Modes that ask the configured outside memories too: those that mix, and ``graph``, since what MCP memory servers keep
are graphs.  ``text`` and ``vector`` show what one of our own retrievers does alone; a question without a topic has no
word that another memory could be asked for (F-ERR-4)."""


def uses_graph(mode: Mode) -> bool:
    """Whether relations may bring in what no source found by itself."""
    return "graph" in RECIPES[mode]


def sources_of(
    mode: Mode, query: Query, sources: Sequence[Source], outside: Sequence[OutsideSource] = ()
) -> list[Source]:
    """The sources to ask, ours first; a question without a topic asks for recent memories in every mode (F-PARSE-7).

    What lies near the instant that a question is about, if it is about one, counts in every mode.
    """
    if asks_for_recent(query):
        only = "recent" if query.around is None else "time"
        return [source for source in sources if source.name == only]
    names = RECIPES[mode] if query.around is None else RECIPES[mode] | {"time"}
    own = [source for source in sources if source.name in names]
    return [*own, *outside] if mode in OUTSIDE else own


def asks_for_recent(query: Query) -> bool:
    """Whether nothing is asked about but the time: an empty question, "what did we do last week?"."""
    if query.terms or query.entity_hints:
        return False
    return not query.text or query.intent is Intent.RECENT
