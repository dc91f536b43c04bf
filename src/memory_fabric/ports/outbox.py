"""What waits to be pushed to memories elsewhere: cleared only once they confirmed (F-HOOK-3, F-HOOK-13)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from memory_fabric.model.memory import MemoryId
from memory_fabric.model.nodes import Link, Node
from memory_fabric.text import split_long

MEMORY, NODE, OBSERVATION, LINK = "memory", "node", "observation", "link"
"""Kinds of parcel: a text, an entity, what was observed of an entity, a relation."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """One thing for one target."""

    target: str
    """Name of the outside memory."""
    key: str
    """Stable name of the thing: the same thing has the same key in every run."""
    kind: str
    """``memory``, ``node``, ``observation`` or ``link``."""
    payload: Mapping[str, object]
    """JSON values: what is sent, redacted."""
    text_hashes: tuple[str, ...] = ()
    """SHA-256 (``text.text_hash``) of every text by which it may come back from there, so that it is known again."""
    memory: MemoryId | None = None
    """The memory that it was made of, if one was: once that is forgotten, the parcel is never sent."""


LONGEST_OBSERVATION = 1000
"""Characters of an observation that memory servers take (F-HOOK-15); longer words go in pieces."""


def pieces(text: str) -> list[str]:
    """The words as observations, cut where a text is best cut."""
    return list(split_long(text, LONGEST_OBSERVATION))


def sentence(link: Mapping[str, object]) -> str:
    """The payload of a link as a short text, for a memory that keeps texts alone: ``build runs in ci``."""
    return " ".join((str(link["from"]), str(link["relationType"]).replace("_", " "), str(link["to"])))


@dataclass(frozen=True, slots=True)
class Claimed:
    """A parcel that this process may send now."""

    id: int
    """Of this claim, not of the parcel: what a later claim or a changed payload took over, an old id cannot confirm."""
    parcel: Parcel
    attempts: int
    """Earlier attempts of this payload: above 0 it may be there already, unconfirmed."""
    remote_id: str | None = None
    """The target's own id of what was sent before under this key."""


@dataclass(frozen=True, slots=True)
class Backlog:
    """How it stands with one target."""

    waiting: int
    """Not confirmed and not being sent; orphans too."""
    claimed: int
    failed: int
    """Of those waiting: tried before."""
    sent: int
    oldest: datetime | None
    """When the oldest of those waiting was queued."""
    last_sent: datetime | None
    last_error: str | None


class Outbox(Protocol):
    """A queue for each target.  Every method is one transaction, safe among processes (C-128)."""

    def enqueue(self, parcels: Sequence[Parcel], at: datetime, *, force: bool = False) -> int:
        """Queue what is new or whose payload changed since it was queued (``force``: also what was sent).

        Returns how many were new, changed or queued once more.  What waits already keeps its place.
        """
        ...

    def due(self, parcels: Sequence[Parcel], *, force: bool = False) -> list[Parcel]:
        """Those of these that are not sent as they are: new, changed, or waiting (``force``: all).  Writes nothing."""
        ...

    def withdraw(self, target: str, keep: Collection[str], at: datetime) -> int:
        """Drop what waits (orphans too) under other keys than these: it is no longer worth sending.  Returns how many.

        What a process is sending now is left alone.
        """
        ...

    def claim(
        self, target: str, limit: int, at: datetime, lease: timedelta, keys: Collection[str] | None = None
    ) -> list[Claimed]:
        """Take waiting parcels and those whose claimer's lease ended without a word (orphans), oldest first.

        ``keys`` takes only these.  Parcels of memories that are gone are dropped.  Counts an attempt of each.
        """
        ...

    def confirm(self, sent: Mapping[int, str | None], at: datetime) -> None:
        """Mark claims as sent, each with the target's own id for it: only now do they leave the queue.

        Claims that were taken over, or whose payload changed meanwhile, stay in the queue.
        """
        ...

    def release(self, ids: Sequence[int], error: str) -> None:
        """Put claims back, with why they were not sent."""
        ...

    def backlog(self, at: datetime) -> dict[str, Backlog]:
        """Target → how it stands at that instant (leases end)."""
        ...

    def pushed(self, target: str, text_hashes: Sequence[str]) -> dict[str, MemoryId | None]:
        """Which of these texts we ourselves put there, with the memory they came from: such a hit is no witness.

        A text counts from the moment it was first claimed: a process that died may have sent it.
        """
        ...

    def written_nodes(self) -> list[Node]:
        """The graph that somebody wrote: entities that a client created or that something was observed of."""
        ...

    def written_observations(self) -> list[tuple[MemoryId, str, str]]:
        """What was observed: the memory that holds it, the name of the entity, the words; oldest first."""
        ...

    def written_links(self) -> list[Link]:
        """Links that a client wrote, each once, oldest first."""
        ...


class Target(Protocol):
    """A memory elsewhere that we may write to."""

    @property
    def name(self) -> str:
        """Its name, as it is configured."""
        ...

    @property
    def graph(self) -> bool:
        """True where it keeps entities and relations; False where it keeps texts alone."""
        ...

    def push(self, claimed: Claimed) -> str | None:
        """Put one parcel there and return the target's own id for it, where it has one.

        Putting the same parcel there again changes nothing: the process may have died before it was confirmed.
        What is newer there under the same key is left as it is (newest wins).

        Raises:
            SourceUnavailable: the target cannot be reached; nothing else will get through now.
            DeadlinePassed: likewise.
            SourceError: it refuses this parcel; the next one may get through.
        """
        ...

    def close(self) -> None:
        """End the connection and every process that belongs to it."""
        ...
