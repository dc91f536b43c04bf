"""Hooks are light: nothing heavy is imported on their path (design decision 14)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hooks.conftest import QUESTION, Hooks

HEAVY = frozenset(
    "pydantic numpy mcp starlette onnxruntime tokenizers typer rich httpx msgspec uvicorn anyio rapidfuzz asyncio "
    "logging concurrent.futures memory_fabric.doors.cli memory_fabric.embed memory_fabric.store.sqlite.vectors "
    "memory_fabric.store.sqlite.node_writes memory_fabric.store.sqlite.save memory_fabric.ingest.pipeline".split()
)

PROGRAM = (sys.executable, "-X", "importtime", "-m", "memory_fabric.doors.entry", "hook")


def imported(event: str, **fields: str) -> tuple[str, set[str]]:
    """What one hook printed, and all modules that were imported from the first line to the last."""
    told = json.dumps({"hook_event_name": event, **fields}).encode()
    done = subprocess.run([*PROGRAM, event], check=False, input=told, capture_output=True)
    assert done.returncode == 0
    return done.stdout.decode(), set(re.findall(r"\|\s+([\w.]+)$", done.stderr.decode(), re.MULTILINE))


@pytest.mark.parametrize(
    ("event", "says"), [("SessionStart", True), ("UserPromptSubmit", True), ("Stop", False), ("SessionEnd", False)]
)
def test_nothing_heavy_is_imported(hooks: Hooks, remembering: Path, event: str, says: bool) -> None:
    """F-HOOK-7, decision 14."""
    out, modules = imported(event, session_id="session-now", cwd=str(hooks.project), prompt=QUESTION, source="startup")
    assert bool(out) == says
    assert "memory_fabric.doors.hooks.run" in modules
    assert modules & HEAVY == set()


@pytest.mark.parametrize("event", ["Stop", "SessionEnd", "PostToolUse"])
def test_what_only_captures_does_not_even_load_the_search(hooks: Hooks, remembering: Path, event: str) -> None:
    _, modules = imported(event, session_id="session-now", cwd=str(hooks.project))
    assert modules & {"memory_fabric.app", "memory_fabric.text", "sqlite3"} == set()


def test_a_prompt_that_says_too_little_does_not_load_the_search(hooks: Hooks, remembering: Path) -> None:
    _, modules = imported("UserPromptSubmit", session_id="session-now", cwd=str(hooks.project), prompt="go on")
    assert modules & {"memory_fabric.app", "memory_fabric.text", "sqlite3"} == set()


def test_the_program_goes_to_hooks_without_the_command_line() -> None:
    """The console scripts of the package lead to the light entry."""
    import tomllib

    root = Path(__file__).resolve().parents[2]
    scripts = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert {scripts["memory-fabric"], scripts["mf"]} == {"memory_fabric.doors.entry:main"}
