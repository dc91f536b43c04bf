"""``--mem0``: what was just remembered goes to mem0 too; what is kept here is kept in any case (F-ERR-1, F-ERR-3)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_fabric.errors import MemoryFabricError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.curate.sync import Pushed
    from memory_fabric.model.memory import MemoryId

PATIENCE = 30.0
"""Seconds for one memory; somebody waits, but a first request may be slow."""


def push_to_mem0(fabric: Fabric, ids: Sequence[MemoryId]) -> list[str]:
    """Send these memories to the configured mem0, else to the platform with the key that is there.

    Returns sentences about what did not arrive, or went; whatever mem0 does is no error.

    Raises:
        StoreUnavailable: our own store failed.
    """
    from memory_fabric.clock import utcnow
    from memory_fabric.curate.sync import sync
    from memory_fabric.errors import StoreError
    from memory_fabric.ingest.redact import redact_value
    from memory_fabric.sources.configured import read
    from memory_fabric.sources.mem0.asked import open_mem0
    from memory_fabric.sources.mem0.target import Mem0Target

    try:
        source = open_mem0(read(fabric.settings.home), fabric.surroundings)
    except StoreError:
        raise
    except MemoryFabricError as error:
        return [_kept_here(error.message, error.hint)]
    target = Mem0Target(source.name, source.backend, source.users, PATIENCE)
    try:
        done = sync(fabric.store, [target], redact_value, utcnow, only=ids)
    finally:
        target.close()
    return [_told(pushed) for pushed in done.targets]


def _told(pushed: Pushed) -> str:
    if pushed.outage is not None:
        return _kept_here(pushed.outage.reason, pushed.outage.remedy)
    if pushed.refused:
        return _kept_here(f"{pushed.target}: {pushed.refused[0].reason}")
    if pushed.failed:
        return _kept_here(f"{pushed.target} did not take it")
    sent = sum(pushed.sent.values())
    return f"sent to {pushed.target}" if sent else f"{pushed.target} has it already"


def _kept_here(reason: str, remedy: str = "") -> str:
    """A warning: the memory is kept, mem0 has not got it."""
    return f"kept here, not sent to mem0: {reason}" + (f" ({remedy})" if remedy else "")
