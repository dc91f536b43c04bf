"""Claude Desktop: ``claude_desktop_config.json`` among the application's data; none for a project."""

from __future__ import annotations

from pathlib import Path

from memory_fabric.doors.install.clients.client import Client, ConfigFile, plain_server, under
from memory_fabric.doors.install.surroundings import Surroundings


def _folder(here: Surroundings) -> Path:
    return here.application_data / "Claude"


CLIENT = Client(
    "claude-desktop",
    "Claude Desktop",
    "claude-desktop",
    _folder,
    lambda here: (ConfigFile(_folder(here) / "claude_desktop_config.json", servers=under("mcpServers", plain_server)),),
    None,
)
