"""Suites that ask no store: their figures as rows, in a terminal and in a report."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.evals.outcomes import content, outcome, run_of, write

from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.cli.show.measures import measure_lines
from memory_fabric.errors import UsageError
from memory_fabric.evals.report import write as report
from memory_fabric.evals.results import read_results
from memory_fabric.evals.scored import scored

PAIRS = {"n": 1000, "positive": 40, "folded": 10, "correct": 9, "precision": 0.9, "recall": 0.225, "f1": 0.36}
SETS: dict[str, Any] = {
    "pairs": {**PAIRS, "curve": {"0.4": PAIRS}},
    "names": {
        "n": 7,
        "mapping": {"Language": "technology"},
        "entities": {
            "gold": 5,
            "given": 2,
            "exact": {"correct": 1, "found": 1, "precision": 0.5, "recall": 0.2, "f1": 0.2857},
            "exact_by_type": {"Language": {"gold": 5, "found": 1}},
        },
        "relations": {"gold": 3, "given": 0, "correct": 0, "precision": None, "recall": 0.0, "f1": 0.0},
    },
}
FOUND: dict[str, Any] = {
    "suite": "extraction",
    "mode": "auto",
    "n": 1007,
    "metrics": {},
    "by": SETS,
    "left_out": {"names": "no equal kind"},
    "version": "9.9",
}


def test_every_part_with_a_precision_is_a_row_and_takes_its_sets_counts() -> None:
    assert [each.cells() for each in scored(SETS)] == [
        ("pairs", "", "1,000", "40", "10", "9", "0.900", "0.225", "0.360"),
        ("names", "entities exact", "7", "5", "2", "1", "0.500", "0.200", "0.286"),
        ("names", "relations", "7", "3", "0", "0", "–", "0.000", "0.000"),
    ]


def test_a_terminal_shows_them_and_what_is_left_out() -> None:
    lines = list(measure_lines(FOUND, Paint()))
    assert lines[0] == "extraction  n = 1,007"
    assert lines[1].split() == ["set", "part", "n", "right", "given", "correct", "precision", "recall", "F1"]
    assert len({len(line) for line in lines[1:5]}) == 1
    assert lines[5:] == ["left out of names: no equal kind", "", "version 9.9"]


def test_a_report_shows_them_beside_suites_that_ask(tmp_path: Path) -> None:
    paths = [write(tmp_path / "talks.json", run_of("auto", [outcome("q1", 1)])), write(tmp_path / "sets.json", FOUND)]
    runs, sets = read_results(paths)
    assert ([run.suite for run in runs], [each.suite for each in sets]) == (["talks"], ["extraction"])
    report(runs, tmp_path / "out", sets)
    for name in ("report.md", "report.html"):
        text = (tmp_path / "out" / name).read_text(encoding="utf-8")
        for told in ("extraction", "0.286", "no equal kind", "9.9", "talks"):
            assert told in text


@pytest.mark.parametrize("wrong", ["[]", "{", json.dumps({"suite": "extraction", "by": {"a": 1}})])
def test_a_file_of_neither_kind_is_refused_by_name(tmp_path: Path, wrong: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(wrong, encoding="utf-8")
    with pytest.raises(UsageError, match=r"wrong\.json"):
        read_results([path])


def test_a_file_given_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "sets.json", FOUND)
    with pytest.raises(UsageError, match="twice"):
        read_results([path, path])


def test_a_report_says_what_was_left_out_and_what_did_not_run(tmp_path: Path) -> None:
    run = run_of("auto", [outcome("q1", 1)], left_out={"abstention": 4}, half="check")
    whole = {**content(run), "not_run": {"vector": "embedding is switched off"}, "modes": {"auto": content(run)}}
    runs, sets = read_results([write(tmp_path / "all.json", whole)])
    report(runs, tmp_path, sets)
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    for told in ("abstention 4", "Half asked: check", "Not run: vector embedding is switched off"):
        assert told in text
