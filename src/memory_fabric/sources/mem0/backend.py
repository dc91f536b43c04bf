"""What mem0 can do, whether it is its cloud or its library in this process (F-MEM0-1, F-MEM0-7).

Texts go and come as they are: ``memory`` is what redacts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from memory_fabric.clock import Deadline
from memory_fabric.sources.mem0.shape import Item, Matches

MOST_BATCH = 1000
"""Memories of one batch (F-MEM0-7)."""


@dataclass(frozen=True, slots=True)
class Who:
    """Whose memories: mem0 keeps users, agents and apps apart, so naming several means any of them."""

    users: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    apps: tuple[str, ...] = ()

    @property
    def nobody(self) -> bool:
        """True when nothing can be found."""
        return not (self.users or self.agents or self.apps)


@dataclass(frozen=True, slots=True)
class Change:
    """One memory's new text or metadata."""

    id: str
    text: str | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Status:
    """What became of one item of a batch."""

    id: str
    done: bool
    reason: str = ""


class Backend(Protocol):
    """One mem0.

    Every function raises ``SourceUnavailable`` where it cannot be reached, ``NotThere`` for an unknown id, ``Refused``
    for what it will never take, and ``DeadlinePassed``.
    """

    @property
    def has_graph(self) -> bool:
        """Whether a search may be asked for relations; what comes may still be none."""
        ...

    def product(self, deadline: Deadline) -> str:
        """Connect; its name and what it says of itself."""
        ...

    def search(  # noqa: D102 - the class says what it raises
        self,
        question: str,
        who: Who,
        limit: int,
        deadline: Deadline,
        *,
        graph: bool = False,
        filters: Sequence[Mapping[str, Any]] = (),
    ) -> Matches: ...

    def listed(
        self, who: Who, limit: int, deadline: Deadline, *, filters: Sequence[Mapping[str, Any]] = ()
    ) -> list[Item]:
        """Memories without a question; all of ``filters`` must hold."""
        ...

    def get(self, record: str, deadline: Deadline) -> Item:
        """One memory."""
        ...

    def add(
        self,
        text: str,
        user: str,
        metadata: Mapping[str, Any],
        deadline: Deadline,
        *,
        agent: str | None = None,
        at: datetime | None = None,
    ) -> str:
        """Keep a text as it is, unabridged and not interpreted; its id, once it is kept."""
        ...

    def named(self, key: str, user: str, deadline: Deadline) -> Item | None:
        """The memory of this user whose metadata has ``FABRIC_KEY`` set to ``key``."""
        ...

    def update(self, change: Change, deadline: Deadline) -> Item:
        """Change one memory; what it is now."""
        ...

    def delete(self, record: str, deadline: Deadline) -> None:
        """Forget one memory."""
        ...

    def history(self, record: str, deadline: Deadline) -> list[Item]:
        """What became of one memory, oldest first."""
        ...

    def batch_update(self, changes: Sequence[Change], deadline: Deadline) -> list[Status]:
        """Change at most ``MOST_BATCH`` memories; what became of each, in order."""
        ...

    def batch_delete(self, records: Sequence[str], deadline: Deadline) -> list[Status]:
        """Forget at most ``MOST_BATCH`` memories; what became of each, in order."""
        ...

    def users(self, deadline: Deadline) -> list[Item]:
        """Whom it keeps memories of: ``type``, ``name``, and counts where it has them."""
        ...

    def close(self) -> None:
        """Release what is open; it may be used again."""
        ...
