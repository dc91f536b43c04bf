"""F-EVAL-5: what was tuned on is never scored."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.conftest import QUERIES, MakeData

from memory_fabric.errors import UsageError
from memory_fabric.evals.half import Half
from memory_fabric.evals.run import Means, Suite, run
from memory_fabric.model.query import Mode
from memory_fabric.settings import Settings


@given(st.text())
def test_a_question_is_in_one_half_by_the_last_digit_of_its_id_hashed(question: str) -> None:
    digit = hashlib.sha256(question.encode("utf-8")).hexdigest()[-1]
    assert Half.of(question) is (Half.TUNE if digit in "02468ace" else Half.CHECK)


def test_the_halves_of_a_suite_are_its_questions_once_over_the_same_store(
    make_data: MakeData, transcripts: Path, tmp_path: Path
) -> None:
    settings = Settings(home=tmp_path, embedder="none")
    data = make_data([*QUERIES, {**QUERIES[2], "commit": "c5"}])
    whole: Any = run(Suite("commits", data, transcripts), Mode.TEXT, Means(settings))
    halves: list[Any] = [
        run(Suite("commits", data, transcripts, half=half), Mode.TEXT, Means(settings)) for half in Half
    ]
    assert [each["half"] for each in halves] == ["tune", "check"]
    assert whole["half"] is None
    asked = [{row["id"]: row["ranking"] for row in each["questions"]} for each in halves]
    assert not asked[0].keys() & asked[1].keys()
    assert asked[0] | asked[1] == {row["id"]: row["ranking"] for row in whole["questions"]}
    assert {each["memories"] for each in halves} == {whole["memories"]}
    assert all(Half.of(id_) is half for half, ids in zip(Half, asked, strict=True) for id_ in ids)


def test_a_half_without_a_question_is_said_to_have_none(make_data: MakeData, transcripts: Path, tmp_path: Path) -> None:
    suite = Suite("commits", make_data(), transcripts, half=Half.CHECK)
    with pytest.raises(UsageError, match="suite 'commits' has no question in this part"):
        run(suite, Mode.TEXT, Means(Settings(home=tmp_path, embedder="none")))
