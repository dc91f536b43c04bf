"""``forget`` from end to end (F-PRIV-7)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.doors.conftest import Call
from tests.doors.terminal import sit

terminal = pytest.mark.skipif(os.name == "nt", reason="terminals are of POSIX")


@pytest.fixture
def read(call: Call, transcript: Any) -> Path:
    """A memory of one transcript; the word walrus stands in two of its three exchanges."""
    file = transcript(
        "s-1.jsonl",
        ("What is the codename?", "It is Walrus"),
        ("Clean up", "Cleaned up"),
        ("Who knows WALRUS?", "Nobody but us, 100%"),
    )
    assert isinstance(file, Path)
    call("ingest", file)
    return file


def left(call: Call) -> int:
    return int(call("status", "--json").data["memories"])


def test_a_text_is_shown_and_nothing_goes_without_a_yes(call: Call, read: Path) -> None:
    shown = call("forget", "--text", "walrus", "--all", "--dry-run")
    assert shown.code == 0
    assert shown.out.startswith("Would forget 2 memories\n  m_")
    assert "2026-05-03  USER: Who knows WALRUS?" in shown.out
    refused = call("forget", "--text", "walrus", "--all")
    assert refused.code == 2
    assert "2 memories would be forgotten for good" in refused.err
    assert "--yes" in refused.err
    assert call("forget", "--text", "walrus", "--all", "--json").data["error"]["code"] == "usage"
    assert left(call) == 3


def test_what_goes_stays_away_through_a_re_ingest(call: Call, read: Path) -> None:
    gone = call("forget", "--text", "walrus", "--all", "--yes")
    assert gone.code == 0
    assert gone.out.startswith("Forgot 2 memories\n")
    assert left(call) == 1
    call("ingest", read)
    read.rename(read.with_name("s-9.jsonl"))
    call("ingest", read.with_name("s-9.jsonl"))
    assert left(call) == 1
    assert call("search", "walrus", "--all").code == 1
    assert "alrus" not in call("export").out


def test_data_for_programs(call: Call, read: Path) -> None:
    data = call("forget", "--text", "100%", "--all", "--yes", "--json").data
    assert (data["forgotten"], data["dry_run"], data["unknown"]) == (1, False, [])
    (memory,) = data["memories"]
    assert set(memory) == {"id", "preview", "timestamp", "kind", "project", "origin"}
    assert memory["preview"] == "USER: Who knows WALRUS?"


def test_ids_are_taken_as_search_prints_them(call: Call, read: Path) -> None:
    result = call("search", "codename", "--all", "--json").data["results"][0]
    assert ":" in result["id"]
    assert call("forget", result["id"], "--yes").code == 0
    assert left(call) == 2


def test_what_is_unknown_is_named_and_is_nothing_alone(call: Call, read: Path) -> None:
    result = call("search", "codename", "--all", "--json").data["results"][0]
    some = call("forget", "m_nowhere", result["id"], "--yes")
    assert some.code == 0
    assert "note: nothing is remembered as m_nowhere" in some.err
    none = call("forget", "m_nowhere", "--yes")
    assert none.code == 1
    assert "Nothing was found to forget." in none.err
    assert call("forget", "--session", "nowhere", "--yes", "--json").data["unknown"] == ["nowhere"]
    assert call("forget", "--text", "unheard of", "--all", "--yes").code == 1


def test_a_session_goes_as_a_whole(call: Call, read: Path) -> None:
    assert call("forget", "--session", "s-1", "--yes").out.startswith("Forgot 3 memories")
    assert left(call) == 0


def test_a_text_goes_in_this_project_unless_all_are_meant(call: Call, read: Path) -> None:
    """C-148."""
    call("remember", "A walrus of all", "--global")
    data = call("forget", "--text", "walrus", "--project", "shop", "--dry-run", "--json").data
    assert len(data["memories"]) == 3
    assert call("forget", "--text", "walrus", "--project", "nowhere", "--yes").code == 2


@pytest.mark.parametrize(
    "words",
    [[], ["--text", " "], ["m_1", "--text", "x"], ["m_1", "--session", "s"], ["m_1", "--all"], ["--project", "shop"]],
)
def test_what_cannot_be_meant_is_a_mistake(call: Call, read: Path, words: list[str]) -> None:
    assert call("forget", "--yes", *words).code == 2
    assert left(call) == 3


def test_without_a_memory_there_is_nothing_to_forget(call: Call, tmp_path: Path) -> None:
    assert call("forget", "m_1", "--yes").code == 1
    assert not (tmp_path / "memory").exists()


@terminal
@pytest.mark.parametrize(("answer", "code", "kept"), [("y", 0, 1), ("n", 1, 3), ("", 1, 3)])
def test_a_person_sees_what_would_go_and_is_asked(call: Call, read: Path, answer: str, code: int, kept: int) -> None:
    sat = sit({"Forget this for good?": answer}, "forget", "--text", "walrus", "--all")
    assert sat.code == code
    assert sat.screen.startswith("Would forget 2 memories\n  m_")
    assert left(call) == kept
