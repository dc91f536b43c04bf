"""Which entries of a configuration are ours, and which should be there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_fabric.doors.install.clients.client import ConfigFile
from memory_fabric.doors.install.program import HOOKS, SERVER, Program, is_ours, words_of

Steps = tuple[str | int, ...]

_HOME = "MEMORY_FABRIC_HOME"
_ENVIRONMENT = ("env", "environment")
_OURS_TO_SAY = frozenset({"type", "command", "args", *_ENVIRONMENT})
"""Everything else in our entry is a default: a user who disables the server or grants it more time keeps that."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One of our entries: its path, the words it starts, the event if it is a hook."""

    path: Steps
    words: tuple[str, ...]
    event: str | None = None


def ours(config: Mapping[str, Any], file: ConfigFile) -> list[Entry]:
    """Our entries in what a file says, in the order of the file."""
    found: list[Entry] = []
    if file.servers is not None:
        place = file.servers.place(config)
        for name, entry in _mapping(value_at(config, place)).items():
            words = words_of(entry)
            if is_ours(words, "mcp"):
                found.append(Entry((*place, name), tuple(words)))
    if file.hooks:
        found.extend(_hooks(config))
    return found


def _hooks(config: Mapping[str, Any]) -> Iterator[Entry]:
    for event, groups in _mapping(config.get("hooks")).items():
        for number, group in enumerate(groups if isinstance(groups, list) else []):
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for place, handler in enumerate(handlers if isinstance(handlers, list) else []):
                words = words_of(handler)
                if is_ours(words, "hook"):
                    yield Entry(("hooks", event, number, "hooks", place), tuple(words), event)


def home_named(entry: Entry) -> Path | None:
    """The memory that a hook was told to use, or None."""
    words = entry.words
    return Path(words[words.index("--home") + 1]) if "--home" in words[:-1] else None


def to_remove(config: Mapping[str, Any], entries: list[Entry]) -> list[Steps]:
    """What has to be cut so that our entries are gone, last first: a group that holds nothing else goes as a whole."""
    paths: set[Steps] = set()
    for entry in entries:
        group = entry.path[:-2]
        if entry.event is None or any(
            (*group, "hooks", place) not in {each.path for each in entries}
            for place in range(len(value_at(config, (*group, "hooks"))))
        ):
            paths.add(entry.path)
        else:
            paths.add(group)
    return sorted(paths, key=_order, reverse=True)


def _order(path: Steps) -> list[tuple[int, str]]:
    return [(step, "") if isinstance(step, int) else (-1, step) for step in path]


def server_name(config: Mapping[str, Any], file: ConfigFile, asked: str | None) -> str:
    """The name for our server: the one asked for, else the one it has here already, else ``memory``."""
    have = [str(entry.path[-1]) for entry in ours(config, file) if entry.event is None]
    return asked or (SERVER if SERVER in have or not have else have[0])


def is_complete(config: Mapping[str, Any], file: ConfigFile, program: Program, asked: str | None) -> bool:
    """Whether everything of ours is there and nothing that should be otherwise.

    What the user added to our entries (a timeout, a list of allowed tools, a matcher) does not count.
    """
    found = ours(config, file)
    if file.servers is not None:
        path = (*file.servers.place(config), server_name(config, file, asked))
        if [entry.path for entry in found if entry.event is None] != [path]:
            return False
        entry = _mapping(value_at(config, path))
        if entry != with_extras(file.servers.entry(program, file.servers.place(config)), entry):
            return False
    if file.hooks:
        have = [(entry.event, _started(value_at(config, entry.path))) for entry in found if entry.event is not None]
        wanted = [(event, _started(program.hook(event)["hooks"][0])) for event in HOOKS]
        return sorted(have, key=str) == sorted(wanted, key=str)
    return True


def _started(handler: Mapping[str, Any]) -> tuple[Any, Any]:
    """What a hook's entry starts, as it is written."""
    return handler.get("command"), handler.get("args")


def with_extras(wanted: dict[str, Any], have: Mapping[str, Any]) -> dict[str, Any]:
    """Our entry, with what the user added to or set in the one that is there; what it starts is ours to say."""
    merged = {**wanted, **have, **{key: value for key, value in wanted.items() if key in _OURS_TO_SAY}}
    for key in _ENVIRONMENT:
        if isinstance(have.get(key), dict):
            kept = {name: value for name, value in have[key].items() if name != _HOME}
            merged[key] = {**kept, **wanted.get(key, {})}
            if not merged[key] and have[key]:
                del merged[key]
    return merged


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def value_at(value: Any, path: Steps) -> Any:
    """The value at a path, or None."""
    for step in path:
        if isinstance(value, list):
            value = value[step] if isinstance(step, int) and step < len(value) else None
        else:
            value = _mapping(value).get(str(step))
    return value
