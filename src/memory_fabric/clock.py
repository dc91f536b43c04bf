"""Time as an argument: deadlines, and the one place that reads the wall clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utcnow() -> datetime:
    """The present, aware UTC."""
    return datetime.now(UTC)


def from_millis(millis: int) -> datetime:
    """The instant that many milliseconds after 1970, aware UTC.

    Raises:
        OverflowError: outside the years 1 to 9999.
    """
    return _EPOCH + timedelta(milliseconds=millis)


def to_millis(at: datetime) -> int:
    """Whole milliseconds since 1970, never later than the instant; naive instants are taken as UTC (C-132)."""
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(milliseconds=1)


def parse_instant(value: object) -> datetime | None:
    """An instant from what transcripts hold, or None.

    Takes ISO 8601 with ``Z``, with an offset or naive (taken as UTC), epoch seconds and epoch milliseconds
    (numbers from 10^11 on); years outside 1990 to 2200 are None, since they come from a wrong unit (C-133).
    """
    try:
        if isinstance(value, bool):
            return None
        if isinstance(value, int | float):
            at = datetime.fromtimestamp(value / 1000 if abs(value) >= 1e11 else value, UTC)
        elif isinstance(value, str) and value:
            at = datetime.fromisoformat(value.strip().upper())
            at = at.astimezone(UTC) if at.tzinfo else at.replace(tzinfo=UTC)
        else:
            return None
    except (ValueError, OverflowError, OSError):
        return None
    return at if 1990 <= at.year <= 2200 else None


@dataclass(frozen=True, slots=True)
class Deadline:
    """A point on a monotonic clock; tests pass their own clock instead of waiting."""

    ends: float
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def after(cls, seconds: float, clock: Callable[[], float] = time.monotonic) -> Deadline:
        """The deadline that many seconds from now."""
        return cls(clock() + seconds, clock)

    @property
    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.ends - self.clock())

    @property
    def passed(self) -> bool:
        """True once nothing is left."""
        return self.remaining <= 0.0
