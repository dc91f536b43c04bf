"""Issue 4: in Japanese and in Chinese, full text finds what it finds in English, within five points."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_fabric.evals.run import Means, Suite, run
from memory_fabric.model.query import Mode
from memory_fabric.settings import Settings

FIVE_POINTS = 0.05


@pytest.fixture(scope="module")
def recall(tmp_path_factory: pytest.TempPathFactory) -> dict[str, float]:
    """Language → recall@5 over its 64 questions, by full text alone."""
    settings = Settings(home=tmp_path_factory.mktemp("languages"), embedder="none")
    found: dict[str, Any] = run(Suite("languages", Path(__file__).parent), Mode.TEXT, Means(settings))
    assert found["n"] == 192
    return {code: by["recall@5"] for code, by in found["by"].items()}


@pytest.mark.parametrize("code", ["ja", "zh"])
def test_recall_is_within_five_points_of_english(recall: dict[str, float], code: str) -> None:
    assert recall[code] >= recall["en"] - FIVE_POINTS


def test_the_set_tells_good_from_bad(recall: dict[str, float]) -> None:
    """Its questions are worded differently: neither everything nor nothing is found."""
    assert 0.7 < recall["en"] < 0.95
