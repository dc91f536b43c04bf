"""One outside memory, asked by itself: what ``sources test`` shows."""

from __future__ import annotations

from dataclasses import dataclass
from time import monotonic

from memory_fabric.clock import Deadline
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found
from memory_fabric.ports import Probe
from memory_fabric.sources.configured import Configured
from memory_fabric.sources.outside import Surroundings, open_one

PATIENCE = 60.0
"""Seconds for the first connection: a package may have to be fetched first."""

LIMIT = 20
"""Hits asked for, as in a search (F-SRC-6)."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came of it."""

    probe: Probe
    found: Found
    connecting: float
    """Seconds until it had said what it is."""
    asking: float
    """Seconds until it had answered."""


def trial(entry: Configured, query: Query, around: Surroundings) -> Trial:
    """Connect, ask, and disconnect.

    Raises:
        SourceUnavailable: it cannot be asked, or does not answer in time.
        DeadlinePassed: likewise.
    """
    source = open_one(entry, around)
    try:
        began = monotonic()
        probe = source.probe(Deadline.after(max(PATIENCE, entry.deadline)))
        connected = monotonic()
        found = source.find(query, LIMIT, Deadline.after(entry.deadline))
        return Trial(probe, found, connected - began, monotonic() - connected)
    finally:
        source.close()
