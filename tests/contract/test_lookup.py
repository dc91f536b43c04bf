"""Memories looked up by what they hold and by their session: what forgetting goes by (F-PRIV-7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, ProjectId, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Store

if TYPE_CHECKING:
    from tests.contract.conftest import Build


def ids(found: Sequence[Memory]) -> list[str]:
    return [str(memory.id) for memory in found]


@pytest.fixture
def filled(store: Store, build: Build) -> Store:
    store.save(
        build.batch(
            build.record("old", "The discount is 50% off", day=1),
            build.record("new", "the DISCOUNT  is\n500 off", day=3, seq=1),
            build.record("undated", "snake_case and discount", day=None, seq=2),
            build.record("other", "discount for STRASSE in İzmir", day=2, session="s2", project="p2"),
        )
    )
    return store


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("discount", ["new", "other", "old", "undated"]),
        ("Discount is", ["new", "old"]),
        ("  discount\tis ", ["new", "old"]),
        ("50%", ["old"]),
        ("5%0", []),
        ("%", ["old"]),
        ("snake_case", ["undated"]),
        ("snake.case", []),
        ("_", ["undated"]),
        ("straße", ["other"]),
        ("*", []),
        ("x' OR 1=1 --", []),
    ],
)
def test_a_text_is_found_literally_whatever_its_letter_case(filled: Store, text: str, expected: list[str]) -> None:
    """C-115: ``%`` and ``_`` mean themselves, and no text is a query."""
    assert ids(filled.containing(text, Scope(), 9)) == expected


def test_a_text_is_looked_for_in_scope_and_up_to_the_limit(filled: Store) -> None:
    """C-148."""
    one = Scope(projects=(ProjectId("p1"),))
    assert ids(filled.containing("discount", one, 9)) == ["new", "old", "undated"]
    assert ids(filled.containing("discount", one, 1)) == ["new"]
    assert filled.containing("discount", one, 0) == []
    assert filled.containing("discount", Scope(projects=()), 9) == []
    assert filled.containing("discount", Scope(kinds=(MemoryKind.NOTE.value,)), 9) == []


def test_a_session_gives_its_memories_in_order(filled: Store, build: Build) -> None:
    filled.save(build.batch(build.record("between", "between", seq=1, part=1)))
    assert ids(filled.of_session(SessionId("s1"))) == ["old", "new", "between", "undated"]
    assert filled.of_session(SessionId("nowhere")) == filled.of_session(SessionId("s1' OR 1=1 --")) == []


def test_what_was_forgotten_is_looked_up_in_vain(filled: Store, build: Build) -> None:
    """C-059."""
    filled.forget([MemoryId("old")], "asked", build.at(4))
    assert ids(filled.containing("discount is", Scope(), 9)) == ["new"]
    assert ids(filled.of_session(SessionId("s1"))) == ["new", "undated"]
