"""Input is read leniently: whatever is unreadable counts as not told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_fabric.doors.hooks.event import EVENTS, event_named, parse, read_event


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b" \n",
        b"{",
        b"null",
        b"[]",
        b"7",
        b'"text"',
        b"x" * 5_000_000,
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"\xff\xfe{",
    ],
)
def test_what_is_no_object_tells_nothing(told: bytes) -> None:
    """C-089."""
    assert parse(told) == {}
    event = read_event(told, "Stop", {})
    assert (event.name, event.session, event.prompt) == ("Stop", "", "")


def test_fields_of_another_type_count_as_not_told() -> None:
    """C-089."""
    told = {"hook_event_name": 5, "session_id": ["a"], "prompt": {"text": "x"}, "cwd": None, "source": True}
    event = read_event(json.dumps(told).encode(), "SessionStart", {"CLAUDE_PROJECT_DIR": "/w"})
    assert (event.name, event.session, event.prompt, event.cwd, event.source) == ("SessionStart", "", "", "/w", "")


def test_control_characters_in_strings_are_taken_as_they_are() -> None:
    """C-092."""
    assert parse(b'{"prompt":"a\nb\tc\x01"}') == {"prompt": "a\nb\tc\x01"}


@pytest.mark.parametrize(
    ("told", "path"),
    [
        (rb'{"cwd":"C:\Users\new\table","prompt":"hello"}', r"C:\Users\new\table"),
        (rb'{"cwd":"C:\\Users\\new","prompt":"hello"}', r"C:\Users\new"),
        (rb'{"cwd":"D:\work\unit","prompt":"hello"}', r"D:\work\unit"),
    ],
)
def test_windows_paths_with_single_backslashes_are_read(told: bytes, path: str) -> None:
    """formats.md §2.1: raw ``\\U`` in paths."""
    event = read_event(told, "UserPromptSubmit", {})
    assert (event.cwd, event.prompt) == (path, "hello")


def test_escapes_stay_what_they_are_where_others_are_mended() -> None:
    assert parse(rb'{"prompt":"a\nb \"c\" \u00e4 \q","cwd":"C:\Users"}') == {
        "prompt": 'a\nb "c" ä \\q',
        "cwd": "C:\\Users",
    }


def test_lone_surrogates_and_nul_do_not_pass() -> None:
    event = read_event(b'{"prompt":"a\\ud83d b\\u0000c"}', "UserPromptSubmit", {})
    event.prompt.encode("utf-8")
    assert event.prompt.startswith("a")
    assert "\0" not in event.prompt


def test_a_byte_order_mark_is_passed_over() -> None:
    assert parse(b'\xef\xbb\xbf{"a":1}') == {"a": 1}


def test_nothing_told_leaves_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """C-091."""
    environment = {"CLAUDE_CODE_SESSION_ID": "s-9", "CLAUDE_PROJECT_DIR": "/w/shop"}
    event = read_event(b"", "SessionStart", environment)
    assert (event.session, event.cwd) == ("s-9", "/w/shop")
    monkeypatch.chdir(tmp_path)
    assert read_event(b"", "SessionStart", {}).cwd == str(tmp_path)


def test_a_current_folder_that_is_gone_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert read_event(b"", "Stop", {}).cwd in {"", str(gone)}


def test_the_event_that_was_told_goes_before_the_one_in_the_command() -> None:
    """A hook entered under the wrong event still answers with the event's own name (formats.md §2.2)."""
    told = b'{"hook_event_name":"UserPromptSubmit"}'
    assert read_event(told, "SessionStart", {}).name == "UserPromptSubmit"


@pytest.mark.parametrize("name", EVENTS)
def test_events_have_the_spellings_of_a_command_line(name: str) -> None:
    dashed = "".join(f"-{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("-")
    assert event_named(dashed) == event_named(name.lower()) == event_named(name) == name


def test_another_event_keeps_its_name() -> None:
    assert event_named("PostToolUse") == "PostToolUse"
