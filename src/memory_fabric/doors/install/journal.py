"""What was changed in whose file, so that it can be taken back to the byte: ``installed.json``.

It holds what was inserted and what stood in the very place, and the digest of the file before and after.  Nothing else
of a client's file is kept here: those files may hold keys.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from memory_fabric.doors.install import files
from memory_fabric.doors.install.splice import Splice
from memory_fabric.errors import ConfigError

NAME = "installed.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Change:
    """One file that was changed.

    ``before`` and ``after`` are digests (``before`` is None where there was no file), ``made`` the containers and
    ``folders`` the folders that had to be made, ``replaced`` what stood in an entry's place, by its path in the file.
    """

    client: str
    before: str | None
    after: str
    splices: tuple[Splice, ...]
    made: tuple[tuple[str | int, ...], ...] = ()
    folders: tuple[str, ...] = ()
    replaced: tuple[tuple[tuple[str | int, ...], str], ...] = ()
    backup: str | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """All changes, by the real path of the file."""

    path: Path
    changes: Mapping[str, Change] = field(default_factory=dict)

    @classmethod
    def load(cls, home: Path) -> Journal:
        """The journal in a folder; empty where there is none.

        Raises:
            ConfigError: it cannot be read.
        """
        path = home / NAME
        text = files.read(path).text
        if not text:
            return cls(path)
        try:
            rows = json.loads(text)
            if rows["version"] != VERSION:
                raise ValueError(f"version {rows['version']} is not known")
            return cls(path, {name: _change(row) for name, row in rows["files"].items()})
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            hint = "move it away: `uninstall` then takes out our entries, but cannot restore every blank"
            raise ConfigError(f"{path}: cannot be used: {error}", hint) from error

    def of(self, path: Path) -> Change | None:
        """What was changed in this file."""
        return self.changes.get(str(path))

    def with_change(self, path: Path, change: Change | None) -> Journal:
        """The journal with another change of this file; None takes it out."""
        rest = {name: each for name, each in self.changes.items() if name != str(path)}
        return replace(self, changes=rest if change is None else {**rest, str(path): change})

    def save(self) -> None:
        """Write it, the user's alone; an empty one is deleted.

        Raises:
            ConfigError: it cannot be written.
        """
        if not self.changes:
            files.delete(self.path, [])
            return
        files.make_folders(self.path.parent)
        rows = {"version": VERSION, "files": {name: _row(each) for name, each in self.changes.items()}}
        files.write(files.read(self.path), json.dumps(rows, ensure_ascii=False, indent=1).encode() + b"\n")


def digest(data: bytes | None) -> str | None:
    """What a file is known by; None for no file."""
    return None if data is None else hashlib.sha256(data).hexdigest()


def _row(change: Change) -> dict[str, Any]:
    return {
        "client": change.client,
        "before": change.before,
        "after": change.after,
        "splices": [[each.at, each.removed, each.inserted] for each in change.splices],
        "made": [list(path) for path in change.made],
        "folders": list(change.folders),
        "replaced": [[list(path), text] for path, text in change.replaced],
        "backup": change.backup,
    }


def _change(row: Mapping[str, Any]) -> Change:
    return Change(
        row["client"],
        row["before"],
        row["after"],
        tuple(Splice(*each) for each in row["splices"]),
        tuple(tuple(path) for path in row["made"]),
        tuple(row["folders"]),
        tuple((tuple(path), text) for path, text in row["replaced"]),
        row["backup"],
    )
