"""Nothing is put into a session's context twice (F-HOOK-6)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memory_fabric.doors.hooks import shown
from memory_fabric.doors.hooks.lock import held
from memory_fabric.doors.hooks.names import file_name
from memory_fabric.doors.hooks.shown import once, sweep

OLDER = 60.0
"""Seconds by which a list is made older: longer than a start that is told twice."""


def showing(seen: list[frozenset[str]], *keys: str) -> Callable[[frozenset[str]], list[str]]:
    def choose(before: frozenset[str]) -> list[str]:
        seen.append(before)
        return list(keys)

    return choose


def list_of(home: Path, session: str) -> Path:
    return home / "hooks" / "shown" / f"{file_name(session)}.json"


def made_older(path: Path, seconds: float) -> None:
    changed = path.stat().st_mtime - seconds
    os.utime(path, (changed, changed))


def test_what_was_shown_is_known_the_next_time(tmp_path: Path) -> None:
    seen: list[frozenset[str]] = []
    for keys in (("a", "b"), ("c",), ()):
        assert once(tmp_path, "session-1", showing(seen, *keys))
    assert seen == [frozenset(), frozenset("ab"), frozenset("abc")]


def test_sessions_do_not_share_it(tmp_path: Path) -> None:
    seen: list[frozenset[str]] = []
    for session in ("session-1", "session-2", "../../etc/passwd", "", ""):
        once(tmp_path, session, showing(seen, "a"))
    assert seen == [frozenset()] * 5
    assert {path.parent for path in tmp_path.rglob("*.json")} == {tmp_path / "hooks" / "shown"}


@pytest.mark.parametrize(
    ("source", "known"), [("startup", False), ("clear", False), ("compact", False), ("resume", True), ("", True)]
)
def test_a_context_that_was_emptied_begins_again(tmp_path: Path, source: str, known: bool) -> None:
    seen: list[frozenset[str]] = []
    once(tmp_path, "session-1", showing(seen, "a"))
    made_older(list_of(tmp_path, "session-1"), OLDER)
    once(tmp_path, "session-1", showing(seen, "a"), source)
    assert seen[1] == (frozenset("a") if known else frozenset())


def test_a_start_that_is_told_twice_shows_once(tmp_path: Path) -> None:
    """formats.md §2.1: SessionStart fired twice; and hooks that are installed twice."""
    seen: list[frozenset[str]] = []
    for _ in range(2):
        once(tmp_path, "session-1", showing(seen, "a"), "startup")
    assert seen == [frozenset(), frozenset("a")]


def test_hooks_of_one_moment_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "PATIENCE", 0.0)
    seen: list[frozenset[str]] = []
    with held(list_of(tmp_path, "session-1").with_suffix(".lock")) as mine:
        assert mine
        assert not once(tmp_path, "session-1", showing(seen, "a"))
    assert seen == []
    assert once(tmp_path, "session-1", showing(seen, "a"))


@pytest.mark.parametrize("text", ["", "{", "null", '{"a": 1}', "[1, 2]"])
def test_a_damaged_list_counts_as_none(tmp_path: Path, text: str) -> None:
    path = list_of(tmp_path, "session-1")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    seen: list[frozenset[str]] = []
    once(tmp_path, "session-1", showing(seen, "a"))
    assert seen == [frozenset()]


@pytest.mark.parametrize(("days", "kept"), [(shown.KEPT_DAYS - 1, True), (shown.KEPT_DAYS + 1, False)])
def test_lists_of_sessions_long_ago_go(tmp_path: Path, days: int, kept: bool) -> None:
    once(tmp_path, "session-1", showing([], "a"))
    made_older(list_of(tmp_path, "session-1"), days * 86_400)
    sweep(tmp_path)
    assert list_of(tmp_path, "session-1").exists() is kept


def test_a_list_does_not_grow_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shown, "MOST_KEYS", 3)
    seen: list[frozenset[str]] = []
    for key in "abcde":
        once(tmp_path, "session-1", showing(seen, key))
    assert seen[-1] == frozenset("bcd")
