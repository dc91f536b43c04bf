"""The suite ``memsim``: one trajectory a store, its messages the items."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.evals.data import counted, held

from memory_fabric.errors import UsageError
from memory_fabric.evals.suites.memsim import read
from memory_fabric.model.record import Conversation

ROW: dict[str, Any] = {
    "file": "05_post_processing_roles",
    "tid": 7,
    "message_list": [
        {"mid": 0, "message": "邻居养了一只猫。", "time": "2024年04月01日 周一 08:37", "place": "海边"},
        {"mid": 1, "message": "猫只吃鱼。", "time": "某天", "place": "海边"},
    ],
    "question_list": [{"qid": 0, "question": "邻居的猫吃什么？", "answer": "鱼", "target_step_id": [0, 1]}],
}


def written(path: Path, *rows: dict[str, Any]) -> Path:
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (path / "trajectories_dev.jsonl").write_text(lines, encoding="utf-8")
    return path


def test_a_trajectory_is_a_corpus_and_a_message_an_item(tmp_path: Path) -> None:
    (corpus,) = read(written(tmp_path, ROW)).corpora
    (chat,) = corpus.records
    assert isinstance(chat, Conversation)
    assert [turn.text for turn in chat.turns] == ["邻居养了一只猫。", "猫只吃鱼。"]
    assert [turn.at for turn in chat.turns] == [datetime(2024, 4, 1, 8, 37, tzinfo=UTC), None]
    assert held(corpus, tmp_path) == {"0", "1"}
    (question,) = corpus.questions
    assert question.id == "05_post_processing_roles/7/0"
    assert question.gold == {"0", "1"}


def test_kind_and_subject_are_reported(tmp_path: Path) -> None:
    assert counted(read(written(tmp_path, ROW))) == {"post_processing": 1, "roles": 1, "all": 1}


def test_a_question_without_usable_gold_is_left_out_and_counted(tmp_path: Path) -> None:
    lost = {**ROW, "tid": 8, "question_list": [{**ROW["question_list"][0], "target_step_id": [9]}]}
    assert read(written(tmp_path, ROW, lost)).left_out == {"no usable evidence": 1}


@pytest.mark.parametrize("change", [{"file": "roles"}, {"message_list": None}, {"question_list": [{}]}])
def test_another_shape_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="trajectories_dev"):
        read(written(tmp_path, {**ROW, **change}))


def test_a_trajectory_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="twice"):
        read(written(tmp_path, ROW, ROW))
