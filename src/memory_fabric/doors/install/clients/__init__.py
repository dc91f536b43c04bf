"""The clients: a file each, one line in the table."""

from __future__ import annotations

from memory_fabric.doors.install.clients import (
    claude_code,
    claude_desktop,
    codex,
    cursor,
    gemini_cli,
    opencode,
    vscode,
)
from memory_fabric.doors.install.clients.client import Client, ConfigFile
from memory_fabric.errors import UsageError

__all__ = ["CLIENTS", "Client", "ConfigFile", "client_named"]

CLIENTS: dict[str, Client] = {
    client.name: client
    for client in (
        claude_code.CLIENT,
        codex.CLIENT,
        cursor.CLIENT,
        gemini_cli.CLIENT,
        opencode.CLIENT,
        vscode.CLIENT,
        claude_desktop.CLIENT,
    )
}


def client_named(name: str) -> Client:
    """The client of this name.

    Raises:
        UsageError: there is none.
    """
    if name not in CLIENTS:
        raise UsageError(f"client {name!r} is not known", f"choose from: {', '.join(CLIENTS)}")
    return CLIENTS[name]
