"""Which project a memory belongs to, through the whole pipeline (design decision 10)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from tests.ingest.world import S1, S2, World, exchanges

from memory_fabric.model.memory import ProjectId, SessionId
from memory_fabric.model.query import Scope

THIRD = "33333333-3333-4333-8333-333333333333"


def repository(root: Path) -> str:
    """A checkout: all that makes it one is its ``.git``."""
    (root / ".git").mkdir(parents=True)
    return str(root)


def projects(world: World) -> dict[str, str | None]:
    """Prompt → root of its project."""
    roots = {project.id: project.root for project in world.store.projects()}
    return {
        memory.text.partition("\n")[0].removeprefix("USER: "): roots[memory.project] if memory.project else None
        for memory in world.memories()
    }


def test_two_folders_of_one_name_are_two_projects(world: World, tmp_path: Path) -> None:
    """C-147: ``a/app`` and ``b/app``; a name is only a label."""
    first, second = repository(tmp_path / "a" / "app"), repository(tmp_path / "b" / "app")
    world.write("a.jsonl", exchanges(1, cwd=first))
    world.write("b.jsonl", exchanges(1, first=1, cwd=second, sessionId=S2))
    world.ingest()
    assert projects(world) == {"Ask word0": first, "Ask word1": second}
    assert [project.name for project in world.store.projects()] == ["app", "app"]
    ids = [project.id for project in world.store.projects()]
    assert [len(world.store.recent(Scope((id_,)), 9)) for id_ in ids] == [1, 1]


def test_names_with_hyphens_and_folders_are_not_mixed_up(world: World) -> None:
    """C-033: the harness's directory name is never decoded; the records' cwd decides."""
    world.write("-w-my-app/a.jsonl", exchanges(1, cwd="/w/my-app"))
    world.write("-w-my-app/b.jsonl", exchanges(1, first=1, cwd="/w/my/app", sessionId=S2))
    world.ingest()
    assert projects(world) == {"Ask word0": "/w/my-app", "Ask word1": "/w/my/app"}


def test_a_link_to_a_project_is_the_project(world: World, tmp_path: Path) -> None:
    """C-034: one session from each cwd, one project."""
    root = repository(tmp_path / "app")
    (tmp_path / "link").symlink_to(root)
    world.write("a.jsonl", exchanges(1, cwd=root))
    world.write("b.jsonl", exchanges(1, first=1, cwd=str(tmp_path / "link"), sessionId=S2))
    world.ingest()
    assert set(projects(world).values()) == {root}
    assert len(world.store.projects()) == 1


def test_a_subfolder_and_a_worktree_are_no_phantom_projects(world: World, tmp_path: Path) -> None:
    """C-150: both lead to the repository root."""
    root = repository(tmp_path / "app")
    (tmp_path / "app" / "frontend").mkdir()
    store = tmp_path / "app" / ".git" / "worktrees" / "app-x"
    store.mkdir(parents=True)
    (store / "commondir").write_text("../..\n")
    (tmp_path / "app-x").mkdir()
    (tmp_path / "app-x" / ".git").write_text(f"gitdir: {store}\n")
    world.write("a.jsonl", exchanges(1, cwd=f"{root}/frontend"))
    world.write("b.jsonl", exchanges(1, first=1, cwd=str(tmp_path / "app-x"), sessionId=S2))
    world.ingest()
    assert projects(world) == {"Ask word0": root, "Ask word1": root}
    assert len(world.store.projects()) == 1


def test_a_session_that_moves_into_a_subfolder_stays_in_its_project(world: World) -> None:
    """C-150: also where the directories are not on this machine."""
    world.write("a.jsonl", [*exchanges(1, cwd="/w/app"), *exchanges(1, first=1, cwd="/w/app/frontend")])
    world.ingest()
    assert projects(world) == {"Ask word0": "/w/app", "Ask word1": "/w/app"}


def test_a_sub_agent_in_a_temporary_folder_inherits_its_parents_project(world: World, tmp_path: Path) -> None:
    """C-149: whichever session it is read after, its rows are not filed under the temporary folder."""
    root = repository(tmp_path / "app")
    elsewhere = os.path.join(tempfile.gettempdir(), "agent-work")  # noqa: PTH118 - as a record holds it
    world.write(f"{S1}.jsonl", exchanges(1, cwd=root))
    side = {"isSidechain": True, "agentId": "c0ffee", "cwd": elsewhere}
    world.write(f"{S1}/subagents/agent-c0ffee.jsonl", exchanges(1, first=1, **side))
    world.ingest()
    assert projects(world) == {"Ask word0": root, "Ask word1": root}
    agent = SessionId(f"{S1}/agent-c0ffee")
    session = world.store.sessions([agent])[agent]
    assert (session.project, session.parent) == (world.memories()[0].project, S1)


def test_a_sub_agent_read_before_its_parent_finds_its_project_in_the_same_run(world: World, tmp_path: Path) -> None:
    """C-149: files are read by path, and a folder may come before the transcript beside it."""
    root = repository(tmp_path / "app")
    elsewhere = os.path.join(tempfile.gettempdir(), "agent-work")  # noqa: PTH118
    side = {"isSidechain": True, "agentId": "c0ffee", "cwd": elsewhere}
    agent = world.write(f"{S1}/subagents/agent-c0ffee.jsonl", exchanges(1, first=1, **side))
    trunk = world.write(f"{S1}.jsonl", exchanges(1, cwd=root))
    world.ingest(agent, trunk)
    assert projects(world)["Ask word1"] == root


def test_a_temporary_folder_without_a_parent_is_no_project(world: World) -> None:
    """C-149."""
    elsewhere = os.path.join(tempfile.gettempdir(), "x")  # noqa: PTH118
    world.write("a.jsonl", exchanges(1, cwd=elsewhere))
    world.ingest()
    assert projects(world) == {"Ask word0": None}
    assert world.store.projects() == []
    assert len(world.store.recent(Scope(), 9)) == 1


def test_a_session_keeps_its_project_when_one_exchange_strays_into_a_temporary_folder(world: World) -> None:
    """C-149: the exchange's own directory decides; where that is no project, the session's."""
    strayed = os.path.join(tempfile.gettempdir(), "x")  # noqa: PTH118
    world.write("a.jsonl", [*exchanges(1, cwd="/w/app"), *exchanges(1, first=1, cwd=strayed)])
    world.ingest()
    assert set(projects(world).values()) == {"/w/app"}


def test_an_exchange_in_another_project_belongs_there(world: World) -> None:
    world.write("a.jsonl", [*exchanges(1, cwd="/w/app"), *exchanges(1, first=1, cwd="/w/other")])
    world.ingest()
    assert projects(world) == {"Ask word0": "/w/app", "Ask word1": "/w/other"}
    session = world.store.sessions([SessionId(S1)])[SessionId(S1)]
    assert session.project == world.memories()[0].project


def test_a_project_is_found_again_in_another_run(world: World) -> None:
    """Decision 10: an id lasts; a growing file asks the store."""
    world.write("a.jsonl", exchanges(1))
    world.ingest()
    known = world.store.projects()
    world.append("a.jsonl", exchanges(1, first=1))
    world.ingest()
    assert world.store.projects() == known
    assert {memory.project for memory in world.memories()} == {ProjectId(known[0].id)}
