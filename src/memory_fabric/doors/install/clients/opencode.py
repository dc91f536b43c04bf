"""OpenCode: ``opencode.jsonc`` or ``opencode.json``; servers below ``mcp``, in version 2 below ``mcp.servers``.

Version 2 reads the older form too, so a file without servers gets that; a file in the newer form keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from memory_fabric.doors.install.clients.client import Client, ConfigFile, Place, Servers
from memory_fabric.doors.install.program import Program
from memory_fabric.doors.install.surroundings import Surroundings

OLDER, NEWER = ("mcp",), ("mcp", "servers")


def _servers(config: Mapping[str, Any]) -> Place:
    servers = config["mcp"].get("servers") if isinstance(config.get("mcp"), dict) else None
    return NEWER if isinstance(servers, dict) and not isinstance(servers.get("command"), list) else OLDER


def _server(program: Program, place: Place) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "local", "command": program.server}
    if place == OLDER:
        entry["enabled"] = True
    return {**entry, "environment": program.environment} if program.environment else entry


def _folder(here: Surroundings) -> Path:
    return here.given("OPENCODE_CONFIG_DIR", here.xdg_config / "opencode")


def _file(path: Path, *, shared: bool = False) -> tuple[ConfigFile, ...]:
    return (ConfigFile(path, servers=Servers(_servers, _server), shared=shared),)


def _in(folder: Path) -> Path:
    """The file in use; of the two names the one with comments wins where both are there, as it does for OpenCode."""
    return next((file for file in (folder / "opencode.jsonc",) if file.exists()), folder / "opencode.json")


CLIENT = Client(
    "opencode",
    "OpenCode",
    "opencode",
    _folder,
    lambda here: _file(here.given("OPENCODE_CONFIG", _in(_folder(here)))),
    lambda here: _file(_in(here.project), shared=True),
)
