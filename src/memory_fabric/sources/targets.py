"""Opens the configured outside memories for writing: only those whose entry says ``push``, or that somebody names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memory_fabric.errors import SourceUnavailable, UsageError
from memory_fabric.ports import Claimed
from memory_fabric.ports.outbox import Target
from memory_fabric.sources.configured import Configured, McpServer, named
from memory_fabric.sources.outside import Surroundings, open_one

PATIENCE = 30.0
"""Seconds for one parcel, where the entry's own deadline is not longer: nobody waits for an answer meanwhile."""


def chosen(entries: Sequence[Configured], names: Sequence[str] | None = None) -> list[Configured]:
    """The entries that are pushed to; ``names``: these, whatever their entry says, since somebody asked for it.

    Raises:
        UsageError: a name is not known; no entry is to be pushed to (F-MEM0-4: nothing leaves without opting in).
    """
    found = [entry for entry in entries if entry.enabled and entry.push]
    if names is not None:
        found = [named(entries, name) for name in names]
    if not found:
        raise UsageError(
            "no other memory is set to be pushed to",
            "add one with `memory-fabric sources add … --push`, or set `push` in sources.json",
        )
    return found


def keeps_graph(entry: Configured) -> bool:
    """Whether it keeps entities and relations, and not texts alone."""
    return isinstance(entry, McpServer)


def open_target(entry: Configured, around: Surroundings) -> Target:
    """The target of one entry; nothing is connected before the first parcel, and what fails by then is an outage."""
    from memory_fabric.sources.mcp.memory import McpMemory
    from memory_fabric.sources.mcp.target import McpTarget
    from memory_fabric.sources.mem0.source import Mem0Source
    from memory_fabric.sources.mem0.target import Mem0Target

    patience = max(PATIENCE, entry.deadline)
    try:
        source = open_one(entry, around)
    except SourceUnavailable as error:
        return _Absent(entry.name, keeps_graph(entry), error)
    if isinstance(source, McpMemory):
        return McpTarget(entry.name, source.connection, patience)
    if isinstance(source, Mem0Source):
        return Mem0Target(entry.name, source.backend, source.users, patience)
    raise TypeError(f"{type(source).__name__} cannot be written")


@dataclass(frozen=True, slots=True)
class _Absent:
    """A target that cannot be opened: its parcels stay in the queue."""

    name: str
    graph: bool
    error: SourceUnavailable

    def push(self, claimed: Claimed) -> str | None:  # noqa: ARG002
        """See ``Target``."""
        raise self.error

    def close(self) -> None:
        """See ``Target``."""
