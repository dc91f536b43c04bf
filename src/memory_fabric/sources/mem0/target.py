"""Writing to mem0, cloud or library: each text once under its own key, nothing interpreted (F-MEM0-4, F-SRC-8)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memory_fabric.clock import Deadline, parse_instant
from memory_fabric.errors import SourceError
from memory_fabric.ports import Claimed
from memory_fabric.ports.outbox import LINK, sentence
from memory_fabric.sources.mem0.backend import Backend, Change
from memory_fabric.sources.mem0.http import NotThere, Refused
from memory_fabric.sources.mem0.shape import FABRIC_KEY, PROJECT_KEY, USERS, Item, Users, metadata_of, user_id

BEST_PRACTICES = frozenset({"pattern", "preference"})
"""Categories of what holds beyond one decision."""

_METADATA = (
    "memory_id",
    "timestamp",
    "session_id",
    "source",
    "confidence",
    "project",
    "scope",
    "category",
    "kind",
    "outcome",
    "lesson",
    "entities",
    "from",
    "to",
    "relationType",
)
"""Fields of a payload that go along (memoryEntry, features.md §4)."""


class Mem0Target:
    """See ``ports.outbox.Target``."""

    graph = False

    def __init__(self, name: str, backend: Backend, users: Users, deadline: float) -> None:
        """``deadline``: seconds for one parcel."""
        self.name = name
        self._backend = backend
        self._users = users
        self._deadline = deadline

    def push(self, claimed: Claimed) -> str | None:
        """See ``Target``: what is there under the key is changed, unless what is there is newer."""
        try:
            return self._put(claimed, Deadline.after(self._deadline))
        except (NotThere, Refused) as error:
            raise SourceError(error.message, error.hint) from error

    def _put(self, claimed: Claimed, deadline: Deadline) -> str:
        payload = claimed.parcel.payload
        text = _text(claimed.parcel.kind, payload)
        user = user_of(self._users, payload)
        extra = _metadata(claimed.parcel.key, payload)
        at = _instant(payload)
        there = self._backend.named(claimed.parcel.key, user, deadline)
        if there is None:
            agent = payload.get("agent")
            return self._backend.add(text, user, extra, deadline, agent=str(agent) if agent else None, at=at)
        record = str(there["id"])
        if not _newer(there, at):
            self._change(record, there, text, extra, deadline)
        return record

    def _change(self, record: str, there: Item, text: str, extra: Mapping[str, Any], deadline: Deadline) -> None:
        known = metadata_of(there)
        same = str(there.get("memory") or there.get("text") or "") == text
        if not same or not extra.items() <= known.items():
            self._backend.update(Change(record, None if same else text, {**known, **extra}), deadline)

    def close(self) -> None:
        """See ``Target``."""
        self._backend.close()


def user_of(users: Users, payload: Mapping[str, Any]) -> str:
    """The user id that a payload is kept under (F-SRC-8).

    Of the entry's own choice where it names one; else by what it is: ``-agents`` for what an agent is to remember,
    ``-best-practices`` and ``-patterns`` for what holds beyond one decision, ``-decisions`` for the rest.
    """
    project = payload.get("project")
    name = str(project) if project else None
    if users.templates != USERS:
        return users.for_writing(name)
    wanted = _shelf(payload, everywhere=name is None)
    template = next(each for each in USERS if each.endswith(wanted) and ("{project}" in each) is (name is not None))
    own = Users((template,), users.prefix, users.organisation)
    return user_id(own.for_writing(name))


def _shelf(payload: Mapping[str, Any], *, everywhere: bool) -> str:
    if payload.get("agent") and not everywhere:
        return "-agents"
    if payload.get("category") == "pattern" and not everywhere:
        return "-patterns"
    if payload.get("category") in BEST_PRACTICES or payload.get("outcome"):
        return "-best-practices"
    return "-decisions"


def _text(kind: str, payload: Mapping[str, Any]) -> str:
    return sentence(payload) if kind == LINK else str(payload["text"])


def _metadata(key: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: payload[name] for name in _METADATA if payload.get(name) not in (None, [])}
    project = payload.get("project_id")
    return {**found, FABRIC_KEY: key, **({PROJECT_KEY: project} if project else {})}


def _instant(payload: Mapping[str, Any]) -> datetime | None:
    return parse_instant(payload.get("timestamp"))


def _newer(there: Item, at: datetime | None) -> bool:
    """Whether what is there was said later (newest wins)."""
    said = parse_instant(metadata_of(there).get("timestamp"))
    return said is not None and at is not None and said > at
