"""Conversations and documents that a program hands in."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_fabric import Fabric, Settings
from memory_fabric.errors import UsageError
from memory_fabric.model.query import Mode, Scope
from memory_fabric.model.record import Conversation, Document, Said

AT = datetime(2026, 3, 5, 9, tzinfo=UTC)
KEY = "sk-ant-api03-" + "A" * 40


@pytest.fixture
def fabric(tmp_path: Path) -> Iterator[Fabric]:
    with Fabric.open(Settings(home=tmp_path / "home", embedder="none")) as opened:
        yield opened


CHAT = Conversation(
    "c1",
    (
        Said("user", "which database do we take?", at=AT),
        Said("assistant", "PostgreSQL, since it runs already"),
        Said("Rosa", "I painted the fence green"),
        Said("user", "  "),
    ),
    title="a chat",
    at=AT,
)


def texts(fabric: Fabric) -> list[str]:
    return [memory.text for memory in fabric.store.of_session(fabric.store.recent(Scope(), 1)[0].origin.session)]


def test_a_turn_is_a_memory_with_its_speaker_told_apart(fabric: Fabric) -> None:
    report = fabric.add([CHAT])
    assert texts(fabric) == [
        "USER: which database do we take?",
        "ASSISTANT: PostgreSQL, since it runs already",
        "Rosa: I painted the fence green",
    ]
    assert (report.used, report.skipped) == ({"turn": 3}, {"empty turn": 1})
    assert {memory.at for memory in fabric.store.recent(Scope(), 9)} == {AT}
    assert fabric.store.sessions([fabric.store.recent(Scope(), 1)[0].origin.session])


def test_who_spoke_is_kept_with_every_part_of_a_turn(tmp_path: Path) -> None:
    with Fabric.open(Settings(home=tmp_path / "home", embedder="none", chunk_characters=200)) as fabric:
        fabric.add([Conversation("c1", (Said("Assistant", "word " * 100), Said("Rosa", "green " * 80)), at=AT)])
        found = fabric.store.recent(Scope(), 99)
    assert {(memory.metadata["speaker"], memory.text.split()[0]) for memory in found} == {
        ("Assistant", "ASSISTANT:"),
        ("Rosa", "Rosa:"),
    }
    assert len(found) > 4


def test_a_document_is_found_by_its_title_and_its_text(fabric: Fabric) -> None:
    fabric.add([Document("d1", "It lies on the Elbe.", "Dresden"), Document("d2", "", "")])
    for question in ("Dresden", "Elbe"):
        (found,) = fabric.search(question, mode=Mode.TEXT).results
        assert found.candidate.memory.text == "Dresden\nIt lies on the Elbe."
        assert found.candidate.memory.origin.record == "d1"


def test_handing_the_same_in_again_changes_nothing_and_a_grown_one_is_taken_up(fabric: Fabric) -> None:
    fabric.add([CHAT, Document("d1", "text")])
    again = fabric.add([CHAT, Document("d1", "text")])
    assert again.memories["added"] == again.memories["updated"] == 0
    grown = Conversation("c1", (*CHAT.turns, Said("Rosa", "and the gate")), at=AT)
    assert fabric.add([grown]).memories["added"] == 1


def test_two_turns_of_one_id_are_refused(fabric: Fabric) -> None:
    with pytest.raises(UsageError, match="c1: two turns have the id x"):
        fabric.add([Conversation("c1", (Said("a", "b", "x"), Said("a", "c", "x")))])


def test_the_same_turn_id_in_two_conversations_is_two_memories(fabric: Fabric) -> None:
    fabric.add([Conversation(name, (Said("a", "walrus", "D1:1"),)) for name in ("c1", "c2")])
    assert fabric.store.count() == 2


def test_a_long_turn_is_kept_in_parts(tmp_path: Path) -> None:
    with Fabric.open(Settings(home=tmp_path / "home", embedder="none", chunk_characters=200)) as fabric:
        fabric.add([Conversation("c1", (Said("user", "word " * 100, "t1"),))])
        found = fabric.store.recent(Scope(), 9)
        assert len(found) > 1
        assert {memory.origin.record for memory in found} == {"t1"}


def test_no_secret_is_stored(fabric: Fabric) -> None:
    """C-110: one more write path."""
    report = fabric.add([Conversation("c", (Said("a", f"it is {KEY}"),), title=KEY), Document("d", KEY, KEY)])
    assert report.redacted == {"anthropic-key": 4}
    fabric.close()
    for file in (Path(fabric.settings.home)).iterdir():
        assert b"AAAAAAAA" not in file.read_bytes()


def test_they_belong_to_a_project_where_one_is_named(fabric: Fabric, tmp_path: Path) -> None:
    (tmp_path / "shop" / ".git").mkdir(parents=True)
    fabric.add([CHAT], project=str(tmp_path / "shop"))
    (project,) = fabric.store.projects()
    assert {memory.project for memory in fabric.store.recent(Scope(), 9)} == {project.id}


WORD = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30).filter(str.strip)


@given(st.lists(st.tuples(WORD, WORD), min_size=1, max_size=8))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_turn_is_kept_once_in_its_order(fabric: Fabric, turns: list[tuple[str, str]]) -> None:
    name = uuid4().hex
    fabric.add([Conversation(name, tuple(Said(speaker, text) for speaker, text in turns))])
    (session,) = [id_ for id_ in {m.origin.session for m in fabric.store.recent(Scope(), 999)} if id_.endswith(name)]
    assert [m.origin.record for m in fabric.store.of_session(session)] == [str(n) for n in range(1, len(turns) + 1)]
