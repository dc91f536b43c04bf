"""Cursor: ``mcp.json`` in ``~/.cursor`` or the project's ``.cursor``."""

from __future__ import annotations

from pathlib import Path

from memory_fabric.doors.install.clients.client import Client, ConfigFile, typed_server, under


def _file(root: Path, *, shared: bool = False) -> tuple[ConfigFile, ...]:
    path = root / ".cursor" / "mcp.json"
    return (ConfigFile(path, servers=under("mcpServers", typed_server), shared=shared),)


CLIENT = Client(
    "cursor",
    "Cursor",
    "cursor",
    lambda here: here.home / ".cursor",
    lambda here: _file(here.home),
    lambda here: _file(here.project, shared=True),
)
