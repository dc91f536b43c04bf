"""The report of an ingest as people see it (F-ING-10)."""

from __future__ import annotations

from collections import Counter

import pytest

from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.cli.show.report import PROBLEMS, report_line, report_lines
from memory_fabric.ingest.report import FileReport, IngestReport


def lines(report: IngestReport) -> list[str]:
    return report_lines(report, Paint(), 100)


def full() -> IngestReport:
    report = IngestReport(bytes=301_500, seconds=0.42, embedded=60, pending=2)
    report.files = [
        FileReport("/t/a.jsonl", "read", "codex"),
        FileReport("/t/b.jsonl", "grown", "codex", first_broken_line=7),
        FileReport("/t/c.jsonl", "unchanged", "codex"),
        FileReport("/t/d.json", "refused", reason="d.json: settings of an editor"),
        FileReport("/t/e.jsonl", "failed", "codex", "cannot be read: Permission denied"),
    ]
    report.used = Counter(user=2, assistant=3)
    report.skipped = Counter({"progress": 5, "broken json": 1})
    report.redacted = Counter({"github-token": 2})
    report.dropped = Counter({"weak decision": 4})
    report.places = [("/t/todos", "not a transcript")]
    report.memories = Counter(added=2, updated=1, duplicates=3, forgotten=1, relations=9)
    report.sessions = {"s1", "s2"}
    return report


def test_everything_read_left_out_redacted_and_dropped_is_said() -> None:
    assert lines(full()) == [
        "Read 2 files (301.5 kB) in 0.4 s",
        "  files       1 read, 1 grown, 1 unchanged, 1 no transcript, 1 failed",
        "  passed over not a transcript 1",
        "  lines       11 = 5 used + 6 left out",
        "  used        assistant 3, user 2",
        "  left out    progress 5, broken json 1",
        "  memories    2 added, 1 updated, 3 duplicates, 1 held back because they were forgotten, from 2",
        "              sessions",
        "  relations   9 added",
        "  not taken   weak decision 4",
        "  redacted    2 secrets: github-token 2",
        "  vectors     60 memories embedded, 2 still without",
        "",
        "Problems",
        "  ✗ /t/e.jsonl: cannot be read: Permission denied",
        "  ! /t/b.jsonl:7: a broken line was left out, the rest was read",
        "  ! /t/d.json: settings of an editor",
    ]


def test_nothing_new_is_said_in_so_many_words() -> None:
    report = IngestReport(files=[FileReport("/t/a.jsonl", "unchanged", "codex")])
    assert lines(report) == ["Nothing new in 1 file", "  files       1 unchanged"]


def test_a_dry_run_says_that_nothing_was_written() -> None:
    report = full()
    report.dry_run = True
    assert lines(report)[0] == "Would read 2 files (301.5 kB) in 0.4 s; nothing was written"
    assert not any(line.startswith("  memories") for line in lines(report))


@pytest.mark.parametrize(("problems", "more"), [(PROBLEMS, 0), (PROBLEMS + 1, 1), (PROBLEMS + 5, 5)])
def test_ten_problems_are_listed_and_the_rest_is_counted(problems: int, more: int) -> None:
    report = IngestReport(files=[FileReport(f"/t/{n}.jsonl", "failed", reason="broken") for n in range(problems)])
    shown = lines(report)
    assert sum("broken" in line for line in shown) == PROBLEMS
    assert any(f"and {more} more: --json lists them all" in line for line in shown) is bool(more)


def test_memories_without_vectors_say_how_to_get_them() -> None:
    report = IngestReport(files=[FileReport("/t/a.jsonl", "read")], pending=3)
    assert "  vectors     none yet for 3 memories: `memory-fabric ingest` makes them" in lines(report)


def test_a_round_of_watching_is_one_line() -> None:
    assert report_line(full()) == "2 files: 2 added, 1 updated, 3 duplicates; 1 file failed"
