"""What is installed on this machine: every client, every scope."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memory_fabric.doors.install import files
from memory_fabric.doors.install.clients import CLIENTS, Client, ConfigFile
from memory_fabric.doors.install.clients.claude_code import settings_files
from memory_fabric.doors.install.edit import SYNTAXES
from memory_fabric.doors.install.entries import Entry, ours
from memory_fabric.doors.install.faults import PluginEnabled, SyntaxFault, UnreadableConfig
from memory_fabric.doors.install.surroundings import PROJECT, USER, Surroundings

PLUGIN = "memory-fabric"
"""Name of the plugin in ``plugin/``."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One configuration file: whether it is there, our entries in it, why it cannot be read."""

    scope: str
    file: ConfigFile
    exists: bool
    entries: tuple[Entry, ...] = ()
    fault: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """One client: whether it is on this machine, and its files."""

    client: Client
    found: bool
    seen: tuple[Seen, ...]
    plugins: tuple[Path, ...] = field(default=())
    """Settings that enable our plugin (Claude Code only)."""

    @property
    def entries(self) -> list[tuple[Seen, Entry]]:
        """All our entries."""
        return [(seen, entry) for seen in self.seen for entry in seen.entries]


def survey(here: Surroundings) -> list[State]:
    """The state of every client, in the order of the table."""
    return [
        State(
            client,
            client.found(here),
            tuple(_seen(client, here)),
            enabling_plugin(here) if client.name == "claude-code" else (),
        )
        for client in CLIENTS.values()
    ]


def _seen(client: Client, here: Surroundings) -> Iterator[Seen]:
    for scope in (USER, PROJECT):
        if scope == USER or (client.project is not None and here.project != here.home):
            for file in client.files(here, scope):
                yield look(scope, file)


def look(scope: str, file: ConfigFile) -> Seen:
    """One file."""
    try:
        text = files.read(file.path)
        entries = ours(SYNTAXES[file.syntax].value_of(text.text), file)
    except SyntaxFault as fault:
        return Seen(scope, file, True, fault=str(fault))
    except UnreadableConfig as error:
        return Seen(scope, file, True, fault=error.message)
    return Seen(scope, file, text.data is not None, tuple(entries))


def enabling_plugin(here: Surroundings) -> tuple[Path, ...]:
    """Settings of Claude Code that enable our plugin, from whatever marketplace."""
    return tuple(path for path in settings_files(here) if _enables(path))


def refuse_beside_plugin(client: Client, here: Surroundings) -> None:
    """Claude Code with the plugin has it all already.

    Raises:
        PluginEnabled: it would have it twice.
    """
    enabling = enabling_plugin(here) if client.name == "claude-code" else ()
    if enabling:
        raise PluginEnabled(enabling[0])


def _enables(path: Path) -> bool:
    try:
        plugins = json.loads(files.read(path).text or "{}").get("enabledPlugins", {})
    except (UnreadableConfig, ValueError, AttributeError):  # told of where the file itself is looked at
        return False
    if not isinstance(plugins, dict):
        return False
    return any(name.partition("@")[0] == PLUGIN and on is True for name, on in plugins.items())
