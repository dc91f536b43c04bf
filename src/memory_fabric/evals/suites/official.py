"""LongMemEval as its authors publish it: a question with a haystack of its own.

``longmemeval_s`` has about 48 sessions a question, ``longmemeval_m`` about 500, ``longmemeval_oracle`` the evidence
alone.  Ids of evidence begin with ``answer_`` and share a stem, so sessions are known by a hash of their id.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from memory_fabric.evals.suites.fields import listed, moment, text
from memory_fabric.model.record import Conversation, Said

WHEN = "%Y/%m/%d (%a) %H:%M"
"""How a session's date is written: ``2023/05/20 (Sat) 02:21``."""

DIGITS = 16
"""Hexadecimal digits of a session's id: 64 bits."""

_UNANSWERABLE = "_abs"
_NEVER = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Instance:
    """A question as its file gives it."""

    id: str
    text: str
    kind: str
    gold: frozenset[str]
    """Ids of the sessions that answer it; also those that its haystack lacks, which nothing can find."""
    abstention: bool = False
    """Nothing answers it."""
    haystack: tuple[Conversation, ...] = ()
    """The sessions it is asked of, in their order; none where all questions share a pool."""


def instance(row: dict[str, Any]) -> Instance:
    """One question; a session that its haystack holds twice is one.

    Raises:
        KeyError, TypeError, ValueError: the row is of another shape, its lists are of unequal length, or two sessions
            of different text have one id.
    """
    id_ = text(row, "question_id")
    return Instance(
        id_,
        text(row, "question"),
        text(row, "question_type"),
        frozenset(_opaque(str(each)) for each in listed(row, "answer_session_ids")),
        id_.endswith(_UNANSWERABLE),
        tuple(_once(_sessions(row))),
    )


def pool(asked: Sequence[Instance]) -> tuple[Conversation, ...]:
    """All sessions, each once and at its earliest date, if no haystack holds anything but evidence; else nothing.

    They are in the order of their ids: in the file the evidence of one question stands side by side.

    Raises:
        ValueError: two sessions of different text have one id.
    """
    if any(session.id not in each.gold for each in asked for session in each.haystack):
        return ()
    sessions = (session for each in asked for session in each.haystack)
    return tuple(_once(sorted(sessions, key=lambda session: (session.id, session.at or _NEVER))))


def _sessions(row: dict[str, Any]) -> Iterator[Conversation]:
    columns = (listed(row, f"haystack_{name}") for name in ("session_ids", "dates", "sessions"))
    for id_, date, turns in zip(*columns, strict=True):
        said = tuple(Said(text(turn, "role"), text(turn, "content")) for turn in turns)
        yield Conversation(_opaque(str(id_)), said, at=moment(date, WHEN))


def _once(sessions: Iterable[Conversation]) -> Iterator[Conversation]:
    seen: dict[str, Conversation] = {}
    for session in sessions:
        first = seen.setdefault(session.id, session)
        if first is session:
            yield session
        elif replace(session, at=first.at) != first:
            raise ValueError(f"two sessions of different text have the id {session.id}")


def _opaque(id_: str) -> str:
    return hashlib.sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
