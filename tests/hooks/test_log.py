"""The log tells when each hook last fired, and does not grow for ever (C-093)."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_fabric.doors.hooks import log
from memory_fabric.doors.hooks.log import Fired, calls, fired_now, last_fired, write

AT = datetime(2026, 5, 1, 10, 0, 0, 123_000, tzinfo=UTC)


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    fired = Fired("Stop", AT, 41.5, "failed", "OSError: the disk is full", 3)
    write(tmp_path, fired)
    assert list(calls(tmp_path)) == [fired]


def test_the_last_call_of_each_event_is_told(tmp_path: Path) -> None:
    for number, event in enumerate(["Stop", "SessionStart", "Stop"]):
        write(tmp_path, Fired(event, AT, float(number), "silent"))
    assert {event: call.milliseconds for event, call in last_fired(tmp_path).items()} == {"SessionStart": 1, "Stop": 2}


def test_where_no_hook_ever_fired_nothing_is_told(tmp_path: Path) -> None:
    assert last_fired(tmp_path) == {}
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("line", ["", "{", "null", "[]", '{"event": "Stop"}', '{"at": 5, "event": 1, "ms": "x"}'])
def test_lines_that_are_none_of_ours_are_passed_over(tmp_path: Path, line: str) -> None:
    write(tmp_path, fired_now("Stop", 0.1, "marked"))
    with (tmp_path / "hooks" / "log.jsonl").open("a") as file:
        file.write(line + "\n")
    write(tmp_path, fired_now("SessionEnd", 0.1, "marked"))
    assert [call.event for call in calls(tmp_path)] == ["Stop", "SessionEnd"]


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_nobody_else_reads_it(tmp_path: Path) -> None:
    """C-117, whatever the umask."""
    before = os.umask(0)
    try:
        write(tmp_path / "home", fired_now("Stop", 0.1, "marked"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "home" / "hooks" / "log.jsonl").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "home" / "hooks").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700


def test_it_stays_small_and_forgets_no_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log, "MOST_BYTES", 2_000)
    write(tmp_path, Fired("PreCompact", AT, 1.0, "marked"))
    for number in range(200):
        write(tmp_path, Fired("Stop", AT, float(number), "marked"))
    sizes = [path.stat().st_size for path in (tmp_path / "hooks").glob("log*.jsonl")]
    assert len(sizes) == 2
    assert max(sizes) <= 2_200
    assert last_fired(tmp_path)["PreCompact"].milliseconds == 1.0
    assert last_fired(tmp_path)["Stop"].milliseconds == 199.0


def test_a_reason_is_one_short_line(tmp_path: Path) -> None:
    write(tmp_path, fired_now("Stop", 0.1, "failed", "a\nb " + "c" * 1_000))
    (call,) = calls(tmp_path)
    assert call.reason.startswith("a b ccc")
    assert len(call.reason) == log.MOST_REASON
