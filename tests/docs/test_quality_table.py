"""Issue 4, point 5: the README's table of quality is made from ``benchmarks/results/quality.json``, to the letter.

``MF_REGENERATE=1 pytest tests/docs`` writes it anew, as ``scripts/bench-quality`` does.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests.benchmarks.scripts import script

REGENERATE = bool(os.environ.get("MF_REGENERATE"))
"""Read on import: each test runs without the variables of the product."""


@pytest.fixture(scope="module")
def making(request: pytest.FixtureRequest) -> Any:
    return script(request.config.rootpath, "quality_table")


@pytest.fixture
def results(root: Path) -> Path:
    return root / "benchmarks" / "results" / "quality.json"


def test_the_readme_says_what_was_measured(making: Any, root: Path, results: Path) -> None:
    page = root / "README.md"
    if REGENERATE:
        making.renew(page, results)
    _, found, _ = making.parts(page.read_text(encoding="utf-8"))
    assert found == making.load(results)


def test_another_figure_would_be_another_table(making: Any, results: Path) -> None:
    content = json.loads(results.read_text(encoding="utf-8"))
    before = making.table(content, [])
    suite, row = next((content["suites"][row.suite], row) for row in making.ROWS if row.suite in content["suites"])
    suite["parts"][row.part]["modes"]["auto"][row.measures[0]][0] -= 0.01
    assert making.table(content, []) != before


def test_only_questions_that_were_not_tuned_on_are_shown(making: Any, results: Path) -> None:
    suites = json.loads(results.read_text(encoding="utf-8"))["suites"]
    shown = {row.suite for row in making.ROWS} & suites.keys()
    assert shown
    assert {suites[name]["half"] for name in shown} == {"check"}


def test_every_row_has_as_many_cells_as_its_head(making: Any, results: Path) -> None:
    width = 0
    for line in making.load(results).splitlines():
        cells = len(re.findall(r"(?<!\\)\|", line))
        if set(line) <= set("|-"):
            width = cells
        elif line.startswith("| ") and width and cells:
            assert cells == width or line.startswith(("| |", "| set", "| suite", "| data")), line


def test_a_page_without_its_marks_is_refused(making: Any) -> None:
    with pytest.raises(ValueError, match="lost"):
        making.parts("# Nothing here\n")
