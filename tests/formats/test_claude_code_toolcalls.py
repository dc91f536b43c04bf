"""Tool calls as structure (F-ING-6, F-EDGE-3, F-EDGE-6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.ingest.formats.toolcalls import arguments_of, commit_subjects, tool_call, tool_calls
from memory_fabric.model.transcript import ToolCall, ToolKind

HEREDOC = """cd /w/app && git add -A && git commit -m "$(cat <<'EOF'
Parse dates with an offset

Longer words here.
EOF
)" && git push"""


@pytest.mark.parametrize(
    ("name", "arguments", "kind", "target", "writes"),
    [
        ("Read", {"file_path": "/w/a.py", "limit": 3}, ToolKind.FILE, "/w/a.py", False),
        ("Edit", {"file_path": "/w/a.py", "old_string": "x"}, ToolKind.FILE, "/w/a.py", True),
        ("Write", {"file_path": "/w/a.py", "content": "x"}, ToolKind.FILE, "/w/a.py", True),
        ("MultiEdit", {"file_path": "/w/a.py"}, ToolKind.FILE, "/w/a.py", True),
        ("NotebookEdit", {"notebook_path": "/w/a.ipynb"}, ToolKind.FILE, "/w/a.ipynb", True),
        ("read_file", {"absolute_path": "/w/b.ts"}, ToolKind.FILE, "/w/b.ts", False),
        ("replace", {"file_path": "/w/b.ts"}, ToolKind.FILE, "/w/b.ts", True),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: src/c.rs\n"}, ToolKind.FILE, "src/c.rs", True),
        ("Bash", {"command": "pytest -q", "description": "tests"}, ToolKind.COMMAND, "pytest -q", False),
        ("shell", {"command": ["bash", "-lc", "make all"]}, ToolKind.COMMAND, "make all", False),
        ("exec_command", {"cmd": "ls"}, ToolKind.COMMAND, "ls", False),
        ("shell", {"command": ["rg", "a b"]}, ToolKind.COMMAND, "rg 'a b'", False),
        ("Grep", {"pattern": "def x", "path": "/w"}, ToolKind.SEARCH, "def x", False),
        ("Glob", {"pattern": "**/*.py"}, ToolKind.SEARCH, "**/*.py", False),
        ("WebSearch", {"query": "sqlite wal"}, ToolKind.SEARCH, "sqlite wal", False),
        ("WebFetch", {"url": "https://a.example/x", "prompt": "p"}, ToolKind.URL, "https://a.example/x", False),
        ("Task", {"subagent_type": "Explore", "description": "find it"}, ToolKind.AGENT, "Explore: find it", False),
        ("Agent", {"description": "find it"}, ToolKind.AGENT, "find it", False),
        ("mcp__github__create_issue", {"title": "t"}, ToolKind.MCP, "github", False),
        ("TodoWrite", {"todos": [{"content": "long"}]}, ToolKind.OTHER, "", False),
        ("Skill", {"skill": "release"}, ToolKind.OTHER, "release", False),
        ("Bash", {"command": 7}, ToolKind.COMMAND, "", False),
    ],
)
def test_a_call_names_what_it_touches(
    name: str, arguments: dict[str, object], kind: ToolKind, target: str, writes: bool
) -> None:
    assert tool_call(name, arguments, 4) == ToolCall(kind, name, target, 4, writes=writes)


@pytest.mark.parametrize(("size", "kept"), [(1_999, 1_999), (2_000, 2_000), (2_001, 2_000)])
def test_a_command_is_cut_at_2000_characters(size: int, kept: int) -> None:
    assert len(tool_call("Bash", {"command": "x" * size}).target) == kept


@pytest.mark.parametrize(("size", "kept"), [(199, 199), (200, 200), (201, 200)])
def test_a_query_is_cut_at_200_characters(size: int, kept: int) -> None:
    """F-EDGE-3."""
    assert len(tool_call("WebSearch", {"query": "x" * size}).target) == kept


@pytest.mark.parametrize(
    ("command", "subjects"),
    [
        (HEREDOC, ["Parse dates with an offset"]),
        ('git commit -m "Fix the \\"quoted\\" case"', ['Fix the "quoted" case']),
        ("git commit -am 'One'", ["One"]),
        ("git commit --message=word", ["word"]),
        ("git -C /w/app commit -q -m 'In a folder'", ["In a folder"]),
        ("git -c user.name=x commit -m 'With config'", ["With config"]),
        ("GIT_EDITOR=true git commit -m 'With environment'", ["With environment"]),
        ("git commit -m 'A' && touch x && git commit -m 'B'", ["A", "B"]),
        ("git commit -F - <<'EOF'\nFrom standard input\n\nbody\nEOF", ["From standard input"]),
        ("git commit -m $'First\\nSecond'", ["First"]),
        ("git commit --amend --no-edit", []),
        ('git commit -m "$MESSAGE"', []),
        ("echo git commit -m 'no'", []),
        ("git commit-tree -m 'no'", []),
        ("git log --grep=commit -m 'no'", []),
        ("", []),
    ],
)
def test_commit_subjects_are_read_from_the_command(command: str, subjects: list[str]) -> None:
    """F-EDGE-6."""
    assert commit_subjects(command) == subjects


def test_a_commit_stays_a_command_and_becomes_a_commit_beside_it() -> None:
    """F-EDGE-6."""
    calls = tool_calls("Bash", {"command": HEREDOC}, 9)
    assert [(call.kind, call.line) for call in calls] == [(ToolKind.COMMAND, 9), (ToolKind.COMMIT, 9)]
    assert calls[1].target == "Parse dates with an offset"


@pytest.mark.parametrize(
    ("value", "expected"),
    [({"a": 1}, {"a": 1}), ('{"a": 1}', {"a": 1}), ("not json", {}), ("[1]", {}), (None, {}), (3, {})],
)
def test_input_may_be_an_object_or_json_text_or_absent(value: object, expected: dict[str, object]) -> None:
    """formats.md §1.3: ``input`` may be a JSON string or absent."""
    assert arguments_of(value) == expected


@given(st.text(max_size=300))
def test_no_command_breaks_the_commit_parser(tail: str) -> None:
    assert all(subject.strip() for subject in commit_subjects("git commit -m " + tail))
