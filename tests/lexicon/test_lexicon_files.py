"""A user's word list: what it adds, and how a broken one is reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_fabric import lexicon
from memory_fabric.errors import ConfigError
from memory_fabric.model.vocabulary import Kind

GOOD = """
agents = ["night-owl"]
navigation = ["zz"]
filler = ["gizmo"]

[technologies.frobdb]
aliases = ["frob-db"]
display = "FrobDB"

[technologies.blip]
cue = "code"

[patterns.left-fold]

[categories]
billing = ["invoice"]
database = ["frobdb"]
"""


def test_a_user_file_extends_every_table(tmp_path: Path) -> None:
    path = tmp_path / "words.toml"
    path.write_text(GOOD)
    words = lexicon.load(path)
    assert [(s.canonical, s.display, s.kind) for s in words.spot("frob db, a blip, `blip`, left fold, night-owl")] == [
        ("frobdb", "FrobDB", Kind.TECHNOLOGY),
        ("blip", "blip", Kind.TECHNOLOGY),
        ("left-fold", "left-fold", Kind.CONCEPT),
        ("night-owl", "night-owl", Kind.PERSON),
    ]
    assert words.is_agent("night-owl")
    assert not lexicon.load().is_agent("night-owl")
    assert "zz" in words.navigation
    assert "gizmo" in words.filler
    assert words.category_of("the invoice") == "billing"
    assert words.category_of("frobdb") == "database"


def test_json_is_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    path.write_text('{"technologies": {"frobdb": {}}}')
    assert [s.canonical for s in lexicon.load(path).spot("frobdb")] == ["frobdb"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("technologies = 3", "'technologies' must be a table"),
        ("[technologies]\nx = 3", "'technologies.x' must be a table"),
        ('[technologies.x]\naliases = "y"', "'technologies.x.aliases' must be a list of texts"),
        ("[technologies.x]\nalias = []", "unknown key 'technologies.x.alias'"),
        ('[technologies.x]\ncue = "odd"', "'technologies.x.cue' must be one of"),
        ("[technologies.x]\ndisplay = 1", "'technologies.x.display' must be a text"),
        ("agents = [1]", "'agents' must be a list of texts"),
        ("colours = []", "unknown key 'colours'"),
        ("categories = []", "'categories' must be a table"),
        ("agents = [", "words.toml"),
    ],
)
def test_a_broken_file_is_named_with_its_reason(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "words.toml"
    path.write_text(content)
    with pytest.raises(ConfigError) as caught:
        lexicon.load(path)
    assert str(path) in caught.value.message
    assert reason in caught.value.message


def test_a_missing_file_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml"):
        lexicon.load(tmp_path / "none.toml")


def test_a_file_that_is_no_text_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "words.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"words\.toml"):
        lexicon.load(path)


def test_the_tables_hold_what_the_vocabulary_lists() -> None:
    words = lexicon.load()
    assert len(words.agents) == 24
    assert words.agents["test-generator"]["keywords"][0] == "testing"
    assert len(words.anti_patterns) == 7
    assert len(words.categories.remember) == 12
    assert len(words.categories.result) == 15
    assert len(words.categories.mem0) == 18
    assert set(words.intents) == {"decision", "pattern", "preference", "problem", "question", "recent"}
    assert "all projects" in words.wider_scope
    assert "pagination" in words.topics
    assert {"user", "ai assistant", "claude"} <= words.actor_words


def test_phrases_of_intents_are_plain_text() -> None:
    """Search compares them as they are: no patterns among them, everything folded (F-PARSE-6, F-PARSE-9)."""
    words = lexicon.load()
    phrases = [phrase for group in words.intents.values() for phrase in group] + list(words.wider_scope)
    assert [phrase for phrase in phrases if phrase != phrase.casefold() or set("()?|*\\[") & set(phrase)] == []


def test_the_acceptance_question_gives_its_hints() -> None:
    """F-PARSE-2: agents and topics of a question."""
    words = lexicon.load()
    question = "What pagination approach did database-engineer recommend?"
    topics = [word for word in question.casefold().split() if word in words.topics]
    assert ([spotted.canonical for spotted in words.spot(question)], topics) == (["database-engineer"], ["pagination"])
    assert "recommend" in words.intents["decision"]
