"""VS Code: ``mcp.json`` in the user's profile, or in the project's ``.vscode``."""

from __future__ import annotations

from pathlib import Path

from memory_fabric.doors.install.clients.client import Client, ConfigFile, typed_server, under
from memory_fabric.doors.install.surroundings import Surroundings


def _profile(here: Surroundings) -> Path:
    """The default profile; ``VSCODE_PORTABLE`` is set by an editor that carries its data with it."""
    portable = here.environment.get("VSCODE_PORTABLE")
    return (Path(portable) / "user-data" if portable else here.application_data / "Code") / "User"


def _file(folder: Path, *, shared: bool = False) -> tuple[ConfigFile, ...]:
    return (ConfigFile(folder / "mcp.json", servers=under("servers", typed_server), shared=shared),)


CLIENT = Client(
    "vscode",
    "VS Code",
    "code",
    _profile,
    lambda here: _file(_profile(here)),
    lambda here: _file(here.project / ".vscode", shared=True),
)
