"""Claude Code: hooks in ``settings.json``, servers in ``.claude.json``; ``CLAUDE_CONFIG_DIR`` moves both.

For a project, hooks go to ``.claude/settings.local.json``: that file is not committed, and the path of a program on
this machine would break the hooks of everybody else.  Servers of a project have but one place, ``.mcp.json``.
"""

from __future__ import annotations

from pathlib import Path

from memory_fabric.doors.install.clients.client import Client, ConfigFile, typed_server, under
from memory_fabric.doors.install.surroundings import Surroundings


def _folder(here: Surroundings) -> Path:
    return here.given("CLAUDE_CONFIG_DIR", here.home / ".claude")


def _user(here: Surroundings) -> tuple[ConfigFile, ...]:
    state = here.given("CLAUDE_CONFIG_DIR", here.home) / ".claude.json"
    return (
        ConfigFile(_folder(here) / "settings.json", hooks=True),
        ConfigFile(state, servers=under("mcpServers", typed_server)),
    )


def _project(here: Surroundings) -> tuple[ConfigFile, ...]:
    return (
        ConfigFile(here.project / ".claude" / "settings.local.json", hooks=True),
        ConfigFile(here.project / ".mcp.json", servers=under("mcpServers", typed_server), shared=True),
    )


def settings_files(here: Surroundings) -> tuple[Path, ...]:
    """Every settings file that may hold hooks or enable plugins, the user's first."""
    local = here.project / ".claude"
    return (_folder(here) / "settings.json", local / "settings.json", local / "settings.local.json")


CLIENT = Client("claude-code", "Claude Code", "claude", _folder, _user, _project)
