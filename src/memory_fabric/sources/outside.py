"""Opens the configured outside memories: one line a type.  Nothing is connected before the first question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.model.memory import Project
from memory_fabric.ports import Embedder, OutsideSource
from memory_fabric.sources.configured import Configured, McpServer, Mem0Cloud
from memory_fabric.sources.foreign import Redact


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a source may use of ours; what costs something is a call."""

    home: Path
    """The data folder."""
    environment: Mapping[str, str]
    redact: Redact
    names: Callable[[str], Sequence[str]]
    """Known names in a text, for memories that come without entities (F-NORM-4)."""
    projects: Callable[[], Sequence[Project]]
    embedder: Callable[[], Embedder | None]


def open_outside(entries: Sequence[Configured], around: Surroundings) -> tuple[OutsideSource, ...]:
    """The enabled ones, in the order of the file."""
    return tuple(open_one(entry, around) for entry in entries if entry.enabled)


def open_one(entry: Configured, around: Surroundings) -> OutsideSource:
    """The source of one entry, enabled or not."""
    if isinstance(entry, McpServer):
        from memory_fabric.sources.mcp_memory import McpMemory

        return McpMemory(entry, around.environment, around.redact)
    if isinstance(entry, Mem0Cloud):
        from memory_fabric.sources.mem0_memory import open_cloud

        return open_cloud(entry, around)
    from memory_fabric.sources.mem0_memory import open_library

    return open_library(entry, around)
