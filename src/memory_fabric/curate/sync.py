"""Pushing to memories elsewhere: everything goes through the outbox and leaves it when its target confirmed (F-HOOK-3).

    store ─gather, redact→ Worth ─parcels→ outbox ─claim→ Target.push ─confirm→ sent
                                                  ↖── release, with why not ──┘

What is queued is gathered anew in every run, so what waited goes as it is known and redacted now.  A run that is killed
leaves claims behind; they are taken up when their lease has ended, and targets take a parcel twice without harm.
Conflicts: newest wins, nothing there is deleted (``Target.push``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory_fabric.curate.worth import Redact, gather, parcels
from memory_fabric.errors import DeadlinePassed, SourceError, SourceUnavailable
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.result import Outage
from memory_fabric.ports import Claimed, Outbox, Parcel, Store
from memory_fabric.ports.outbox import Target

BATCH = 10
"""Parcels that are claimed at once (memorySyncConfig ``batch_size``)."""

LEASE = timedelta(minutes=5)
"""How long a claim holds without a word: a batch whose every parcel waits for its deadline ends sooner."""

FAILURES = 10
"""Refused parcels that a report names; all are counted."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A parcel that its target did not take; it stays in the queue."""

    key: str
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of one target."""

    target: str
    queued: int = 0
    """Parcels that were new, changed, or sent once more."""
    sent: Mapping[str, int] = field(default_factory=dict)
    """Kind → parcels that the target confirmed."""
    failed: int = 0
    refused: tuple[Refused, ...] = ()
    """The first of those that failed."""
    waiting: int = 0
    """Parcels still in the queue, those of a dead target among them."""
    outage: Outage | None = None

    @property
    def complete(self) -> bool:
        """True when nothing that was to be sent failed."""
        return self.outage is None and not self.failed


@dataclass(frozen=True, slots=True)
class Synced:
    """What a run did (or, if ``dry``, would do: ``sent`` then counts what would go)."""

    targets: tuple[Pushed, ...] = ()
    dry: bool = False

    @property
    def complete(self) -> bool:
        """True when every target took everything (C-154)."""
        return all(each.complete for each in self.targets)

    @property
    def unreachable(self) -> bool:
        """True when there are targets and none of them could be reached."""
        return bool(self.targets) and all(each.outage and not each.sent for each in self.targets)


def sync(
    store: Store,
    targets: Sequence[Target],
    redact: Redact,
    now: Callable[[], datetime],
    *,
    only: Sequence[MemoryId] | None = None,
    force: bool = False,
) -> Synced:
    """Queue what is new for each target, and push what waits; the rest goes on where one fails (C-154).

    ``only`` pushes what these memories say and nothing else; ``force`` sends again what was sent.

    Raises:
        StoreError: our own store failed.
    """
    worth = gather(store, redact, only)
    done = []
    for target in targets:
        found = parcels(worth, target.name, graph=target.graph)
        keys = [parcel.key for parcel in found]
        queued = store.enqueue(found, now(), force=force)
        if only is None:
            store.withdraw(target.name, keys, now())
        run = _Run(store, target, now)
        run.drain(None if only is None else keys)
        backlog = store.backlog(now()).get(target.name)
        done.append(run.report(queued, backlog.waiting if backlog else 0))
    return Synced(tuple(done))


def preview(
    store: Store,
    targets: Mapping[str, bool],
    redact: Redact,
    *,
    only: Sequence[MemoryId] | None = None,
    force: bool = False,
) -> Synced:
    """What ``sync`` would send, by target (name → whether it keeps a graph) and kind; nothing is written or asked."""
    worth = gather(store, redact, only)
    plans = []
    for name, graph in targets.items():
        due = store.due(parcels(worth, name, graph=graph), force=force)
        plans.append(Pushed(name, queued=len(due), sent=_by_kind(due), waiting=len(due)))
    return Synced(tuple(plans), dry=True)


def _by_kind(found: Sequence[Parcel]) -> dict[str, int]:
    return dict(Counter(parcel.kind for parcel in found))


class _Run:
    """One target's part of a run."""

    def __init__(self, outbox: Outbox, target: Target, now: Callable[[], datetime]) -> None:
        self._outbox = outbox
        self._target = target
        self._now = now
        self._sent: Counter[str] = Counter()
        self._refused: dict[int, Refused] = {}
        self._outage: Outage | None = None

    def drain(self, keys: Collection[str] | None) -> None:
        """Push what waits, oldest first, until nothing is left or the target is gone.

        Refused parcels go back when the run ends: in the queue at once, they would be claimed again and again.
        """
        tried: set[str] = set()
        try:
            while self._outage is None:
                claims = self._outbox.claim(self._target.name, BATCH, self._now(), LEASE, keys)
                fresh = [claim for claim in claims if claim.parcel.key not in tried]
                tried.update(claim.parcel.key for claim in fresh)
                self._push_all(fresh)
                if not fresh:
                    self._outbox.release([claim.id for claim in claims], "taken twice in one run")
                    return
        finally:
            for id_, refused in self._refused.items():
                self._outbox.release([id_], refused.reason)

    def _push_all(self, claims: Sequence[Claimed]) -> None:
        rest = [claim.id for claim in claims]
        reason = "interrupted"
        try:
            for claim in claims:
                self._push(claim)
                rest.remove(claim.id)
        except (SourceUnavailable, DeadlinePassed) as error:
            self._outage = Outage(self._target.name, error.message, error.hint)
            reason = error.message
        finally:
            self._outbox.release(rest, reason)

    def _push(self, claim: Claimed) -> None:
        try:
            remote = self._target.push(claim)
        except (SourceUnavailable, DeadlinePassed):
            raise
        except SourceError as error:
            self._refused[claim.id] = Refused(claim.parcel.key, claim.parcel.kind, error.message)
        else:
            self._outbox.confirm({claim.id: remote}, self._now())
            self._sent[claim.parcel.kind] += 1

    def report(self, queued: int, waiting: int) -> Pushed:
        """What became of it."""
        return Pushed(
            self._target.name,
            queued,
            dict(self._sent),
            len(self._refused),
            tuple(self._refused.values())[:FAILURES],
            waiting,
            self._outage,
        )
