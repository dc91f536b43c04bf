"""``eval run`` from end to end, on a suite of one question."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doors.conftest import Call

from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.cli.show.measures import measure_lines

SESSIONS = ("0f8fad5b-d9cb-469f-a165-70867728950e", "7c9e6679-7425-40de-944b-e07fc1f90ae7")


@pytest.fixture
def suite(tmp_path: Path, transcript: Callable[..., Path]) -> list[str | Path]:
    """The words of a call."""
    transcript(f"{SESSIONS[0]}.jsonl", ("Add a retry", "I added a retry with jitter."), session=SESSIONS[0])
    transcript(f"{SESSIONS[1]}.jsonl", ("Rename the cart", "The cart is a basket now."), session=SESSIONS[1])
    data = tmp_path / "data"
    data.mkdir()
    question = {"commit": "c1", "query": "Rename the cart", "gold_sessions": [SESSIONS[1]], "verbatim_in_text": True}
    (data / "queries_dev.json").write_text(json.dumps([question]), encoding="utf-8")
    stamps = {"first_timestamp": "2026-05-01T00:00:00Z", "last_timestamp": "2026-05-02T00:00:00Z"}
    rows = [{"session_id": each, **stamps} for each in SESSIONS]
    (data / "sessions.json").write_text(json.dumps(rows), encoding="utf-8")
    return ["eval", "run", "commits", "--data", data, "--transcripts", tmp_path / "in", "--mode", "text"]


def test_a_suite_is_measured(call: Call, suite: list[str | Path], tmp_path: Path) -> None:
    """Design §7: the keys that are printed."""
    data = call(*suite, "--json").data
    assert {"suite", "mode", "n", "metrics", "by"} <= set(data)
    assert (data["suite"], data["mode"], data["n"]) == ("commits", "text", 1)
    assert data["metrics"]["hit@1"] == 1.0
    shown = call(*suite)
    assert shown.code == 0
    assert shown.out.startswith("commits  mode text  n = 1\n  hit@1 ")
    assert not (tmp_path / "memory").exists()


def test_an_unknown_suite_is_the_users_mistake(call: Call, suite: list[str | Path]) -> None:
    ended = call(*("dreams" if word == "commits" else word for word in suite))
    assert ended.code == 2
    assert "suite 'dreams' is not known" in ended.err


def test_measures_are_shown_with_their_parts_and_the_rest() -> None:
    found = {
        "suite": "s",
        "mode": "auto",
        "n": 1200,
        "metrics": {"hit@10": 0.5},
        "by": {"part": {"n": 3, "mrr": 1.0}},
        "milliseconds": {"p50": 1.5},
        "memories": 4000,
    }
    assert list(measure_lines(found, Paint())) == [
        "s  mode auto  n = 1,200",
        "  hit@10  0.5000",
        "",
        "part",
        "  n    3",
        "  mrr  1.0000",
        "",
        "milliseconds p50 1.5  memories 4,000",
    ]
