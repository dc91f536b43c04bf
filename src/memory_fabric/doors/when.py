"""Times that a user types: dates, months, "7d", "3 weeks ago", "last month" become instants (F-CMD-7, F-CMD-11).

Days, months and years are those of UTC, like every date that is shown.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from memory_fabric.clock import parse_instant
from memory_fabric.errors import UsageError
from memory_fabric.model.query import Window
from memory_fabric.search.timewords import window_of

FORMS = "2026-03-05, 2026-03, 2026, 2026-03-05T14:30Z, 12h, 7d, 3w, 6m, 1y, 3 weeks ago, yesterday, last month"
"""What may be typed, for the hint of an error."""

_UNITS = {"h": 1 / 24, "hour": 1 / 24, "d": 1, "day": 1, "w": 7, "week": 7, "m": 30, "month": 30, "y": 365, "year": 365}
_BACK = re.compile(r"(\d{1,5}) ?(h|d|w|m|y|hours?|days?|weeks?|months?|years?)(?: ago)?")
_DATE = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_MONTH = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_WORDS = re.compile(
    r"today|yesterday|(?:this|last) (?:week|month|year)|last (?:mon|tues|wednes|thurs|fri|satur|sun)day"
    rf"|(?:last )?(?:{_MONTH})[a-z]*|(?:{_MONTH})[a-z]* \d{{4}}"
)


def as_of(value: str, now: datetime) -> datetime:
    """The instant of which a state is asked: ``2026-03`` is the end of March, so that what was decided in it counts.

    Raises:
        UsageError: it cannot be read; the hint shows the forms.
    """
    return _span(value, now)[1]


def window(since: str | None, before: str | None, now: datetime) -> Window:
    """The span between two times as typed; None leaves a side open.

    Both count by their first instant: ``--since 2026-03`` takes March in, ``--before 2026-03`` leaves it out.

    Raises:
        UsageError: one cannot be read, or nothing lies between them.
    """
    start = _span(since, now)[0] if since is not None else None
    end = _span(before, now)[0] if before is not None else None
    if start is not None and end is not None and start >= end:
        raise UsageError(f"nothing lies between --since {since} and --before {before}", "exchange or widen them")
    return Window(start, end)


def _span(value: str, now: datetime) -> tuple[datetime, datetime]:
    """First and last instant of what was typed; equal where it names a moment."""
    asked = " ".join(value.casefold().split())
    try:
        found = _back(asked, now) or _calendar(asked, now) or _worded(asked, now) or _instant(value.strip())
    except (ValueError, OverflowError):  # the 30th of February, 99999 years ago
        found = None
    if found is None:
        raise UsageError(f"{value!r} is not a time", f"forms: {FORMS}")
    return found


def _back(asked: str, now: datetime) -> tuple[datetime, datetime] | None:
    match = _BACK.fullmatch(asked)
    if match is None:
        return None
    unit = match[2] if len(match[2]) == 1 else match[2].rstrip("s")
    at = now - timedelta(days=int(match[1]) * _UNITS[unit])
    return at, at


def _calendar(asked: str, now: datetime) -> tuple[datetime, datetime] | None:
    match = _DATE.fullmatch(asked)
    if match is None:
        return None
    year, month, day = (int(part) if part else None for part in match.groups())
    first = now.replace(year=year or 1, month=month or 1, day=day or 1, hour=0, minute=0, second=0, microsecond=0)
    if not 1990 <= first.year <= 2200:
        return None
    if day:
        after = first + timedelta(days=1)
    elif month:
        after = first.replace(year=first.year + month // 12, month=month % 12 + 1)
    else:
        after = first.replace(year=first.year + 1)
    return first, after - timedelta(milliseconds=1)


def _worded(asked: str, now: datetime) -> tuple[datetime, datetime] | None:
    if not _WORDS.fullmatch(asked):
        return None
    found = window_of(asked, now) or window_of(f"in {asked}", now)
    if found is None or found.since is None or found.before is None:
        return None
    return found.since, found.before - timedelta(milliseconds=1)


def _instant(value: str) -> tuple[datetime, datetime] | None:
    """An ISO instant; bare digits are no instant here, whatever a transcript may hold."""
    at = None if value.isdigit() else parse_instant(value.replace(" ", "T", 1))
    return (at, at) if at is not None else None
