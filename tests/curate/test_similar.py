"""Notes that a new one resembles or contradicts (F-CMD-1, F-CMD-4)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from memory_fabric.app import Fabric
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.ports import Batch, Record
from memory_fabric.search.similar import ALIKE, SAME_SUBJECT, SHOWN, neighbours, overlap

START = datetime(2026, 5, 1, tzinfo=UTC)


def note(name: str, text: str, outcome: str | None = None, kind: MemoryKind = MemoryKind.NOTE) -> Memory:
    metadata = {} if outcome is None else {"outcome": outcome}
    at = START + timedelta(hours=len(name))
    return Memory(MemoryId(name), text, kind, None, at, Origin("note", SessionId(f"note:{name}")), metadata=metadata)


def look(fabric: Fabric, asked: Memory, *there: Memory) -> tuple[list[str], list[str]]:
    fabric.store.save(Batch(records=tuple(Record(each, 0) for each in there)))
    similar, contrary = neighbours(fabric.store, fabric.store, asked)
    return [str(each.id) for each in similar], [str(each.id) for each in contrary]


@pytest.mark.parametrize(
    ("shared", "own", "alike"),
    [(6, 4, True), (59, 41, False), (61, 39, True)],
    ids=["at 0.60", "at 0.59", "at 0.61"],
)
def test_notes_are_alike_from_a_likeness_of_six_tenths(fabric: Fabric, shared: int, own: int, alike: bool) -> None:
    common = " ".join(f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(shared))
    more = " ".join(f"other{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(own))
    assert ALIKE == 0.6
    found, _ = look(fabric, note("new", f"{common} {more}"), note("old", common))
    assert found == (["old"] if alike else [])


@pytest.mark.parametrize(("shared", "contrary"), [(3, False), (4, True), (5, True)])
def test_two_notes_speak_of_one_subject_from_four_tenths(fabric: Fabric, shared: int, contrary: bool) -> None:
    words = "alpha bravo charlie delta echo foxtrot golf hotel india juliet".split()
    others = "kilo lima mike november oscar papa quebec romeo sierra tango".split()
    assert SAME_SUBJECT == 0.4
    old = " ".join(words[:shared] + others[: 10 - shared])
    _, found = look(fabric, note("new", " ".join(words), "success"), note("old", old, "failed"))
    assert found == (["old"] if contrary else [])


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [("ab", "ab", 1.0), ("abcd", "abxyz", 0.5), ("a", "ab", 0.0), ("", "ab", 0.0), ("abc", "xyz", 0.0)],
)
def test_one_shared_word_is_no_subject(left: str, right: str, expected: float) -> None:
    assert overlap(left, right) == overlap(right, left) == expected


def test_only_notes_are_looked_at_and_never_the_note_itself(fabric: Fabric) -> None:
    text = "Always squash before the merge"
    found, _ = look(fabric, note("same", text), note("same", text), note("talk", text, kind=MemoryKind.EXCHANGE))
    assert found == []


def test_the_most_alike_come_first_and_no_more_than_five(fabric: Fabric) -> None:
    text = "one tiny rabbit jumps over seven hedges daily"
    there = [note(f"n{n}", text + " again" * (n > 3) + " tomorrow" * (n > 5)) for n in range(7)]
    found, _ = look(fabric, note("new", text), *there)
    assert SHOWN == 5
    assert found == ["n0", "n1", "n2", "n3", "n4"]


def test_a_text_without_words_is_like_nothing(fabric: Fabric) -> None:
    assert look(fabric, note("new", "…!"), note("old", "…!")) == ([], [])
