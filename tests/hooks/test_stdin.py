"""Standard input may be empty, closed, or never end (formats.md §2.1)."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator

import pytest

from memory_fabric.doors.hooks.event import parse
from memory_fabric.doors.hooks.stdin import CHUNK, read_stdin

SOON = 0.05


def whole(told: bytes) -> bool:
    return bool(parse(told))


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:
            continue


def test_everything_until_the_end_is_read(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    os.write(writing, b'{"a"')
    os.write(writing, b": 1}\n")
    os.close(writing)
    assert read_stdin(whole, reading) == b'{"a": 1}\n'


def test_an_object_that_is_whole_is_enough_of_a_pipe_that_nobody_closes(pipe: tuple[int, int]) -> None:
    """C-089, C-095: without waiting for the time to be up."""
    reading, writing = pipe
    os.write(writing, b'{"a": {"b": 1}}\n')
    begun = time.monotonic()
    assert read_stdin(whole, reading, seconds=60) == b'{"a": {"b": 1}}\n'
    assert time.monotonic() - begun < 30


def test_what_came_so_far_is_given_when_the_time_is_up(pipe: tuple[int, int]) -> None:
    """C-089: the never-closing pipe."""
    reading, writing = pipe
    os.write(writing, b'{"a": {}')
    assert read_stdin(whole, reading, seconds=SOON) == b'{"a": {}'


def test_silence_is_nothing(pipe: tuple[int, int]) -> None:
    assert read_stdin(whole, pipe[0], seconds=SOON) == b""


def test_a_closed_input_is_nothing(pipe: tuple[int, int]) -> None:
    reading, _ = pipe
    os.close(reading)
    assert read_stdin(whole, reading, seconds=SOON) == b""


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="no pseudo terminals here")
def test_a_terminal_is_not_read() -> None:
    leader, follower = os.openpty()
    try:
        os.write(leader, b'{"a": 1}\n')
        assert read_stdin(whole, follower, seconds=SOON) == b""
    finally:
        os.close(leader)
        os.close(follower)


def test_more_than_anybody_types_is_read_and_thrown_away(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer sees no broken pipe."""
    monkeypatch.setattr("memory_fabric.doors.hooks.stdin.MOST_BYTES", 2 * CHUNK)
    reading, writing = pipe
    written: list[int] = []

    def write() -> None:
        written.extend(os.write(writing, b"x" * CHUNK) for _ in range(5))
        os.close(writing)

    writer = threading.Thread(target=write)
    writer.start()
    assert read_stdin(whole, reading, seconds=60) == b""
    writer.join()
    assert sum(written) == 5 * CHUNK
