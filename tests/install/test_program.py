"""The command that is written."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.doors.hooks.event import EVENTS
from memory_fabric.doors.install.program import HOOKS, NAMES, Program, find_program, is_ours, words_of
from memory_fabric.errors import ConfigError

BASH = shutil.which("bash") or "bash"
SHELL = [BASH, "-c"]


def as_bash_reads(command: str) -> list[str]:
    """The words that bash makes of a command."""
    script = 'for word in "$@"; do printf "%s\\n" "$word"; done'
    done = subprocess.run([*SHELL, f"set -- {command}; {script}"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_bash_eats_the_backslashes_of_a_windows_path() -> None:
    """C-093: this is what kept hooks silently dead for 46 days."""
    assert as_bash_reads(r"C:\x\memory-fabric.exe hook Stop") == ["C:xmemory-fabric.exe", "hook", "Stop"]


def test_on_windows_a_hook_is_written_in_exec_form_with_forward_slashes() -> None:
    """C-093: no shell is asked, and none would find a backslash."""
    handler = Program(r"C:\Program Files\x\memory-fabric.exe", r"D:\my data", "win32").hook("Stop")["hooks"][0]
    assert handler["command"] == "C:/Program Files/x/memory-fabric.exe"
    assert handler["args"] == ["hook", "Stop", "--home", "D:/my data"]
    assert words_of(handler) == [handler["command"], *handler["args"]]


def test_a_windows_path_under_bash_arrives_as_it_is() -> None:
    """C-093: a command with ``C:\\x\\y.exe`` under ``bash -c``."""
    handler = Program(r"C:\x y\memory-fabric.exe", platform="linux").hook("Stop")["hooks"][0]
    assert "\\" not in handler["command"]
    assert as_bash_reads(handler["command"]) == ["C:/x y/memory-fabric.exe", "hook", "Stop"]


@pytest.mark.parametrize("path", ["/opt/it's/memory-fabric", "/a $HOME `b`/mf", "/a;b&c/mf", "/日本/mf", '/"q"/mf'])
def test_every_path_arrives_whole_in_the_shell(path: str) -> None:
    handler = Program(path, "/data $x", "linux").hook("SessionEnd")["hooks"][0]
    wanted = [path, "hook", "SessionEnd", "--home", "/data $x"]
    assert as_bash_reads(handler["command"]) == wanted
    assert words_of(handler) == wanted


def test_what_is_installed_is_what_the_hooks_answer() -> None:
    assert set(HOOKS) == set(EVENTS)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_the_program_that_runs_is_the_one_that_is_written_links_included(name: str, tmp_path: Path) -> None:
    """The link of pipx or uv stays when an update moves what it points to."""
    target = tmp_path / "venv" / "memory-fabric"
    target.parent.mkdir()
    target.write_text("#!/bin/sh\n", encoding="utf-8")
    link = tmp_path / name
    link.symlink_to(target)
    assert find_program(str(link), None).path == str(link)


def test_started_otherwise_it_is_the_one_beside_this_python() -> None:
    program = find_program("/usr/lib/python3/pytest/__main__.py", "/data")
    assert Path(program.path).is_absolute()
    assert Path(program.path).name in NAMES
    assert program.home == "/data"


def test_where_there_is_none_the_remedy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="memory-fabric is not found") as raised:
        find_program("-c", None)
    assert "uv tool install" in raised.value.hint


@pytest.mark.parametrize(
    ("path", "passing"),
    [
        ("/home/u/.cache/uv/archive-v0/Xy12/bin/memory-fabric", True),
        ("/data/uv/archive-v0/Xy12/bin/memory-fabric", True),
        ("/home/u/.local/pipx/.cache/1a2b/bin/memory-fabric", True),
        ("/home/u/.local/bin/memory-fabric", False),
        ("/home/u/cache/bin/memory-fabric", False),
    ],
)
def test_a_program_in_a_cache_will_not_stay(path: str, passing: bool) -> None:
    assert Program(path, platform="linux").is_passing is passing


@pytest.mark.parametrize(
    ("entry", "command", "ours"),
    [
        ({"command": "/x/memory-fabric", "args": ["mcp"]}, "mcp", True),
        ({"command": "C:\\x\\MF.EXE", "args": ["mcp", "--tools", "core"]}, "mcp", True),
        ({"command": ["/x/mf", "mcp"]}, "mcp", True),
        ({"type": "command", "command": "'/x y/memory-fabric' hook Stop"}, "hook", True),
        ({"type": "command", "command": r"C:\x\memory-fabric.exe hook Stop"}, "hook", True),
        ({"type": "command", "command": r'"C:\x y\mf.exe" hook Stop'}, "hook", True),
        ({"command": "/x/memory-fabric", "args": ["hook"]}, "mcp", False),
        ({"command": "/x/memory-fabric-old", "args": ["mcp"]}, "mcp", False),
        ({"command": "npx", "args": ["memory-fabric", "mcp"]}, "mcp", False),
        ({"type": "command", "command": "echo memory-fabric hook"}, "hook", False),
        ({"type": "command", "command": "it's broken"}, "hook", False),
        ({"url": "http://localhost"}, "mcp", False),
        ({"command": 7}, "mcp", False),
        ("text", "mcp", False),
        (None, "mcp", False),
    ],
)
def test_ours_is_known_by_the_program_and_its_command(entry: Any, command: str, ours: bool) -> None:
    assert is_ours(words_of(entry), command) is ours
