"""A tiny invented suite: three sessions, one of them in two files, and the commits they made."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.formats.claude_records import call
from tests.ingest.world import exchange, lines, uid

A = "aaaaaaaa-0000-4000-8000-000000000000"
B = "bbbbbbbb-0000-4000-8000-000000000000"
C = "cccccccc-0000-4000-8000-000000000000"
FIRST, SECOND = f"2026-03-01-{A}", f"2026-03-02-{A}"

QUERIES: list[dict[str, Any]] = [
    {
        "commit": "c1",
        "date": "2026-03-01",
        "query": "Parse dates with the strict reader",
        "gold_sessions": [FIRST, SECOND],
    },
    {"commit": "c2", "query": "Throttle the upload queue", "gold_sessions": [B], "verbatim_in_text": True},
    {"commit": "c3", "query": "Draw the legend below the chart", "gold_sessions": [C], "verbatim_in_text": False},
]
SESSIONS: list[dict[str, Any]] = [
    {
        "session_id": FIRST,
        "file": "a",
        "first_timestamp": "2026-03-01T09:00:00Z",
        "last_timestamp": "2026-03-01T09:01:00Z",
    },
    {
        "session_id": SECOND,
        "file": "b",
        "first_timestamp": "2026-03-01T09:00:00Z",
        "last_timestamp": "2026-03-02T09:00:00Z",
    },
    {"session_id": B, "file": "c", "first_timestamp": "2026-03-01T09:00:00Z", "last_timestamp": "2026-03-01T10:00:00Z"},
    {"session_id": C, "file": "d", "first_timestamp": None, "last_timestamp": None},
]

MakeData = Callable[..., Path]


@pytest.fixture
def make_data(tmp_path: Path) -> MakeData:
    """Writes a suite's folder; any part can be left out, packed or replaced."""

    def make(queries: Any = QUERIES, sessions: Any = SESSIONS, *, packed: bool = False) -> Path:
        folder = tmp_path / "suite"
        folder.mkdir(exist_ok=True)
        if queries is not None:
            content = queries if isinstance(queries, str) else json.dumps(queries)
            (folder / "queries_test.json").write_text(content, encoding="utf-8")
        if sessions is not None:
            content = sessions if isinstance(sessions, str) else json.dumps(sessions)
            if packed:
                (folder / "sessions.json.gz").write_bytes(gzip.compress(content.encode()))
            else:
                (folder / "sessions.json").write_text(content, encoding="utf-8")
        return folder

    return make


@pytest.fixture
def transcripts(tmp_path: Path) -> Path:
    """The sessions; the later file of the first one repeats what the earlier one holds."""
    folder = tmp_path / "transcripts"
    folder.mkdir()
    dates = exchange(
        0, "Dates with two digits for the year are wrong", "Use the strict reader to parse them", sessionId=A
    )
    more = exchange(
        1, "And leap seconds", "The strict reader refuses them", sessionId=A, timestamp="2026-03-02T08:00:00Z"
    )
    commit = {"command": "git commit -m 'Throttle the upload queue'"}
    files = {
        FIRST: dates,
        SECOND: [*dates, *more],
        B: [
            *exchange(3, "Throttle the upload queue", "Uploads wait their turn now", sessionId=B),
            call(uid(90), "t1", "Bash", commit, uid(7), second=96, sessionId=B),
        ],
        C: exchange(5, "The chart hides its legend", "Drew the legend below it", sessionId=C),
    }
    for name, records in files.items():
        (folder / f"{name}.jsonl").write_bytes(lines(records))
    return folder
