"""The machine as an installer sees it; a value, so that a test can be any machine."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

USER, PROJECT = "user", "project"
"""Scopes: for all of the user's work, or for one project."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Home folder, environment, ``sys.platform`` and the root of the project one stands in."""

    home: Path
    environment: Mapping[str, str]
    platform: str
    project: Path

    @classmethod
    def here(cls) -> Surroundings:
        """Of this process."""
        from memory_fabric.settings import environment

        return cls(Path.home(), environment(), sys.platform, project_root(Path.cwd()))

    def given(self, variable: str, default: Path) -> Path:
        """The folder that a variable of the environment names, else the default."""
        value = self.environment.get(variable, "")
        return self._expanded(value) if value else default

    def _expanded(self, value: str) -> Path:
        return self.home / value[2:] if value.startswith(("~/", "~\\")) else Path(value)

    @property
    def xdg_config(self) -> Path:
        """``~/.config``, or where ``XDG_CONFIG_HOME`` has it."""
        return self.given("XDG_CONFIG_HOME", self.home / ".config")

    @property
    def application_data(self) -> Path:
        """Where desktop applications keep their settings on this system (Electron's ``appData``)."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.given("APPDATA", self.home / "AppData" / "Roaming")
        return self.xdg_config

    def finds(self, program: str) -> bool:
        """Whether a program of this name can be started here."""
        return shutil.which(program, path=self.environment.get("PATH", os.defpath)) is not None


def project_root(folder: Path) -> Path:
    """The nearest folder upwards that holds ``.git``, else the folder itself."""
    return next((place for place in (folder, *folder.parents) if (place / ".git").exists()), folder)
