"""The pure parts: names of queries, quoting, spans, which terms find."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.store.sqlite.queries import queries, query
from memory_fabric.store.sqlite.textindex import TextTable, finders, joined, match_expression


def test_every_query_is_whole() -> None:
    left_over = re.compile(r"\{(?!scope\})")
    assert len(queries()) > 60
    for name, statement in queries().items():
        assert statement, name
        assert not left_over.search(statement), name


def test_an_unknown_query_is_a_mistake() -> None:
    with pytest.raises(KeyError):
        query("nonsense")


@pytest.mark.parametrize(
    ("terms", "expression"),
    [
        ([], ""),
        (["", " "], ""),
        (["a"], '"a"'),
        (["a", "b", "a"], '"a" OR "b"'),
        (['a"b'], '"a""b"'),
        (["NOT x"], '"NOT x"'),
        (["a\0b"], '"ab"'),
    ],
)
def test_every_term_is_quoted(terms: list[str], expression: str) -> None:
    """C-051 to C-053."""
    assert match_expression(terms) == expression


@given(st.lists(st.tuples(st.integers(-3, 30), st.integers(0, 6)), max_size=8))
def test_joined_spans_cover_the_same_places_and_never_touch(spans: list[tuple[int, int]]) -> None:
    pairs = [(first, first + length) for first, length in spans]
    merged = joined(pairs)
    assert {p for a, b in merged for p in range(a, b + 1)} == {p for a, b in pairs for p in range(a, b + 1)}
    assert all(left[1] + 1 < right[0] for left, right in itertools.pairwise(merged))


@pytest.mark.parametrize(
    ("frequency", "chosen"),
    [
        ({"a": 5, "b": 1}, ["b", "a"]),
        ({"a": 19_999, "b": 1}, ["b", "a"]),
        ({"a": 20_000, "b": 1}, ["b"]),
        ({"a": 50_000, "b": 50_001}, ["a"]),
        ({"a": 50_000, "none": 0}, ["none", "a"]),
        ({}, []),
    ],
)
def test_common_terms_do_not_find_in_a_large_store(frequency: dict[str, int], chosen: list[str]) -> None:
    assert finders(list(frequency), frequency, 20_000) == chosen


def test_what_rarer_terms_leave_is_filled_by_common_ones(store: SqliteStore) -> None:
    texts = ["owl"] * 4 + ["ibis", "ibis owl"]
    records = (
        Record(Memory(MemoryId(f"m{i}"), text, MemoryKind.NOTE, None, None, Origin("note", SessionId("s1"))), i)
        for i, text in enumerate(texts)
    )
    store.save(Batch(records=tuple(records)))
    table = TextTable(store._connections, postings=2)
    assert {unit.memory for unit in table.match(["owl", "ibi"], Scope(), 2)} == {"m4", "m5"}
    filled = [unit.memory for unit in table.match(["owl", "ibi"], Scope(), 5)]
    assert len(filled) == 5
    assert set(filled[:2]) == {"m4", "m5"}
