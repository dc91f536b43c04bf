"""The command that is written into a client's configuration, and how it is known again.

Hooks are written in shell form on POSIX, where every version of Claude Code runs it with ``sh -c``: a version before
2.1.139 drops ``args`` without a word and would run the bare program at every prompt.  On Windows the shell may be Git
Bash, which eats backslashes, or PowerShell, which prints a quoted path instead of starting it; exec form needs neither
(formats.md §2, C-093).  Paths have forward slashes everywhere.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_fabric.errors import ConfigError

NAMES = frozenset({"memory-fabric", "mf", "memory-fabric.exe", "mf.exe"})

_DRIVE = re.compile(r"[\"']?[A-Za-z]:\\")

SERVER = "memory"
"""Name of the server: clients that ask for ``mcp__memory__*`` find us (F-MCP-17)."""

HOOKS: Mapping[str, tuple[str | None, int]] = {
    "SessionStart": ("startup|resume|clear|compact", 10),
    "UserPromptSubmit": (None, 5),
    "PreCompact": (None, 10),
    "Stop": (None, 10),
    "SubagentStop": (None, 10),
    "SessionEnd": (None, 5),
}
"""Event → matcher, and the seconds after which the client gives up.

The hook's own deadline is 2 s at a session's start and 1 s else (C-095); this is the net below it, several times wider
so that a cold disk does not cost the memory of a session.  A user waits for the answer to a prompt and to leave, so
those two have the shortest.
"""


@dataclass(frozen=True, slots=True)
class Program:
    """Our program: its absolute path, the memory's folder if one was named, and ``sys.platform``."""

    path: str
    home: str | None = None
    platform: str = sys.platform

    def __post_init__(self) -> None:
        # Also a path of Windows that is written down on another system (a test's, a shared folder's).
        if self.platform == "win32" or self.path[1:3] == ":\\":
            object.__setattr__(self, "path", self.path.replace("\\", "/"))
            object.__setattr__(self, "home", self.home and self.home.replace("\\", "/"))

    @property
    def is_passing(self) -> bool:
        """Whether it lies in a cache that may be emptied any day, as `uvx` and `pipx run` have it."""
        return any(part in {"archive-v0", "builds-v0", ".cache"} for part in self.path.split("/"))

    @property
    def server(self) -> list[str]:
        """The words that start the MCP server."""
        return [self.path, "mcp"]

    @property
    def environment(self) -> dict[str, str]:
        """What the server needs to be told beyond the client's own environment."""
        return {"MEMORY_FABRIC_HOME": self.home} if self.home else {}

    def hook(self, event: str) -> dict[str, Any]:
        """Claude Code's entry for one event: a group of one handler."""
        matcher, timeout = HOOKS[event]
        words = ["hook", event, *(["--home", self.home] if self.home else [])]
        if self.platform == "win32":
            command: dict[str, Any] = {"command": self.path, "args": words}
        else:
            command = {"command": shlex.join([self.path, *words])}
        group = {"hooks": [{"type": "command", **command, "timeout": timeout}]}
        return group if matcher is None else {"matcher": matcher, **group}


def find_program(argument: str, home: str | None) -> Program:
    """The program as it was started (``sys.argv[0]``), else the one beside this Python, else the one on the path.

    Links are kept: the link in ``~/.local/bin`` stays when what it points to moves with an update.

    Raises:
        ConfigError: there is none.
    """
    beside = Path(sys.executable).parent
    started = Path(argument).absolute() if Path(argument).name.lower() in NAMES and Path(argument).is_file() else None
    found = started or shutil.which("memory-fabric", path=str(beside)) or shutil.which("memory-fabric")
    if not found:
        raise ConfigError(
            "the program memory-fabric is not found, so no client could start it",
            "install it first, for example with `uv tool install memory-fabric`",
        )
    return Program(str(Path(found).absolute()), home)


def words_of(entry: Any) -> list[str]:
    """The words that a server's or a hook's entry would start; none if it starts nothing."""
    command = entry.get("command") if isinstance(entry, dict) else None
    if isinstance(command, list):
        return [str(word) for word in command]
    if not isinstance(command, str):
        return []
    if isinstance(entry.get("args"), list):
        return [command, *map(str, entry["args"])]
    return _words_of_shell(command) if entry.get("type") == "command" else [command]


def _words_of_shell(command: str) -> list[str]:
    if _DRIVE.match(command):  # what Git Bash would eat; it is ours all the same, and doctor says that it is broken
        command = command.replace("\\", "/")
    try:
        return shlex.split(command)
    except ValueError:  # a quote without its other half: the shell will say so
        return command.split()


def is_ours(words: Sequence[str], command: str) -> bool:
    """Whether these words start our program with this command (``mcp``, ``hook``)."""
    return len(words) > 1 and words[0].replace("\\", "/").rpartition("/")[2].lower() in NAMES and words[1] == command
