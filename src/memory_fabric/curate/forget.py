"""Forgetting on purpose: what would go, and its going (F-PRIV-7, decision 11)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_fabric.errors import UsageError
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Store
from memory_fabric.text import fold

REASON = "asked"
"""Why, as a tombstone keeps it."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody asks to forget; exactly one of the three."""

    ids: tuple[str, ...] | None = None
    """As search prints them, with or without the source before the colon (``text:m_…``)."""
    text: str | None = None
    """Every memory in scope whose text holds this: letter case and runs of white space aside, every sign itself."""
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What went, or would go."""

    memories: tuple[Memory, ...] = ()
    unknown: tuple[str, ...] = ()
    """Ids and sessions that nothing has, as given; what was forgotten before is among them."""
    count: int = 0
    """Memories that are gone now; 0 for a preview."""


def choose(asked: Asked, store: Store, scope: Scope = Scope()) -> Forgotten:
    """What would go.  A part of a note stands for the whole note; ``scope`` limits what ``text`` may find.

    Raises:
        UsageError: nothing, or more than one thing, was asked; the text is empty.
    """
    given = [asked.ids is not None, asked.text is not None, asked.session is not None]
    if sum(given) != 1:
        raise UsageError("say what to forget: ids, a text or a session", "exactly one of the three")
    if asked.text is not None:
        if not fold(asked.text):
            raise UsageError("the text is empty: every memory would go", "give words that only these memories hold")
        return Forgotten(_whole(store, store.containing(asked.text, scope, store.count())))
    if asked.session is not None:
        found = store.of_session(SessionId(asked.session))
        return Forgotten(tuple(found), () if found else (asked.session,))
    return _by_id(asked.ids or (), store)


def _by_id(ids: Sequence[str], store: Store) -> Forgotten:
    """Each id as it is, else without what stands before its first colon."""
    bare = {given: given.strip().partition(":")[2] for given in ids if ":" in given}
    wanted = [MemoryId(name) for name in (*(given.strip() for given in ids), *bare.values()) if name]
    there = {memory.id: memory for memory in store.get(list(dict.fromkeys(wanted)))}
    found: list[Memory] = []
    unknown: list[str] = []
    for given in dict.fromkeys(ids):
        memory = there.get(MemoryId(given.strip())) or there.get(MemoryId(bare.get(given, "")))
        if memory is None:
            unknown.append(given)
        else:
            found.append(memory)
    return Forgotten(_whole(store, found), tuple(unknown))


def _whole(store: Store, found: Iterable[Memory]) -> tuple[Memory, ...]:
    """Each memory once, and of a note in parts all of them: half a note is none."""
    every: dict[MemoryId, Memory] = {}
    for memory in found:
        if memory.kind is MemoryKind.NOTE and memory.metadata.get("parts"):
            every.update((part.id, part) for part in store.of_session(memory.origin.session))
        every.setdefault(memory.id, memory)
    return tuple(every.values())


def forget(chosen: Forgotten, store: Store, at: datetime, text: str | None = None) -> Forgotten:
    """Let it go: out of every index, with a tombstone by id and by text that holds through every re-ingest.

    ``text``, where one was asked, goes from the journal of deleted things too.

    Raises:
        StoreUnavailable: the store failed; nothing was removed.
    """
    if text is not None:
        store.strike([text])
    count = store.forget([memory.id for memory in chosen.memories], REASON, at) if chosen.memories else 0
    return Forgotten(chosen.memories, chosen.unknown, count)
