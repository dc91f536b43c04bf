"""``eval run`` from end to end, on a suite of one question."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.doors.conftest import Call

from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.cli.show.measures import measure_lines
from memory_fabric.evals.measures import HEADLINE

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


def test_all_modes_are_shown_side_by_side(call: Call, suite: list[str | Path]) -> None:
    words = [*suite[:-2], "--all-modes", "--split", "dev"]
    data = call(*words, "--json").data
    assert list(data["modes"]) == ["bm25", "text", "graph", "hybrid", "auto"]
    assert data["not_run"] == {"vector": "embedding is switched off"}
    shown = call(*words)
    assert shown.code == 0
    lines = shown.out.splitlines()
    assert lines[0] == "commits  n = 1"
    assert lines[1].split() == [*HEADLINE, "ms", "p50"]
    assert [line.split()[0] for line in lines[2:7]] == ["bm25", "text", "graph", "hybrid", "auto"]
    assert "split dev" in shown.out
    assert "vector embedding is switched off" in shown.out


def test_one_mode_and_all_modes_exclude_each_other(call: Call, suite: list[str | Path]) -> None:
    ended = call(*suite, "--all-modes")
    assert ended.code == 2
    assert "--all-modes" in ended.err


def test_a_store_that_is_kept_is_there_for_the_next_run(call: Call, suite: list[str | Path], tmp_path: Path) -> None:
    first = call(*suite, "--keep", tmp_path / "kept", "--json").data
    assert (tmp_path / "kept" / "memory.db").exists()
    assert call(*suite, "--keep", tmp_path / "kept", "--json").data["metrics"] == first["metrics"]


@pytest.fixture
def results(call: Call, suite: list[str | Path], tmp_path: Path) -> Path:
    """A result file with all modes."""
    path = tmp_path / "all.json"
    path.write_text(call(*suite[:-2], "--all-modes", "--json").out, encoding="utf-8")
    return path


def test_two_results_are_compared(call: Call, results: Path) -> None:
    words = ("eval", "compare", f"{results}#bm25", f"{results}#text", "--measure", "mrr", "--measure", "hit@1")
    data = call(*words, "--json").data
    assert (data["suite"], data["n"], list(data["measures"])) == ("commits", 1, ["mrr", "hit@1"])
    assert data["measures"]["mrr"]["p"] == 1.0
    assert (data["a"]["mode"], data["b"]["mode"]) == ("bm25", "text")
    shown = call(*words)
    assert shown.code == 0
    assert shown.out.splitlines()[:3] == [
        f"A  {results}#bm25",
        f"B  {results}#text",
        "commits  n = 1  95 % intervals over questions",
    ]
    row = "  all      1  1.000 [1.000, 1.000]   1.000 [1.000, 1.000]   +0.000 [+0.000, +0.000]  1.0000  0/1/0"
    assert shown.out.splitlines().count(row) == 2


def test_results_over_other_questions_are_not_compared(call: Call, results: Path, tmp_path: Path) -> None:
    changed = json.loads(results.read_text(encoding="utf-8"))["modes"]["text"]
    changed["questions"][0]["id"] = "c9"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(changed), encoding="utf-8")
    ended = call("eval", "compare", results, other)
    assert ended.code == 2
    assert "only in" in ended.err
    assert "c9" in ended.err
    assert call("eval", "compare", results, tmp_path / "nowhere.json").code == 2


def test_a_report_is_written(call: Call, results: Path, tmp_path: Path) -> None:
    ended = call("eval", "report", results, "--out", tmp_path / "report", "--json")
    assert ended.data == {"files": [str(tmp_path / "report" / name) for name in ("report.md", "report.html")]}
    assert "commits" in (tmp_path / "report" / "report.md").read_text(encoding="utf-8")
    assert call("eval", "report", results, "--out", tmp_path / "report").out.splitlines() == ended.data["files"]


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
        "outages": {},
        "model": None,
        "split": "",
        "questions": [1, 2, 3],
        "seed": 20261130,
    }
    assert list(measure_lines(found, Paint())) == [
        "s  mode auto  n = 1,200",
        "  hit@10  0.5000",
        "",
        "part",
        "  n    3",
        "  mrr  1.0000",
        "",
        "milliseconds p50 1.5  memories 4,000  seed 20261130",
    ]
