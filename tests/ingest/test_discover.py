"""Where transcripts lie and which files may be some (formats.md §0 rule 11)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_fabric.errors import UsageError
from memory_fabric.ingest.discover import (
    COMPRESSED_TWIN,
    NOT_A_TRANSCRIPT,
    OLDER_TWIN,
    Place,
    Skipped,
    discover,
    usual_places,
)


def make(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("{}\n")


def walk(root: Path, *arguments: Path) -> tuple[list[str], dict[str, str]]:
    skipped: list[Skipped] = []
    found = list(discover(arguments or (root,), skipped))
    shown = [path.relative_to(root).as_posix() for path in found]
    return shown, {skip.path.relative_to(root).as_posix(): skip.reason for skip in skipped}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path.resolve()


def test_the_usual_places_lie_below_home(root: Path) -> None:
    """formats.md §1.1, §3.1, §4."""
    (root / ".codex" / "sessions").mkdir(parents=True)
    assert usual_places({}, root) == (
        Place("claude_code", root / ".claude" / "projects", False),
        Place("codex", root / ".codex" / "sessions", True),
        Place("codex", root / ".codex" / "archived_sessions", False),
        Place("gemini_cli", root / ".gemini" / "tmp", False),
    )


def test_the_environment_moves_them(root: Path) -> None:
    """formats.md §1.1, §3.1; an empty variable is none."""
    moved = usual_places({"CLAUDE_CONFIG_DIR": str(root / "c"), "CODEX_HOME": str(root / "x")}, root / "home")
    assert [place.root for place in moved][:3] == [
        root / "c" / "projects",
        root / "x" / "sessions",
        root / "x" / "archived_sessions",
    ]
    assert usual_places({"CLAUDE_CONFIG_DIR": "", "CODEX_HOME": ""}, root) == usual_places({}, root)


def test_candidates_come_by_path_and_others_are_left(root: Path) -> None:
    make(root, "b/2.jsonl", "a.json", "b/1.jsonl.zst", "c/x.txt", "b/0/z.jsonl", "notes.md")
    assert walk(root) == (["a.json", "b/0/z.jsonl", "b/1.jsonl.zst", "b/2.jsonl"], {})


def test_a_file_given_by_name_is_always_yielded_and_once(root: Path) -> None:
    make(root, "x/session.log", "x/logs.json")
    named = root / "x" / "session.log"
    assert walk(root, named, root / "x" / ".." / "x" / "session.log") == (["x/session.log"], {})
    assert walk(root, named, root)[0] == ["x/session.log", "x/logs.json"]


def test_a_missing_argument_is_the_users_mistake(root: Path) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        list(discover([root / "nowhere"], []))


def test_links_are_never_followed_and_each_is_named(root: Path) -> None:
    """C-034: out of the root, inside it, into a loop, to nothing."""
    make(root, "in/a.jsonl", "out/b.jsonl")
    (root / "in" / "out").symlink_to(root / "out")
    (root / "in" / "loop").symlink_to(root / "in")
    (root / "in" / "same.jsonl").symlink_to(root / "in" / "a.jsonl")
    (root / "in" / "dead.jsonl").symlink_to(root / "nothing")
    (root / "in" / "self").symlink_to(root / "in" / "self")
    assert walk(root, root / "in") == (
        ["in/a.jsonl"],
        {
            "in/dead.jsonl": "link that leads nowhere",
            "in/loop": "link inside the folder",
            "in/out": "link out of the folder",
            "in/same.jsonl": "link inside the folder",
            "in/self": "link that leads nowhere",
        },
    )


def test_a_linked_argument_is_its_target(root: Path) -> None:
    """C-034: one session reached by two paths is one file."""
    make(root, "app/a.jsonl")
    (root / "link").symlink_to(root / "app")
    assert walk(root, root / "link", root / "app") == (["app/a.jsonl"], {})


def test_an_unreadable_folder_does_not_end_the_walk(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """C-040: named, counted, and the others go on (also for root, whom permissions do not stop)."""
    make(root, "a/1.jsonl", "b/2.jsonl", "c/3.jsonl")
    scan = os.scandir

    def refuse(path: Path) -> object:
        if Path(path).name == "b":
            raise PermissionError(13, "Permission denied")
        return scan(path)

    monkeypatch.setattr(os, "scandir", refuse)
    assert walk(root) == (["a/1.jsonl", "c/3.jsonl"], {"b": "cannot be read: Permission denied"})


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not stop root")
def test_a_folder_without_permission_is_named(root: Path) -> None:
    """C-040."""
    make(root, "a/1.jsonl", "b/2.jsonl")
    (root / "b").chmod(0)
    try:
        assert walk(root)[0] == ["a/1.jsonl"]
    finally:
        (root / "b").chmod(0o700)


def test_the_layout_of_claude_code_is_known(root: Path) -> None:
    """formats.md §1.1."""
    session = "projects/-w-app/11111111-1111-4111-8111-111111111111"
    make(
        root,
        f"{session}.jsonl",
        f"{session}/subagents/agent-1.jsonl",
        f"{session}/subagents/agent-1.meta.json",
        f"{session}/subagents/workflows/r/journal.jsonl",
        f"{session}/subagents/workflows/r/agent-2.jsonl",
        f"{session}/subagents/workflows/r.json",
        f"{session}/tool-results/t.json",
        "history.jsonl",
        "todos/t.json",
        "file-history/f.json",
        "settings.json",
        "projects/-w-app/sessions-index.json",
    )
    found, skipped = walk(root)
    assert found == [
        f"{session}/subagents/agent-1.jsonl",
        f"{session}/subagents/workflows/r/agent-2.jsonl",
        f"{session}.jsonl",
    ]
    assert set(skipped.values()) == {NOT_A_TRANSCRIPT}
    assert {"history.jsonl", "todos", "file-history", f"{session}/tool-results"} <= skipped.keys()
    assert len(skipped) == 9


def test_names_are_only_taken_for_a_layout_beside_its_mark(root: Path) -> None:
    """Obvious by documented layout only: elsewhere identification decides."""
    make(root, "history.jsonl", "todos/t.json", "checkpoints/c.json", "logs.json")
    assert walk(root) == (["checkpoints/c.json", "history.jsonl", "logs.json", "todos/t.json"], {})


def test_the_layout_of_codex_is_known(root: Path) -> None:
    """formats.md §3.1, C-025: the plain rollout wins over its twin, which is named."""
    make(
        root,
        "sessions/2026/05/01/rollout-a.jsonl",
        "sessions/2026/05/01/rollout-a.jsonl.zst",
        "sessions/2026/05/01/rollout-b.jsonl.zst",
        "archived_sessions/rollout-c.jsonl",
        "history.jsonl",
        "session_index.jsonl",
    )
    day = "sessions/2026/05/01"
    assert walk(root) == (
        ["archived_sessions/rollout-c.jsonl", f"{day}/rollout-a.jsonl", f"{day}/rollout-b.jsonl.zst"],
        {
            "history.jsonl": NOT_A_TRANSCRIPT,
            "session_index.jsonl": NOT_A_TRANSCRIPT,
            f"{day}/rollout-a.jsonl.zst": COMPRESSED_TWIN,
        },
    )


def test_the_layout_of_gemini_is_known(root: Path) -> None:
    """formats.md §4: a resumed chat is copied to .jsonl, which wins; prompt logs and saved chats are left."""
    make(root, "p/chats/s.json", "p/chats/s.jsonl", "p/chats/t.json", "p/chats/parent/u.jsonl", "p/logs.json")
    make(root, "p/checkpoints/c.json", "q/s.json", "q/s.jsonl")
    assert walk(root) == (
        ["p/chats/parent/u.jsonl", "p/chats/s.jsonl", "p/chats/t.json", "q/s.json", "q/s.jsonl"],
        {"p/chats/s.json": OLDER_TWIN, "p/checkpoints": NOT_A_TRANSCRIPT, "p/logs.json": NOT_A_TRANSCRIPT},
    )
