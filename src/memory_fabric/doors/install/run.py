"""Run what stands in a client's files now: read back from them, so it is the very command that the client finds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from memory_fabric.doors.install import files
from memory_fabric.doors.install.clients.client import ConfigFile
from memory_fabric.doors.install.edit import SYNTAXES
from memory_fabric.doors.install.entries import home_named, ours, value_at
from memory_fabric.doors.install.trial import Trial, run_hook, run_server


def run_written(targets: Iterable[ConfigFile], environment: Mapping[str, str], home: Path) -> list[Trial]:
    """A trial of each of our entries, in the order of the files; ``home`` is the memory of those that name none."""
    trials: list[Trial] = []
    for file in targets:
        config = SYNTAXES[file.syntax].value_of(files.read(file.path).text)
        for entry in ours(config, file):
            value = value_at(config, entry.path)
            if entry.event is None:
                own = value.get("env") or value.get("environment") or {}
                trials.append(run_server(entry.words, {**environment, **own}))
            else:
                trials.append(run_hook(value, environment, home_named(entry) or home))
    return trials
