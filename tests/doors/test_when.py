"""Times that a user types (F-CMD-7, F-CMD-11)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.doors.when import FORMS, as_of, window
from memory_fabric.errors import UsageError

NOW = datetime(2026, 3, 18, 15, 30, tzinfo=UTC)


def start(value: str) -> datetime | None:
    return window(value, None, NOW).since


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("2026-03-05", datetime(2026, 3, 5, tzinfo=UTC)),
        ("2026-03", datetime(2026, 3, 1, tzinfo=UTC)),
        ("2026", datetime(2026, 1, 1, tzinfo=UTC)),
        ("2026-03-05T14:30Z", datetime(2026, 3, 5, 14, 30, tzinfo=UTC)),
        ("2026-03-05T14:30+09:00", datetime(2026, 3, 5, 5, 30, tzinfo=UTC)),
        ("2026-03-05 14:30", datetime(2026, 3, 5, 14, 30, tzinfo=UTC)),
        ("12h", NOW - timedelta(hours=12)),
        ("7d", NOW - timedelta(days=7)),
        ("3w", NOW - timedelta(days=21)),
        ("1m", NOW - timedelta(days=30)),
        ("2y", NOW - timedelta(days=730)),
        ("3 weeks ago", NOW - timedelta(days=21)),
        ("1 day ago", NOW - timedelta(days=1)),
        ("  7 DAYS ", NOW - timedelta(days=7)),
        ("today", datetime(2026, 3, 18, tzinfo=UTC)),
        ("Yesterday", datetime(2026, 3, 17, tzinfo=UTC)),
        ("last week", datetime(2026, 3, 9, tzinfo=UTC)),
        ("last month", datetime(2026, 2, 1, tzinfo=UTC)),
        ("last friday", datetime(2026, 3, 13, tzinfo=UTC)),
        ("january", datetime(2026, 1, 1, tzinfo=UTC)),
        ("december 2024", datetime(2024, 12, 1, tzinfo=UTC)),
    ],
)
def test_a_time_is_read_in_every_form_that_the_hint_shows_and_some_more(typed: str, meant: datetime) -> None:
    assert start(typed) == meant


def test_every_form_of_the_hint_is_read() -> None:
    for form in FORMS.split(", "):
        assert start(form) is not None, form


@pytest.mark.parametrize(
    "typed",
    "|soon|2026-02-30|2026-13|26-03-05|12|7|7x|-7d|1700000000|99999y|1989|2201|marching|yesterdays news"
    "|2026-03-05T25:00Z|port 8080".split("|"),
)
def test_what_is_no_time_is_refused_by_name_with_the_forms(typed: str) -> None:
    """F-ERR-5: the user's mistake, told with its remedy."""
    with pytest.raises(UsageError) as caught:
        start(typed)
    assert repr(typed) in caught.value.message
    assert FORMS in caught.value.hint


@pytest.mark.parametrize("year", ["1990", "2200"])
def test_years_are_taken_from_1990_to_2200(year: str) -> None:
    """C-133: other years come from a wrong unit."""
    assert start(year) is not None


def test_since_takes_a_month_in_and_before_leaves_it_out() -> None:
    march = window("2026-03", "2026-03-02", NOW)
    assert march.since == datetime(2026, 3, 1, tzinfo=UTC)
    assert window(None, "2026-03", NOW).before == datetime(2026, 3, 1, tzinfo=UTC)


def test_as_of_a_month_is_its_last_moment() -> None:
    assert as_of("2026-02", NOW) == datetime(2026, 2, 28, 23, 59, 59, 999000, tzinfo=UTC)
    assert as_of("2026-12", NOW) == datetime(2026, 12, 31, 23, 59, 59, 999000, tzinfo=UTC)
    assert as_of("7d", NOW) == NOW - timedelta(days=7)


@pytest.mark.parametrize(("since", "before"), [("2026-03-05", "2026-03-05"), ("7d", "8d")])
def test_a_window_in_which_nothing_lies_is_the_users_mistake(since: str, before: str) -> None:
    with pytest.raises(UsageError, match="nothing lies between"):
        window(since, before, NOW)


def test_a_window_without_limits_is_open() -> None:
    assert window(None, None, NOW).since is None
    assert window(None, None, NOW).before is None


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_the_users_mistake(typed: str) -> None:
    try:
        found = start(typed)
    except UsageError:
        return
    assert found is not None
    assert found.tzinfo is UTC


@given(st.datetimes(datetime(1991, 1, 1), datetime(2199, 1, 1)))  # noqa: DTZ001 - only the date counts
def test_a_day_begins_and_ends_in_itself(at: datetime) -> None:
    day = f"{at:%Y-%m-%d}"
    first, last = start(day), as_of(day, NOW)
    assert first is not None
    assert f"{first:%Y-%m-%d}" == f"{last:%Y-%m-%d}" == day
    assert last - first == timedelta(days=1) - timedelta(milliseconds=1)
