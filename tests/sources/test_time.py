"""Nearness in time: what lies around the instant that a question is about."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import NOW, Shelf, ago, memory, question

from memory_fabric.clock import Deadline
from memory_fabric.model.query import Query
from memory_fabric.sources.time import DAYS, HOURS, LATER, WEIGHT, TimeSource, nearness
from memory_fabric.store.sqlite import SqliteStore

LONG = Deadline.after(600.0)
SPANS = st.floats(0, 1e9, allow_nan=False)


def around(days: float) -> Query:
    return replace(question("anything"), around=ago(days))


def later(seconds: float) -> float:
    return nearness(NOW + timedelta(seconds=seconds), NOW)


@pytest.mark.parametrize(
    ("seconds", "value"),
    [
        (0.0, 1.0),
        (-HOURS, (math.exp(-1) + math.exp(-HOURS / DAYS)) / 2),
        (-DAYS, (math.exp(-DAYS / HOURS) + math.exp(-1)) / 2),
        (HOURS / LATER, (math.exp(-1) + math.exp(-HOURS / DAYS)) / 2),
        (-400 * 86_400.0, 0.0),
    ],
)
def test_it_falls_off_exponentially_by_hours_and_by_days(seconds: float, value: float) -> None:
    """retrieval.md §8: a decay of two days."""
    assert later(seconds) == pytest.approx(value, abs=1e-12)


@given(SPANS, SPANS)
def test_the_nearer_the_more_on_either_side(first: float, second: float) -> None:
    near, far = sorted((first, second))
    assert 0.0 <= later(-far) <= later(-near) <= 1.0
    assert 0.0 <= later(far) <= later(near) <= 1.0


@given(st.floats(0, 1e6))
def test_what_followed_is_never_nearer_than_what_led_up_to_it(seconds: float) -> None:
    assert later(seconds) <= later(-seconds)


def test_the_nearest_of_both_sides_are_found_best_first(store: SqliteStore) -> None:
    shelf = Shelf()
    for days in (0.0, 9.9, 9.99, 10.01, 10.5, 14.0):
        shelf.say(f"d{days}", "a step", days=days)
    shelf.say("undated", "a step", days=None)
    shelf.save(store)
    source = TimeSource(store)
    found = source.find(around(10.0), 4, LONG)
    assert [str(hit.memory.id) for hit in found.hits] == ["d10.01", "d9.99", "d10.5", "d9.9"]
    assert found.ceiling == WEIGHT
    assert found.hits[0].raw == pytest.approx(WEIGHT * nearness(ago(10.01), ago(10.0)))


def test_a_question_without_an_instant_has_no_nearness(store: SqliteStore) -> None:
    shelf = Shelf()
    it = shelf.say("m", "a step")
    shelf.save(store)
    source = TimeSource(store)
    assert source.find(question("a step"), 9, LONG).hits == ()
    assert source.weigh(question("a step"), [it]) == {}


def test_the_undated_are_left_out(store: SqliteStore) -> None:
    dated, undated = memory("dated", days=1.0), memory("undated", days=None)
    assert set(TimeSource(store).weigh(around(1.0), [dated, undated])) == {dated.id}
