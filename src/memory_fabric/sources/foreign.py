"""What an outside memory answers, as memories of ours: clean, in scope, with an origin that makes it one witness."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.text import clean

Redact = Callable[[Any], Any]
"""A JSON value without secrets (``ingest.redact.redact_value``); given by the composition root."""


def foreign_memory(  # noqa: PLR0913 - one argument a field
    prefix: str,
    source: str,
    record: str,
    text: str,
    redact: Redact,
    *,
    at: datetime | None = None,
    entities: Sequence[str] = (),
    metadata: Mapping[str, object] | None = None,
) -> Memory:
    """A memory of the outside memory ``source``, repaired and redacted (F-PRIV-1, F-NORM-1, C-110).

    ``prefix`` is the kind of source (``mcp``, ``mem0``) and ``record`` its own id for it: together
    ``<prefix>:<source>:<record>``.  ``metadata`` holds JSON values.
    """
    shown = str(redact(_repaired(record)))
    names = redact(_repaired(list(entities)))
    return Memory(
        id=MemoryId(f"{prefix}:{source}:{shown}"),
        text=str(redact(_repaired(text))),
        kind=MemoryKind.NOTE,
        project=None,
        at=at,
        origin=Origin(source, SessionId(f"{prefix}:{source}"), record=shown, outside=source),
        entities=tuple(dict.fromkeys(name for name in names if name.strip())),
        metadata=redact(_repaired(dict(metadata or {}))),
    )


def in_scope(memory: Memory, scope: Scope) -> bool:
    """Whether a question of this scope may see it: as a note without project, of no statement, in our own store.

    Hard limits of time leave out the undated; no project at all finds nothing (C-152).
    """
    if scope.projects == () or scope.categories or (scope.kinds and MemoryKind.NOTE not in scope.kinds):
        return False
    since, before = scope.window.since, scope.window.before
    if memory.at is None:
        return since is None and before is None
    return (since is None or memory.at >= since) and (before is None or memory.at < before)


def _repaired(value: Any) -> Any:
    """A JSON value whose texts every part of the system can hold (formats.md §0 rule 4)."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(str(key)): _repaired(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_repaired(item) for item in value]
    return value
