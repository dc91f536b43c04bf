"""The command that was written is run once, as the client would run it (C-093)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from tests.install.standins import SERVER, script

from memory_fabric.doors.hooks.log import calls
from memory_fabric.doors.install.program import HOOKS, Program, find_program
from memory_fabric.doors.install.trial import EVENT, run_hook, run_server

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are scripts")


@pytest.fixture(scope="module")
def program() -> Program:
    """Ours, as it is installed here."""
    return find_program("", None)


def environment(memory: Path) -> dict[str, str]:
    return {**os.environ, "MEMORY_FABRIC_HOME": str(memory)}


# ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_hook_that_is_written_runs_and_leaves_its_trace(program: Program, tmp_path: Path) -> None:
    """C-093: exit code 0 alone proves nothing, a hook fails open."""
    trial = run_hook(program.hook("SessionStart")["hooks"][0], environment(tmp_path), tmp_path)
    assert (trial.ok, trial.detail) == (True, "ends with exit code 0")
    assert [fired.event for fired in calls(tmp_path)] == [EVENT]
    assert EVENT not in HOOKS, "a trial is never taken for a call of the client"


def test_it_runs_without_a_shell_where_arguments_are_given(program: Program, tmp_path: Path) -> None:
    handler = Program(program.path, platform="win32").hook("Stop")["hooks"][0]
    trial = run_hook(handler, environment(tmp_path), tmp_path)
    assert trial.ok
    assert trial.command == (program.path, "hook", "Stop")


def test_a_named_memory_is_the_one_it_uses(program: Program, tmp_path: Path) -> None:
    named = Program(program.path, str(tmp_path / "it's here"), "linux")
    trial = run_hook(named.hook("Stop")["hooks"][0], environment(tmp_path / "other"), tmp_path / "it's here")
    assert trial.ok
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("handler", "told"),
    [
        ({"command": r"C:\x\memory-fabric.exe hook Stop"}, "exit code 127"),
        ({"command": "/nowhere/memory-fabric hook Stop"}, "exit code 127"),
        ({"command": "/nowhere/memory-fabric", "args": ["hook", "Stop"]}, "cannot be started"),
        ({"command": "exit 2"}, "exit code 2"),
        ({"command": "echo broken >&2; exit 1"}, "exit code 1: broken"),
        ({"command": "echo Welcome"}, "printed what would end up in the conversation: 'Welcome'"),
        ({"command": "echo []"}, "printed what would end up in the conversation"),
        ({"command": "true"}, "left no trace"),
        ({"command": "exec cat /dev/zero >/dev/null", "timeout": 0.2}, "did not end within its 0.2 s"),
    ],
)
def test_a_hook_that_is_dead_is_said_to_be(handler: dict[str, Any], told: str, tmp_path: Path) -> None:
    trial = run_hook({"type": "command", "timeout": 10, **handler}, environment(tmp_path), tmp_path)
    assert not trial.ok
    assert told in trial.detail


def test_a_memory_that_cannot_be_written_is_noticed(program: Program, tmp_path: Path) -> None:
    """The hook still exits 0 (C-087), so nobody else would ever say so."""
    (tmp_path / "memory").write_text("a file where the folder should be", encoding="utf-8")
    memory = tmp_path / "memory"
    trial = run_hook(program.hook("Stop")["hooks"][0], environment(memory), memory)
    assert not trial.ok
    assert "ends with exit code 0, but left no trace" in trial.detail


# ── servers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_server_that_answers_is_named_with_its_tools(tmp_path: Path) -> None:
    trial = run_server([script(tmp_path / "server", SERVER)], os.environ, 20)
    assert (trial.ok, trial.detail) == (True, "stand-in answers with 2 tools")


def test_our_own_server_answers(program: Program, tmp_path: Path) -> None:
    """F-MCP-17: ``memory-fabric mcp``."""
    trial = run_server(program.server, environment(tmp_path))
    assert trial.ok, trial.detail
    assert "answers with" in trial.detail


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("raise SystemExit('no such module')", "no answer, it has ended (no such module)"),
        ("print('Welcome!', flush=True)", "Expecting value"),
        ("import sys; sys.stdin.read()", "no answer within 0.5 s"),
        (
            """
            import sys
            sys.stdin.readline()
            print('{"jsonrpc": "2.0", "id": 1, "error": {"code": -1}}', flush=True)
            """,
            "an error in answer to request 1",
        ),
        (SERVER.replace('[{"name": "a"}, {"name": "b"}]', "[]"), "answers with 0 tools"),
        (SERVER + "\n    import threading; threading.Event().wait()", "did not end when its input was closed"),
    ],
)
def test_a_server_that_does_not_work_is_said_not_to(body: str, told: str, tmp_path: Path) -> None:
    deadline = 0.5 if "0.5" in told else 20
    trial = run_server([script(tmp_path / "server", body)], os.environ, deadline, 0.5 if "did not end" in told else 20)
    assert not trial.ok
    assert told in trial.detail


def test_a_program_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    trial = run_server([str(tmp_path / "memory-fabric"), "mcp"], os.environ)
    assert not trial.ok
    assert "cannot be started" in trial.detail
