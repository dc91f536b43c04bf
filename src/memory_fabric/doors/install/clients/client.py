"""What has to be known of a client to be installed in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_fabric.doors.install.program import Program
from memory_fabric.doors.install.surroundings import Surroundings
from memory_fabric.errors import UsageError

Place = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Servers:
    """Where a file keeps MCP servers, given what it says now, and the entry for ours at that place."""

    place: Callable[[Mapping[str, Any]], Place]
    entry: Callable[[Program, Place], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One file of a client: where, in which syntax, what of us belongs there.

    ``hooks``: Claude Code's.  ``shared``: the file is one that projects commit.
    """

    path: Path
    syntax: str = "json"
    servers: Servers | None = None
    hooks: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Client:
    """A client: its name for us and for people, where its traces are, and its files by scope.

    ``project`` is None where the client has no configuration for a project.
    """

    name: str
    title: str
    program: str
    folder: Callable[[Surroundings], Path]
    user: Callable[[Surroundings], tuple[ConfigFile, ...]]
    project: Callable[[Surroundings], tuple[ConfigFile, ...]] | None

    def found(self, here: Surroundings) -> bool:
        """Whether the client is on this machine: its folder, or its program."""
        return self.folder(here).is_dir() or here.finds(self.program)

    def files(self, here: Surroundings, scope: str) -> tuple[ConfigFile, ...]:
        """The files of a scope.

        Raises:
            UsageError: the client has no configuration for a project.
        """
        if scope == "user":
            return self.user(here)
        if self.project is None:
            raise UsageError(f"{self.title} has no configuration for a project", "leave out --project")
        return self.project(here)


def under(place: str, entry: Callable[[Program, Place], dict[str, Any]]) -> Servers:
    """Servers are always kept in this member of the root."""
    return Servers(lambda _: (place,), entry)


def plain_server(program: Program, place: Place) -> dict[str, Any]:
    """``command`` and ``args``, as most clients have it."""
    del place
    entry: dict[str, Any] = {"command": program.server[0], "args": program.server[1:]}
    return {**entry, "env": program.environment} if program.environment else entry


def typed_server(program: Program, place: Place) -> dict[str, Any]:
    """The same with ``type``, for clients that ask for it."""
    return {"type": "stdio", **plain_server(program, place)}
