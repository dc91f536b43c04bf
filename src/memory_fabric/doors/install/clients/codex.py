"""Codex CLI: ``config.toml`` in ``CODEX_HOME``, for a trusted project in ``.codex``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from memory_fabric.doors.install.clients.client import Client, ConfigFile, Place, plain_server, under
from memory_fabric.doors.install.program import Program
from memory_fabric.doors.install.surroundings import Surroundings

STARTUP_SECONDS = 30
"""Codex gives up after 10 by default; a first start on a cold disk may take that long."""


def _server(program: Program, place: Place) -> dict[str, Any]:
    return {**plain_server(program, place), "startup_timeout_sec": STARTUP_SECONDS}


def _folder(here: Surroundings) -> Path:
    return here.given("CODEX_HOME", here.home / ".codex")


def _file(folder: Path, *, shared: bool = False) -> tuple[ConfigFile, ...]:
    return (ConfigFile(folder / "config.toml", "toml", under("mcp_servers", _server), shared=shared),)


CLIENT = Client(
    "codex",
    "Codex CLI",
    "codex",
    _folder,
    lambda here: _file(_folder(here)),
    lambda here: _file(here.project / ".codex", shared=True),
)
