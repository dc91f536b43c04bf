"""Codex tool calls as structure (formats.md §3.2, F-ING-6)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memory_fabric.ingest.formats import codex_tools
from memory_fabric.model.transcript import ToolKind


def call(name: str, **arguments: Any) -> list[tuple[ToolKind, str, bool]]:
    item = {"type": "function_call", "name": name, "arguments": json.dumps(arguments)}
    return [(made.kind, made.target, made.writes) for made in codex_tools.calls_of(item, 1)]


def test_a_shell_wrapper_gives_the_inner_command() -> None:
    """formats.md §3.2: command arrays wrap a script."""
    assert call("shell", command=["bash", "-lc", "ls -la"]) == [(ToolKind.COMMAND, "ls -la", False)]
    assert call("exec_command", cmd="ls -la") == [(ToolKind.COMMAND, "ls -la", False)]
    assert call("shell", command=["git", "status"]) == [(ToolKind.COMMAND, "git status", False)]


@pytest.mark.parametrize("program", ["apply_patch", "applypatch"])
def test_a_patch_through_a_shell_names_its_files(program: str) -> None:
    """Both spellings are taken by Codex."""
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n@@\n*** Delete File: c d.py\n*** End Patch"
    expected = [(ToolKind.FILE, path, True) for path in ("a.py", "b.py", "c d.py")]
    assert call("shell", command=[program, patch]) == expected
    assert call("shell", command=["bash", "-lc", f"cd x && {program} <<'EOF'\n{patch}\nEOF"]) == expected
    assert call("exec_command", cmd=f"{program} <<'EOF'\n{patch}\nEOF") == expected


def test_a_command_that_only_mentions_a_patch_stays_a_command() -> None:
    assert call("shell", command=["bash", "-lc", "grep '*** Begin Patch' log"])[0][0] is ToolKind.COMMAND


def test_parallel_calls_are_taken_apart() -> None:
    uses = [{"recipient_name": "functions.exec_command", "parameters": {"cmd": c}} for c in ("ls", "pwd")]
    assert [target for _, target, _ in call("multi_tool_use.parallel", tool_uses=[*uses, None])] == ["ls", "pwd"]


def test_polling_is_no_call() -> None:
    assert call("write_stdin", session_id=1, chars="") == []


@pytest.mark.parametrize(
    "arguments", ["", "not json", "[1]", "null", '{"command": 7}', '{"command": [1, null]}', '{"tool_uses": 3}']
)
def test_odd_arguments_break_nothing(arguments: str) -> None:
    """formats.md: never fail a whole file because of one line."""
    for name in ("shell", "apply_patch", "multi_tool_use.parallel", "spawn_agent", ""):
        item = {"type": "function_call", "name": name, "arguments": arguments}
        assert all(made.line == 3 for made in codex_tools.calls_of(item, 3))


@pytest.mark.parametrize(
    ("output", "ok"),
    [
        ('{"output":"x","metadata":{"exit_code":0}}', True),
        ('{"output":"x","metadata":{"exit_code":1}}', False),
        ("Exit code: 0\nWall time: 1 s", True),
        ("Chunk ID: 1\nProcess exited with code 127\nOutput:", False),
        ("Process running with session ID 7", None),
        ({"content": "x", "success": False}, False),
        ({"content": "Exit code: 0", "success": None}, True),
        ([{"type": "input_text", "text": "Exit code: 2"}], False),
        ([], None),
        ("{broken", None),
        (None, None),
        (7, None),
        ("x" * 500 + "Exit code: 1", None),
    ],
)
def test_the_outcome_is_read_from_the_exit_code(output: object, ok: bool | None) -> None:
    """``ok`` is None while unknown; what a command printed is not searched."""
    assert codex_tools.outcome(output) is ok


@pytest.mark.parametrize(
    ("event", "ok"),
    [
        ({"success": True}, True),
        ({"result": {"Ok": {"isError": False}}}, True),
        ({"result": {"Ok": {"isError": True}}}, False),
        ({"result": {"Err": "no"}}, False),
        ({"status": "failed"}, False),
        ({"status": "in_progress"}, None),
        ({}, None),
    ],
)
def test_the_outcome_of_an_event(event: dict[str, Any], ok: bool | None) -> None:
    assert codex_tools.succeeded(event) is ok
