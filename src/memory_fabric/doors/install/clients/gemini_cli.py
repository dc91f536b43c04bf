"""Gemini CLI: ``.gemini/settings.json`` in the home folder (``GEMINI_CLI_HOME`` stands in for it) or the project."""

from __future__ import annotations

from pathlib import Path

from memory_fabric.doors.install.clients.client import Client, ConfigFile, plain_server, under
from memory_fabric.doors.install.surroundings import Surroundings


def _home(here: Surroundings) -> Path:
    return here.given("GEMINI_CLI_HOME", here.home)


def _file(root: Path, *, shared: bool = False) -> tuple[ConfigFile, ...]:
    path = root / ".gemini" / "settings.json"
    return (ConfigFile(path, servers=under("mcpServers", plain_server), shared=shared),)


CLIENT = Client(
    "gemini-cli",
    "Gemini CLI",
    "gemini",
    lambda here: _home(here) / ".gemini",
    lambda here: _file(_home(here)),
    lambda here: _file(here.project, shared=True),
)
