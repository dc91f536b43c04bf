"""The memory as hooks see it: opened for reading, of one project, without vectors (decisions 10 and 14)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric.model.memory import Memory, ProjectId
from memory_fabric.model.query import Scope

if TYPE_CHECKING:
    from memory_fabric.app import Fabric

BUSY = 0.3
"""Seconds to wait for a locked store: well within the deadline of every hook (C-095)."""

NO_PROJECT = ProjectId("")
"""Stands for a directory outside every project: only what was remembered for all projects is found there."""


@dataclass(frozen=True, slots=True)
class Recalled:
    """An opened memory and what of it a session may see."""

    fabric: Fabric
    scope: Scope
    names: dict[ProjectId, str]

    def may_show(self, memory: Memory) -> bool:
        """Whether a memory belongs to the session's own project or to all; whatever the prompt says (C-148)."""
        return memory.project is None or memory.project in (self.scope.projects or ())

    def label(self, memory: Memory) -> str:
        """Date, project and source of a memory (F-HOOK-4)."""
        day = f"{memory.at:%Y-%m-%d}" if memory.at else "undated"
        project = self.names.get(memory.project, "") if memory.project else "all projects"
        return " · ".join(filter(None, (day, project, memory.origin.source, memory.id)))


@contextmanager
def recalled(home: Path, cwd: str) -> Iterator[Recalled]:
    """The memory in this folder, in the scope of the project of this directory.

    Raises:
        MemoryFabricError: settings or store are not usable.
    """
    from memory_fabric.app import Fabric
    from memory_fabric.ingest.project import Projects
    from memory_fabric.settings import Settings

    settings = replace(Settings.load(home=home), embedder="none")
    # A store of an older release is the worker's to bring up to date: a hook has no time for it.
    with Fabric.open(settings, read_only=True, busy_timeout=BUSY, upgrade=False) as fabric:
        known = fabric.store.projects()
        current = Projects(known).identify(cwd or None)
        scope = Scope(projects=(current.id if current else NO_PROJECT,))
        yield Recalled(fabric, scope, {each.id: each.name for each in known})
