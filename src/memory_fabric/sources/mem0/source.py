"""mem0 as a source of a search (F-SRC-2, F-SRC-7): its cloud or its library, scoped by user ids, never required."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Self

from memory_fabric.clock import Deadline
from memory_fabric.model.memory import Memory, MemoryId, ProjectId
from memory_fabric.model.query import Query, Scope
from memory_fabric.model.result import Found, Hit
from memory_fabric.ports import Embedder
from memory_fabric.ports.searching import Probe
from memory_fabric.sources.configured import Mem0Cloud, Mem0Library
from memory_fabric.sources.foreign import Redact
from memory_fabric.sources.mem0.backend import Backend, Who
from memory_fabric.sources.mem0.cloud import CloudMem0
from memory_fabric.sources.mem0.http import Access, Transport
from memory_fabric.sources.mem0.keys import Keys
from memory_fabric.sources.mem0.library import FOLDER, LibraryMem0
from memory_fabric.sources.mem0.memory import Mem0Memory
from memory_fabric.sources.mem0.related import Mem0Links
from memory_fabric.sources.mem0.shape import MOST_HITS, ScoreScale, Users, as_graph, memory_of, touches, visible

Projects = Callable[[], Sequence[tuple[ProjectId, str]]]
"""The projects that are known, with their names."""


@dataclass(frozen=True, slots=True)
class Seams:
    """What mem0 needs of the rest; given by the composition root."""

    redact: Redact
    names: Callable[[str], Sequence[str]]
    """Known entities of a text, each once (the lexicon)."""
    projects: Projects


class Mem0Source:
    """See ``ports.OutsideSource``.  Raw scores are mem0's own, in [0, 1] (F-NORM-4)."""

    required = False

    def __init__(
        self, name: str, backend: Backend, seams: Seams, *, deadline: float = 3.0, graph: bool = False
    ) -> None:
        self.name = name
        self.deadline = deadline
        self.backend = backend
        self.users = Users()
        self.agents: tuple[str, ...] = ()
        self.apps: tuple[str, ...] = ()
        self._seams = seams
        self.graph = graph
        self._scale = ScoreScale()

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        """See ``ports.Source``; nothing is asked where the question is empty or sees no project."""
        started = monotonic()
        who = self.who(query.scope)
        if not query.text.strip() or who.nobody or limit < 1 or query.scope.projects == ():
            return Found(self.name, (), seconds=monotonic() - started)
        text = str(self._seams.redact(query.text))
        # Time and marks of projects are looked at here, so more than the limit is asked for.
        most = MOST_HITS if _narrows(query.scope) else min(MOST_HITS, 2 * limit)
        graph = self.graph and self.backend.has_graph
        found = self.backend.search(text, who, most, deadline, graph=graph)
        hits: dict[MemoryId, Hit] = {}
        for item, score in zip(found.items, self._scale.scaled(found.items), strict=True):
            memory = memory_of(self.name, item, self._seams.redact, self._seams.names)
            if memory is None or memory.id in hits or not visible(memory, query.scope):
                continue
            near = [each for each in found.relations or () if touches(memory, each.source_id)]
            hits[memory.id] = Hit(memory, score, tuple(as_graph(each, memory) for each in near))
        best = sorted(hits.values(), key=lambda hit: (-hit.raw, hit.memory.id))[:limit]
        return Found(self.name, tuple(best), seconds=monotonic() - started)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:  # noqa: ARG002
        """See ``ports.Source``: it scores only what it finds itself."""
        return {}

    def probe(self, deadline: Deadline) -> Probe:
        """See ``ports.OutsideSource``."""
        return Probe(self.backend.product(deadline))

    def close(self) -> None:
        """See ``ports.OutsideSource``."""
        self.backend.close()

    def who(self, scope: Scope) -> Who:
        """Whose memories a question of this scope may see (F-SRC-7, F-SRC-8)."""
        known = self._seams.projects()
        seen = [each for each in known if scope.projects is None or each[0] in scope.projects]
        return Who(tuple(self.users.of(seen)), self.agents, self.apps)

    def with_graph(self) -> Self:
        """The same mem0 over the same connection, asked for relations as well."""
        other = copy(self)
        other.graph = True
        return other

    def links(self, deadline: Deadline) -> Mem0Links:
        """What relates its memories, of everybody known."""
        return Mem0Links(self.name, self.backend, self.who(Scope()), self._seams.redact, self._seams.names, deadline)

    def memory(self) -> Mem0Memory:
        """The same mem0, to read and write; where nobody is named, everybody known is asked for."""
        return Mem0Memory(self.name, self.backend, self._seams.redact, self.who(Scope()))


def open_cloud(entry: Mem0Cloud, keys: Keys, seams: Seams) -> Mem0Source:
    """The source of an entry; no socket is opened before it is asked.

    Raises:
        SourceUnavailable: there is no key.
        ConfigError: the address would get the key unencrypted.
    """
    access = Access(keys.needed(entry.name), entry.host, entry.org or keys.org, entry.project or keys.project)
    backend = CloudMem0(Transport(entry.name, access))
    source = Mem0Source(entry.name, backend, seams, deadline=entry.deadline, graph=entry.graph)
    source.users = Users.configured(entry.user_id)
    source.agents = (entry.agent_id,) if entry.agent_id else ()
    source.apps = (entry.app_id,) if entry.app_id else ()
    return source


def open_library(entry: Mem0Library, home: Path, embedder: Embedder | None, seams: Seams) -> Mem0Source:
    """The source of an entry; the library is imported when it is first asked."""
    config = Path(entry.config) if entry.config else None
    backend = LibraryMem0(entry.name, home / FOLDER, embedder, config)
    source = Mem0Source(entry.name, backend, seams, deadline=entry.deadline, graph=entry.graph)
    source.users = Users.configured(entry.user_id)
    return source


def _narrows(scope: Scope) -> bool:
    return bool(scope.window.since or scope.window.before)
