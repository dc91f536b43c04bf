"""One project's memories never reach another's questions, whichever way they are asked for (C-148)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.ingest.world import S1, S2, exchange, lines

from memory_fabric.app import Fabric
from memory_fabric.errors import MemoryFabricError
from memory_fabric.model.memory import StatementKind
from memory_fabric.model.query import Mode, Scope
from memory_fabric.settings import Settings

WORD = "Xylographer"
"""Stands in one project only."""


@pytest.fixture
def two_projects(tmp_path: Path) -> Iterator[Fabric]:
    folder = tmp_path / "transcripts"
    folder.mkdir()
    ours = exchange(0, "We decided to use Redis for caching", "Redis it is", cwd="/w/ours")
    theirs = exchange(1, f"We decided to use {WORD} with Redis", f"{WORD} it is", cwd="/w/theirs", sessionId=S2)
    for session, records in ((S1, ours), (S2, theirs)):
        (folder / f"{session}.jsonl").write_bytes(lines(records))
    with Fabric.open(Settings(home=tmp_path / "home", embedder="hashed")) as fabric:
        fabric.ingest([folder])
        fabric.embed()
        yield fabric


def scope_of(fabric: Fabric, name: str) -> Scope:
    return fabric.scope(project=name)[0]


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("question", [f"Why {WORD} with Redis?", "Redis", "", "what did we do recently"])
def test_a_search_in_one_project_never_shows_the_others(two_projects: Fabric, mode: Mode, question: str) -> None:
    """C-148: every mode, and the empty question that lists the newest."""
    answer = two_projects.search(question, scope_of(two_projects, "ours"), mode=mode)
    assert WORD not in repr([result.candidate for result in answer.results])
    everywhere = two_projects.search(f"Why {WORD} with Redis?", Scope(), mode=Mode.TEXT)
    assert WORD in everywhere.results[0].candidate.memory.text


def test_what_a_session_begins_with_and_history_stay_in_the_project(two_projects: Fabric) -> None:
    """C-148: the other ways to ask."""
    ours = scope_of(two_projects, "ours")
    assert WORD not in repr(two_projects.load(ours))
    kinds = list(StatementKind)
    assert WORD not in repr(two_projects.history(ours, kinds=kinds))
    assert WORD in repr(two_projects.history(Scope(), kinds=kinds))
    assert WORD not in repr(two_projects.related("Redis", ours))


def test_a_project_is_taken_from_where_one_stands(two_projects: Fabric) -> None:
    """Decision 10: the default scope is the current project."""
    scope, note = two_projects.scope(cwd="/w/ours/src")
    assert note is None
    assert scope == scope_of(two_projects, "ours")


def test_an_unknown_project_is_explained_with_those_there_are(two_projects: Fabric) -> None:
    """C-152: never an empty answer while the store is full."""
    with pytest.raises(MemoryFabricError) as raised:
        two_projects.scope(project="nowhere")
    assert "nowhere" in raised.value.message
    assert "ours" in raised.value.hint


def test_outside_every_project_all_are_searched_and_it_is_said(two_projects: Fabric) -> None:
    """C-152."""
    scope, note = two_projects.scope(cwd="/nowhere/known")
    assert note
    assert two_projects.search("Redis", scope, mode=Mode.TEXT).results
