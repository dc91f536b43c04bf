"""Memories that are kept elsewhere: asked along, walked through, pushed to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric import clock
from memory_fabric.app.wiring import Wiring
from memory_fabric.errors import UsageError
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Scope
from memory_fabric.settings import Settings, environment
from memory_fabric.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from memory_fabric.curate.sync import Synced
    from memory_fabric.model.memory_graph import MemoryPath, RelatedMemory
    from memory_fabric.ports import OutsideSource
    from memory_fabric.search.memory_walk import Neighbours
    from memory_fabric.sources.mem0.keys import Keys
    from memory_fabric.sources.mem0.source import Mem0Source
    from memory_fabric.sources.outside import Surroundings

PATIENCE = 30.0
"""Seconds for a walk among memories that mem0 keeps, which asks several times."""


class Elsewhere(Wiring):
    """What a fabric does with memories that are kept elsewhere."""

    def __init__(self, settings: Settings, store: SqliteStore) -> None:
        super().__init__(settings, store)
        self._asked: list[OutsideSource] = []

    @cached_property
    def outside(self) -> tuple[OutsideSource, ...]:
        """The configured memories that are kept elsewhere; none is connected before it is asked.

        Raises:
            ConfigError: their file cannot be read.
        """
        if not self.settings.sources.exists():
            return ()
        from memory_fabric.sources.configured import read
        from memory_fabric.sources.outside import open_outside

        return open_outside(read(self.settings.home), self.surroundings)

    def with_mem0(self, *, graph: bool = False) -> tuple[OutsideSource, ...]:
        """The outside memories, and mem0 also where it is not configured (F-ERR-3)."""
        from memory_fabric.sources.configured import read
        from memory_fabric.sources.mem0.asked import with_mem0

        found = with_mem0(self.outside, read(self.settings.home), self.surroundings, graph=graph)
        self._asked.extend(found)
        return found

    def mem0(self, name: str | None = None, keys: Keys | None = None) -> Mem0Source:
        """mem0: that of this name, else the first configured one, else its platform with the key that is found.

        Raises:
            UsageError: that name is none of a mem0.
            SourceUnavailable: there is no key.
        """
        from memory_fabric.sources.configured import read
        from memory_fabric.sources.mem0.asked import open_mem0
        from memory_fabric.sources.mem0.keys import Keys

        opened = open_mem0(read(self.settings.home), self.surroundings, name, keys or Keys())
        self._asked.append(opened)
        return opened

    @property
    def surroundings(self) -> Surroundings:
        """What an outside memory may use of ours."""
        from memory_fabric.ingest.redact import redact_value
        from memory_fabric.sources.outside import Surroundings

        here = Path.cwd()
        roots = [folder for folder in (here, *here.parents) if (folder / ".git").exists()]
        return Surroundings(
            home=self.settings.home,
            environment=environment(),
            folders=(here, *roots[:1]),
            user=Path.home(),
            redact=redact_value,
            names=lambda text: [spotted.canonical for spotted in self.lexicon.spot(text)],
            projects=self.store.projects,
            embedder=lambda: self.embedder,
        )

    def related_memories(
        self, name: str, scope: Scope = Scope(), *, depth: int = 1, label: str | None = None
    ) -> list[RelatedMemory]:
        """The memories around one of ours or one that mem0 keeps.  See ``search.memory_walk.related_memories``.

        Raises:
            UsageError: no memory has that id.
            SourceError: mem0 keeps it and cannot be asked.
        """
        from memory_fabric.outgoing import clean_memory
        from memory_fabric.search.memory_walk import related_memories

        start, links = self._memory_and_links(name, scope)
        found = related_memories(start, links, depth, label)
        return [replace(each, memory=clean_memory(each.memory)) for each in found]

    def memory_paths(
        self, name: str, goal: str | None = None, scope: Scope = Scope(), *, depth: int = 2, label: str | None = None
    ) -> list[MemoryPath]:
        """The ways from one memory to another, or to whatever is near.  See ``search.memory_walk.memory_paths``.

        Raises:
            UsageError: no memory has that id.
            SourceError: mem0 keeps it and cannot be asked.
        """
        from memory_fabric.outgoing import clean_memory
        from memory_fabric.search.memory_walk import memory_paths

        start, links = self._memory_and_links(name, scope)
        end = self._memory_and_links(goal, scope)[0].id if goal is not None else None
        return [
            replace(path, steps=tuple(replace(step, memory=clean_memory(step.memory)) for step in path.steps))
            for path in memory_paths(start, links, depth, label, end)
        ]

    def _memory_and_links(self, name: str, scope: Scope) -> tuple[Memory, Neighbours]:
        from memory_fabric.search.memory_links import links_in
        from memory_fabric.sources.configured import read
        from memory_fabric.sources.mem0.asked import open_keeper
        from memory_fabric.sources.mem0.shape import is_mem0_id

        if not is_mem0_id(name):
            found = self.store.get([MemoryId(name.rpartition(":")[2])])
            if not found:
                raise UsageError(f"no memory has the id {name!r}", "`memory-fabric search` shows ids with --json")
            return found[0], links_in(self.store, scope)
        keeper = open_keeper(read(self.settings.home), self.surroundings, name)
        self._asked.append(keeper)
        links = keeper.links(clock.Deadline.after(max(PATIENCE, keeper.deadline)))
        return links.memory(name), links

    def sync(
        self,
        *,
        only: Sequence[MemoryId] | None = None,
        targets: Sequence[str] | None = None,
        force: bool = False,
        dry_run: bool = False,
    ) -> Synced:
        """Push what is new to the memories elsewhere that are set to take it.  See ``curate.sync.sync``.

        ``targets`` names them, whatever their entries say; ``only`` pushes what these memories say; ``force`` sends
        again what was sent; ``dry_run`` counts what would go, writes nothing and asks nobody.

        Raises:
            UsageError: there is no such target, or none that is to be pushed to.
            ConfigError: their configuration is not usable.
            StoreError: our own store failed.  A target that fails is an outage in what is returned.
        """
        from memory_fabric.curate.sync import preview, sync
        from memory_fabric.ingest.redact import redact_value
        from memory_fabric.sources import configured
        from memory_fabric.sources.targets import chosen, keeps_graph, open_target

        entries = chosen(configured.read(self.settings.home), targets)
        if dry_run:
            plan = {entry.name: keeps_graph(entry) for entry in entries}
            return preview(self.store, plan, redact_value, only=only, force=force)
        opened = [open_target(entry, self.surroundings) for entry in entries]
        try:
            return sync(self.store, opened, redact_value, clock.utcnow, only=only, force=force)
        finally:
            for target in opened:
                target.close()

    def _leave(self) -> None:
        """End the connections to those that were asked."""
        for source in (*self.__dict__.get("outside", ()), *self._asked):
            source.close()
