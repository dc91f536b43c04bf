"""Start the worker so that it outlives the hook and holds nothing of it (C-094, C-095)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_PASSED_ON = frozenset(
    "PATH HOME USER LOGNAME USERPROFILE APPDATA LOCALAPPDATA HOMEDRIVE HOMEPATH SYSTEMROOT WINDIR TEMP TMP TMPDIR LANG "
    "TZ VIRTUAL_ENV CLAUDE_CONFIG_DIR CODEX_HOME".split()
)
_PASSED_ON_PREFIXES = ("MEMORY_FABRIC_", "FABRIC_", "PYTHON", "LC_", "XDG_")
"""Variables that the worker sees: none that holds a key or an address of the agent's (C-117)."""


def start_worker(home: Path, environment: Mapping[str, str], *, embed: bool = False) -> None:
    """Start the worker and go: a session of its own, no inherited file, nothing to wait for.

    ``embed`` lets it make vectors too, where few are missing.

    Raises:
        OSError: the system starts no process.
    """
    command = [sys.executable, "-P", "-m", "memory_fabric.doors.hooks.worker", "--home", str(home)]
    if embed:
        command.append("--embed")
    kept = {name: value for name, value in environment.items() if _is_passed_on(name)}
    nothing = subprocess.DEVNULL
    options: dict[str, Any] = {"stdin": nothing, "stdout": nothing, "stderr": nothing, "env": kept, "close_fds": True}
    options["cwd"] = str(home) if home.is_dir() else None
    if os.name == "nt":
        _start_on_windows(command, options)
    else:
        child = subprocess.Popen(command, start_new_session=True, **options)  # noqa: S603 - our own program
        child.returncode = 0  # nobody waits for it; without this Python complains at the end


def _start_on_windows(command: list[str], options: dict[str, Any]) -> None:
    flags = {name: getattr(subprocess, name) for name in ("DETACHED_PROCESS", "CREATE_NEW_PROCESS_GROUP")}
    apart = flags["DETACHED_PROCESS"] | flags["CREATE_NEW_PROCESS_GROUP"]
    breakaway = getattr(subprocess, "CREATE_BREAKAWAY_FROM_JOB", 0)
    try:
        subprocess.Popen(command, creationflags=apart | breakaway, **options)  # noqa: S603
    except PermissionError:  # the job of the terminal lets nobody leave it
        subprocess.Popen(command, creationflags=apart, **options)  # noqa: S603


def _is_passed_on(name: str) -> bool:
    upper = name.upper()
    return upper in _PASSED_ON or upper.startswith(_PASSED_ON_PREFIXES)
