"""Time as an argument."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.clock import Deadline, from_millis, parse_instant, to_millis, utcnow

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NEW_YEAR = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-01T00:00:00",
        "2026-01-01T00:00:00Z",
        "2026-01-01t00:00:00z",
        "2026-01-01T00:00:00.000Z",
        "2026-01-01T09:00:00+09:00",
        "2025-12-31T19:00:00-05:00",
        "2026-01-01 00:00:00",
        " 2026-01-01T00:00:00Z\n",
        "2026-01-01",
        1_767_225_600,
        1_767_225_600.0,
        1_767_225_600_000,
    ],
)
def test_every_form_of_an_instant_is_aware_utc(value: object) -> None:
    """C-132."""
    at = parse_instant(value)
    assert at == NEW_YEAR
    assert at is not None
    assert at.utcoffset() == timedelta(0)


def test_fractions_of_a_second_are_kept() -> None:
    assert parse_instant("2026-01-01T00:00:00.123456789Z") == NEW_YEAR + timedelta(microseconds=123_456)
    assert parse_instant(1_767_225_600_250) == NEW_YEAR + timedelta(milliseconds=250)
    assert parse_instant(1_767_225_600.5) == NEW_YEAR + timedelta(milliseconds=500)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "  ",
        "yesterday",
        "2026-13-01",
        True,
        False,
        0,
        -1,
        float("nan"),
        float("inf"),
        10**400,
        1_767_225_600_000_000,  # microseconds
        1_767_225,  # kiloseconds
        "9999-12-31T00:00:00Z",
        "0001-01-01T00:00:00+14:00",
        [],
        {},
    ],
)
def test_what_is_no_instant_is_none(value: object) -> None:
    """C-133: epoch 0, the year 9999 and a wrong unit among them."""
    assert parse_instant(value) is None


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ("1989-12-31T23:59:59Z", False),
        ("1990-01-01T00:00:00Z", True),
        ("2200-12-31T23:59:59Z", True),
        ("2201-01-01T00:00:00Z", False),
        (99_999_999_999, False),  # seconds: the year 5138
        (100_000_000_000, False),  # milliseconds: 1973
        (631_152_000_000, True),  # milliseconds: 1990
    ],
)
def test_years_from_1990_to_2200_are_believed(value: object, accepted: bool) -> None:
    """C-133."""
    assert (parse_instant(value) is not None) is accepted


instants = st.integers(631_152_000_000_000, 7_289_568_000_000_000).map(
    lambda micros: EPOCH + timedelta(microseconds=micros)
)


@given(instants, st.integers(-14 * 60, 14 * 60))
def test_an_instant_survives_its_text_in_any_zone(at: datetime, minutes: int) -> None:
    assert parse_instant(at.astimezone(timezone(timedelta(minutes=minutes))).isoformat()) == at


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_milliseconds_survive_a_round_trip(millis: int) -> None:
    assert to_millis(from_millis(millis)) == millis


@given(instants, instants)
def test_milliseconds_keep_the_order(one: datetime, other: datetime) -> None:
    assert (one <= other) <= (to_millis(one) <= to_millis(other))
    assert from_millis(to_millis(one)) <= one < from_millis(to_millis(one) + 1)


def test_a_naive_instant_is_utc() -> None:
    """C-132."""
    assert to_millis(NEW_YEAR.replace(tzinfo=None)) == to_millis(NEW_YEAR) == 1_767_225_600_000


@pytest.mark.parametrize("millis", [-62_135_596_800_001, 253_402_300_800_000, 10**30])
def test_an_instant_outside_the_calendar_overflows(millis: int) -> None:
    with pytest.raises(OverflowError):
        from_millis(millis)


def test_the_present_is_aware() -> None:
    assert utcnow().tzinfo is UTC


class FakeClock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("elapsed", "remaining", "passed"), [(0.0, 2.0, False), (1.5, 0.5, False), (2.0, 0.0, True), (9.0, 0.0, True)]
)
def test_a_deadline_passes_when_nothing_is_left(elapsed: float, remaining: float, passed: bool) -> None:
    clock = FakeClock()
    deadline = Deadline.after(2.0, clock)
    clock.now += elapsed
    assert deadline.remaining == remaining
    assert deadline.passed is passed
