"""A machine of one's own."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from memory_fabric.doors.install.clients import CLIENTS, ConfigFile
from memory_fabric.doors.install.edit import Request
from memory_fabric.doors.install.installer import Done, install, uninstall
from memory_fabric.doors.install.journal import Journal
from memory_fabric.doors.install.program import Program
from memory_fabric.doors.install.surroundings import USER, Surroundings

PROGRAM = Program("/opt/tools/bin/memory-fabric", platform="linux")


@dataclass
class Machine:
    """Installs and uninstalls on a machine that is only a folder."""

    here: Surroundings
    memory: Path

    def files(self, client: str, scope: str = USER) -> tuple[ConfigFile, ...]:
        return CLIENTS[client].files(self.here, scope)

    def path(self, client: str, scope: str = USER) -> Path:
        """The last of the client's files: the one with its servers."""
        return self.files(client, scope)[-1].path

    def install(self, client: str, scope: str = USER, *, dry_run: bool = False, **asked: Any) -> list[Done]:
        request = Request(**{"program": PROGRAM, **asked})
        journal = Journal.load(self.memory)
        return install(CLIENTS[client], self.files(client, scope), request, journal, dry_run=dry_run)

    def uninstall(self, client: str, scope: str = USER, *, dry_run: bool = False) -> list[Done]:
        return uninstall(self.files(client, scope), Journal.load(self.memory), dry_run=dry_run)

    def on(self, platform: str, **environment: str) -> Machine:
        return replace(self, here=replace(self.here, platform=platform, environment=environment))

    def snapshot(self) -> dict[str, bytes | None]:
        """Every file with its bytes, every folder with None; without the memory's own folder."""
        root = self.here.home.parent
        return {
            str(path.relative_to(root)): path.read_bytes() if path.is_file() else None
            for path in sorted(root.rglob("*"))
            if not path.is_relative_to(self.memory)
        }


def machine_in(folder: Path) -> Machine:
    home, project = folder / "home", folder / "project"
    home.mkdir()
    project.mkdir()
    return Machine(Surroundings(home, {}, "linux", project), folder / "memory")


def says(path: Path) -> Any:
    if path.suffix == ".toml":
        return tomllib.loads(path.read_text("utf-8"))
    return json.loads(path.read_text("utf-8"))


def put(path: Path, text: str, mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", newline="")
    path.chmod(mode)
    return path
