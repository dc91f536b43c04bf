"""Nearness in time: what was said around the instant that a question is about.

Only for questions that carry one (``Query.around``): a commit's date, a ticket's, "around 3 March 14:00".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from time import monotonic
from typing import TYPE_CHECKING

from memory_fabric.clock import Deadline
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Hit

if TYPE_CHECKING:
    from memory_fabric.ports import MemoryStore

WEIGHT = 24.0
"""Raw score of a memory at the very instant, in idf units: what a few rare words are worth, so words still decide
between days.  Set, like the numbers below, on half of the questions of the suite ``commits-dated``."""

HOURS, DAYS = 3 * 3600.0, 48 * 3600.0
"""Seconds after which either half of the nearness has fallen to 1/e: one tells sittings apart, one days.

One scale alone ranks as well by a right date, but a date that is wrong by days then costs three times as much.
"""

LATER = 8.0
"""How much farther away the time after the instant is than the time before it: what a date is about led up to it."""


class TimeSource:
    """Memories near an instant; each matches by how near it is."""

    name = "time"
    required = True

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:  # noqa: ARG002
        """See ``ports.Source``."""
        started = monotonic()
        if query.around is None:
            return Found(self.name, ())
        near = self._store.near_in_time(query.around, query.scope, limit)
        raw = self.weigh(query, near)
        best = sorted(near, key=lambda memory: (-raw[memory.id], memory.id))[:limit]
        hits = tuple(Hit(memory, raw[memory.id]) for memory in best)
        return Found(self.name, hits, ceiling=WEIGHT, seconds=monotonic() - started)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """See ``ports.Source``; undated memories are left out."""
        if query.around is None:
            return {}
        dated = {memory.id: memory.at for memory in memories if memory.at is not None}
        return {id_: WEIGHT * nearness(at, query.around) for id_, at in dated.items()}


def nearness(at: datetime, instant: datetime) -> float:
    """1 at the instant, falling off exponentially with the distance, after it faster than before it; in [0, 1]."""
    gap = (instant - at).total_seconds()
    seconds = gap if gap >= 0.0 else -gap * LATER
    return (math.exp(-seconds / HOURS) + math.exp(-seconds / DAYS)) / 2.0
