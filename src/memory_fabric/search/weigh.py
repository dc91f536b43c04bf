"""Let every source score what only others found, so that scores can be added (retrieval.md §2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from memory_fabric.errors import SourceError
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Outage

if TYPE_CHECKING:
    from memory_fabric.ports import Source


def weigh(
    query: Query, sources: Iterable[Source], found: Sequence[Found]
) -> tuple[dict[str, dict[MemoryId, float]], list[Outage]]:
    """Source → raw scores of the others' memories, and the sources that failed meanwhile.

    Raises:
        SourceError: a required source failed.
    """
    own = {each.source: {hit.memory.id for hit in each.hits} for each in found}
    memories = {hit.memory.id: hit.memory for each in found for hit in each.hits}
    weighed: dict[str, dict[MemoryId, float]] = {}
    outages: list[Outage] = []
    for source in sources:
        others = [memory for id_, memory in memories.items() if source.name in own and id_ not in own[source.name]]
        if not others:
            continue
        try:
            weighed[source.name] = source.weigh(query, others)
        except SourceError as error:
            if source.required:
                raise
            outages.append(Outage(source.name, error.message, error.hint))
    return weighed, outages
