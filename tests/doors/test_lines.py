"""Lines for people."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.doors.cli.lines import columns, count, one_line, place, plain, rows, short_path, size, tally, wrap
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.model.memory import Origin, SessionId


def test_remembered_escape_sequences_do_not_reach_the_terminal() -> None:
    """A transcript may hold what a program once printed: colours, a new window title, a bell."""
    assert plain("a\x1b[31mred\x1b[0m\x1b]0;title\x07\x07b\x9bc\u202e") == "aredbc"
    assert plain("line\n\ttab") == "line\n\ttab"


def test_lines_are_wrapped_by_columns_with_a_hanging_indent() -> None:
    assert wrap("one two three four", 10, "- ", "  ") == ["- one two", "  three", "  four"]


def test_wide_characters_count_two_columns_and_break_anywhere() -> None:
    assert columns("税ab") == 4
    assert wrap("消費税の端数", 6) == ["消費税", "の端数"]


def test_a_word_longer_than_a_line_is_cut() -> None:
    assert wrap("abcdefghij kl", 4) == ["abcd", "efgh", "ij", "kl"]


def test_an_empty_text_is_one_empty_line() -> None:
    assert wrap("", 10, "> ") == ["> "]


@given(st.text(alphabet="ab 税é", max_size=120), st.integers(8, 30))
def test_no_line_is_too_wide_and_no_letter_is_lost(text: str, width: int) -> None:
    lines = wrap(text, width, "- ", "  ")
    assert all(columns(line) <= width for line in lines)
    assert "".join("".join(line[2:] for line in lines).split()) == "".join(text.split())


@pytest.mark.parametrize(("text", "shown"), [("abcd", "abcd"), ("abcde", "abc…"), ("税税税", "税…")])
def test_one_line_is_never_wider_than_asked(text: str, shown: str) -> None:
    assert one_line(text, 4) == shown


def test_paths_are_short_and_whole(machine: Path) -> None:
    assert short_path(f"{machine}/x.jsonl") == "~/x.jsonl"
    assert short_path(f"{machine}-other/x.jsonl") == f"{machine}-other/x.jsonl"
    assert short_path("/sample/home/y", {"/sample/home": "sample:~"}) == "sample:~/y"


@pytest.mark.parametrize(
    ("file", "first", "last", "shown"),
    [
        ("/t/a.jsonl", 3, 9, "/t/a.jsonl:3-9"),
        ("/t/a.jsonl", 3, 3, "/t/a.jsonl:3"),
        ("/t/a.jsonl", 3, None, "/t/a.jsonl:3"),
        ("/t/a.json", None, None, "/t/a.json"),
        (None, None, None, "note"),
    ],
)
def test_a_place_says_what_is_known(file: str | None, first: int | None, last: int | None, shown: str) -> None:
    assert place(Origin("note", SessionId("s"), file, first, last)) == shown


def test_counts_say_everything() -> None:
    assert tally({"a_b": 2, "c": 30, "zero": 0}) == "c 30, a b 2"
    assert tally({"a": 4, "b": 3, "c": 2, "d": 1}, most=2) == "a 4, b 3, and 2 more kinds (3)"
    assert count(1, "memory", "memories") == "1 memory"
    assert count(1200, "file") == "1,200 files"


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_000_000, "1.0 MB"), (5 * 10**12, "5000.0 GB")],
)
def test_sizes_have_a_unit(number: int, shown: str) -> None:
    assert size(number) == shown


def test_rows_without_text_are_left_out() -> None:
    assert rows([("a", "x"), ("b", ""), ("c", "y")], 80, 4) == ["  a   x", "  c   y"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "on"),
    [
        (Terminal(), {"TERM": "xterm"}, True),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        (Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_emphasis_is_for_terminals_that_want_it(stream: io.StringIO, environment: dict[str, str], on: bool) -> None:
    paint = Paint.of(stream, environment)
    assert paint.on is on
    assert paint.bold("x") == ("\x1b[1mx\x1b[0m" if on else "x")
    assert paint.bold("") == ""
