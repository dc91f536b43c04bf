"""Opens the configured outside memories: one line a type.  Nothing is connected before the first question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.clock import Deadline
from memory_fabric.errors import MemoryFabricError, SourceUnavailable
from memory_fabric.model.memory import Memory, MemoryId, Project
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found
from memory_fabric.ports import Embedder, OutsideSource, Probe
from memory_fabric.sources.configured import Configured, McpServer, Mem0Cloud
from memory_fabric.sources.foreign import Redact
from memory_fabric.sources.mem0 import keys as mem0_keys
from memory_fabric.sources.secret import secret_of


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a source may use of ours; what costs something is a call."""

    home: Path
    """The data folder."""
    environment: Mapping[str, str]
    folders: Sequence[Path]
    """Where a ``.env`` of the user's may be."""
    user: Path
    """The user's home folder."""
    redact: Redact
    names: Callable[[str], Sequence[str]]
    """Known names in a text, for memories that come without entities (F-NORM-4)."""
    projects: Callable[[], Sequence[Project]]
    embedder: Callable[[], Embedder | None]


@dataclass(frozen=True, slots=True)
class Unopened:
    """A source that cannot be asked as it is configured: an outage with the reason, not the end of a search."""

    name: str
    deadline: float
    error: MemoryFabricError
    required: bool = False

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:  # noqa: ARG002
        """See ``ports.Source``: says why not."""
        raise SourceUnavailable(self.error.message, self.error.hint)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:  # noqa: ARG002
        """See ``ports.Source``."""
        return {}

    def probe(self, deadline: Deadline) -> Probe:  # noqa: ARG002
        """See ``ports.OutsideSource``: says why not."""
        raise SourceUnavailable(self.error.message, self.error.hint)

    def close(self) -> None:
        """Nothing was opened."""


def open_outside(entries: Sequence[Configured], around: Surroundings) -> tuple[OutsideSource, ...]:
    """The enabled ones, in the order of the file; one that cannot be opened says so when it is asked."""
    return tuple(_opened(entry, around) for entry in entries if entry.enabled)


def open_one(entry: Configured, around: Surroundings) -> OutsideSource:
    """The source of one entry, enabled or not.

    Raises:
        SourceUnavailable: what it needs is not there: a key.
        ConfigError: it cannot be asked as it is configured.
    """
    if isinstance(entry, McpServer):
        from memory_fabric.sources.mcp.memory import McpMemory

        return McpMemory(entry, around.environment, around.redact)
    from memory_fabric.sources.mem0 import source as mem0

    known = mem0.Seams(
        around.redact, around.names, lambda: [(project.id, project.name) for project in around.projects()]
    )
    if isinstance(entry, Mem0Cloud):
        return mem0.open_cloud(entry, _keys(entry, around), known)
    return mem0.open_library(entry, around.home, around.embedder(), known)


def _opened(entry: Configured, around: Surroundings) -> OutsideSource:
    try:
        return open_one(entry, around)
    except MemoryFabricError as error:
        return Unopened(entry.name, entry.deadline, error)


def _keys(entry: Mem0Cloud, around: Surroundings) -> mem0_keys.Keys:
    """The key that the entry names, else what mem0's own variables and files say (F-MEM0-6)."""
    secret = None
    if entry.token_env is not None or entry.keyring is not None:
        secret = secret_of(entry.name, entry.token_env, entry.keyring, around.environment)
    given = mem0_keys.Keys(secret, entry.org, entry.project, origin="the entry's own place")
    return mem0_keys.find_keys(given, around.environment, around.folders, around.user)
