"""mem0 because somebody asks for it: the configured one, else the platform with the key that is there (F-MEM0-3).

Asking for it by name or by ``--mem0`` is the consent that F-MEM0-4 wants; nothing here connects.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from memory_fabric.errors import MemoryFabricError, UsageError
from memory_fabric.ports import OutsideSource
from memory_fabric.sources.configured import Configured, Mem0Cloud, Mem0Library, named
from memory_fabric.sources.mem0.keys import KEY, ORG, PROJECT, Keys
from memory_fabric.sources.mem0.shape import SYSTEM
from memory_fabric.sources.mem0.source import Mem0Source
from memory_fabric.sources.outside import Surroundings, Unopened, open_one


def open_mem0(
    entries: Sequence[Configured], around: Surroundings, name: str | None = None, given: Keys = Keys()
) -> Mem0Source:
    """The mem0 of that name, else the first configured one, else the platform.

    Raises:
        UsageError: that name is none of a mem0.
        SourceUnavailable: there is no key.
    """
    entry = _chosen(entries, name)
    if isinstance(entry, Mem0Cloud) and any((given.key, given.org, given.project)):
        said = {KEY: given.key, ORG: given.org, PROJECT: given.project}
        around = replace(around, environment={**around.environment, **{k: v for k, v in said.items() if v}})
        own = {"token_env": KEY, "keyring": None} if given.key else {}
        entry = msgspec.structs.replace(
            entry, org=given.org or entry.org, project=given.project or entry.project, **own
        )
    opened = open_one(entry, around)
    if not isinstance(opened, Mem0Source):
        raise TypeError(f"{type(opened).__name__} is no mem0")
    return opened


def open_keeper(entries: Sequence[Configured], around: Surroundings, memory_id: str) -> Mem0Source:
    """The mem0 that keeps a memory of this id: ``mem0:<source>:<id>`` names it, ``mem0:<id>`` means the first.

    Raises:
        SourceUnavailable: there is no key.
    """
    middle = memory_id.split(":")[1:-1]
    known = {entry.name for entry in entries if isinstance(entry, Mem0Cloud | Mem0Library)}
    return open_mem0(entries, around, middle[0] if middle and middle[0] in known else None)


def with_mem0(
    outside: Sequence[OutsideSource], entries: Sequence[Configured], around: Surroundings, *, graph: bool = False
) -> tuple[OutsideSource, ...]:
    """These sources and mem0, which one of them may be already; without a key it is an outage (F-ERR-3)."""
    there = {entry.name for entry in entries if isinstance(entry, Mem0Cloud | Mem0Library)}
    if not any(source.name in there for source in outside):
        try:
            outside = (*outside, open_mem0(entries, around))
        except MemoryFabricError as error:
            outside = (*outside, Unopened(_free_name(entries), Mem0Cloud(name=SYSTEM).deadline, error))
    return tuple(each.with_graph() if graph and isinstance(each, Mem0Source) else each for each in outside)


def _chosen(entries: Sequence[Configured], name: str | None) -> Mem0Cloud | Mem0Library:
    if name is not None:
        entry = named(entries, name)
        if not isinstance(entry, Mem0Cloud | Mem0Library):
            raise UsageError(f"source {name!r} is no mem0", "`memory-fabric sources list` shows the type of each")
        return entry
    known = [entry for entry in entries if isinstance(entry, Mem0Cloud | Mem0Library)]
    known.sort(key=lambda entry: not entry.enabled)
    return known[0] if known else Mem0Cloud(name=_free_name(entries))


def _free_name(entries: Sequence[Configured]) -> str:
    taken = {entry.name for entry in entries}
    return next(
        name for name in (SYSTEM, f"{SYSTEM}-cloud", *(f"{SYSTEM}-{n}" for n in range(99))) if name not in taken
    )
