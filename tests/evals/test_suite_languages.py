"""The suite ``languages``: one store a language, the same items and questions in each."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.evals.data import counted, held

from memory_fabric.errors import UsageError
from memory_fabric.evals.suites.languages import read
from memory_fabric.model.record import Conversation, Document

SET: dict[str, Any] = {
    "languages": ["en", "ja"],
    "conversations": [
        {
            "id": "cat",
            "at": "2026-03-02",
            "turns": [
                {"id": "cat-1", "speaker": "user", "en": "What may the cat eat?", "ja": "猫は何を食べてもいい？"},
                {"id": "cat-2", "speaker": "assistant", "en": "Only the diet.", "ja": "療法食だけです。"},
            ],
        }
    ],
    "documents": [
        {"id": "router", "title": {"en": "Router", "ja": "ルーター"}, "text": {"en": "Hall.", "ja": "玄関。"}}
    ],
    "questions": [{"id": "q1", "gold": ["router"], "en": "Where is it?", "ja": "どこにある？"}],
}
OURS = Path(__file__).parents[1] / "quality" / "languages"


def written(path: Path, **changes: Any) -> Path:
    (path / "parallel.json").write_text(json.dumps({**SET, **changes}), encoding="utf-8")
    return path


def test_each_language_is_a_corpus_of_the_same_items(tmp_path: Path) -> None:
    english, japanese = read(written(tmp_path)).corpora
    assert (english.name, japanese.name) == ("en", "ja")
    chat, page = japanese.records
    assert isinstance(chat, Conversation)
    assert [(turn.id, turn.speaker, turn.text) for turn in chat.turns] == [
        ("cat-1", "user", "猫は何を食べてもいい？"),
        ("cat-2", "assistant", "療法食だけです。"),
    ]
    assert chat.at == datetime(2026, 3, 2, tzinfo=UTC)
    assert page == Document("router", "玄関。", "ルーター")
    assert held(english, tmp_path / "en") == held(japanese, tmp_path / "ja") == {"cat-1", "cat-2", "router"}


def test_a_question_is_reported_under_its_language(tmp_path: Path) -> None:
    data = read(written(tmp_path))
    assert counted(data) == {"en": 1, "ja": 1, "all": 2}
    assert [question.id for corpus in data.corpora for question in corpus.questions] == ["en/q1", "ja/q1"]
    assert data.corpora[1].questions[0].gold == {"router"}


def test_the_set_that_lies_here_is_whole() -> None:
    data = read(OURS)
    assert counted(data) == {"en": 64, "ja": 64, "zh": 64, "all": 192}
    first, *others = data.corpora
    for other in others:
        assert [question.gold for question in other.questions] == [question.gold for question in first.questions]


@pytest.mark.parametrize(
    ("key", "change"),
    [
        ("gold", lambda given: given["questions"][0].update(gold=[])),
        ("elsewhere", lambda given: given["questions"][0].update(gold=["elsewhere"])),
        ("ja", lambda given: given["questions"][0].pop("ja")),
        ("title", lambda given: given["documents"][0].pop("title")),
        ("twice", lambda given: given["documents"].append(given["documents"][0])),
        ("twice", lambda given: given["questions"].append(given["questions"][0])),
        ("languages", lambda given: given.pop("languages")),
    ],
)
def test_what_is_not_of_the_shape_is_named(tmp_path: Path, key: str, change: Any) -> None:
    given = copy.deepcopy(SET)
    change(given)
    (tmp_path / "parallel.json").write_text(json.dumps(given), encoding="utf-8")
    with pytest.raises(UsageError, match=rf"parallel\.json.*{key}"):
        read(tmp_path)


def test_a_folder_without_the_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"parallel\.json"):
        read(tmp_path)
