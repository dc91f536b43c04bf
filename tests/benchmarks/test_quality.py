"""``scripts/bench-quality``: every suite is run as a user would, and what it gave is kept and shown."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any

import pytest
from tests.benchmarks.scripts import script

from memory_fabric.evals.half import Half
from memory_fabric.evals.run import suites


@pytest.fixture(scope="module")
def quality(request: pytest.FixtureRequest) -> Any:
    script(request.config.rootpath, "quality_table")
    return script(request.config.rootpath, "quality")


@pytest.fixture
def data(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """One set of pages, and an archive of labelled pairs."""
    folder = tmp_path / "data"
    shutil.copytree(request.config.rootpath / "tests" / "quality" / "data" / "documents", folder / "2wiki-hipporag")
    pairs = "\n".join(
        json.dumps({"sentence1": "One tide a day", "sentence2": "One tide a day", "label": 1}) for _ in "ab"
    )
    (folder / "near-dup").mkdir()
    with tarfile.open(folder / "near-dup" / "near-dup-dev.tar.xz", "w:xz") as archive:
        member = tarfile.TarInfo("near-dup/pan_1000.jsonl")
        member.size = len(pairs)
        archive.addfile(member, io.BytesIO(pairs.encode()))
    return folder


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["suites"]
    return found


def test_suites_whose_data_is_there_are_run_and_kept(
    quality: Any, data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out" / "quality.json"
    assert quality.main(["--data", str(data), "--out", str(out), "--no-readme", "--keep", str(tmp_path / "full")]) == 0
    found = read(out)
    assert list(found) == ["2wiki", "neardup"]
    questions = json.loads((data / "2wiki-hipporag" / "questions_handbook.json").read_text(encoding="utf-8"))
    asked = sum(Half.of(row["id"]) is Half.CHECK for row in questions)
    assert found["2wiki"]["n"] == found["2wiki"]["parts"]["all"]["n"] == asked
    assert set(found["2wiki"]["parts"]["all"]["modes"]) == {"bm25", "text", "vector", "graph", "hybrid", "auto"}
    mean, low, high = found["2wiki"]["parts"]["all"]["modes"]["auto"]["recall@5"]
    assert 0.5 < low <= mean <= high <= 1.0
    assert (found["2wiki"]["half"], found["neardup"]["half"]) == ("check", "whole")
    assert found["neardup"]["sets"]["pan"]["folded"] == 2
    assert (tmp_path / "full" / "2wiki.json").exists()
    assert "not run: locomo" in capfd.readouterr().err


def test_a_suite_that_fails_is_named_and_the_others_are_kept(
    quality: Any, data: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (data / "locomo").mkdir()
    out = tmp_path / "quality.json"
    assert quality.main(["--data", str(data), "--suites", "locomo,neardup", "--out", str(out), "--no-readme"]) == 1
    assert list(read(out)) == ["neardup"]
    assert "failed: locomo" in capfd.readouterr().err


def test_a_suite_that_is_not_run_keeps_its_figures(quality: Any, tmp_path: Path) -> None:
    out = tmp_path / "quality.json"
    for name, n in (("beam", 1), ("2wiki", 2), ("beam", 3)):
        quality.put(out, name, {"n": n})
    assert list(read(out).items()) == [("2wiki", {"n": 2}), ("beam", {"n": 3})]


@pytest.mark.parametrize("words", [["--suites", "nonsense"], []], ids=["unknown suite", "no data"])
def test_what_cannot_be_run_is_said(quality: Any, tmp_path: Path, words: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"nonsense|none of the folders"):
        quality.main(["--data", str(tmp_path), *words])


def test_every_suite_has_its_place(quality: Any) -> None:
    """But for those whose data lies in this repository."""
    assert set(quality.SUITES) == set(suites()) - {"languages"}


def test_the_table_shows_suites_and_categories_that_exist(quality: Any) -> None:
    assert {row.suite for row in quality.quality_table.ROWS} <= set(quality.SUITES)
    assert {name for row in quality.quality_table.ROWS for name in row.measures} <= set(quality.MEASURES)
