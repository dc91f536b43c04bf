"""Emphasis for terminals; plain text everywhere else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

_RESET = "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Paint:
    """Marks up words when ``on``, else gives them back as they are."""

    on: bool = False

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str]) -> Paint:
        """On for a terminal that has not said ``NO_COLOR`` and is not dumb."""
        return cls(stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb")

    def _with(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}{_RESET}" if self.on and text else text

    def bold(self, text: str) -> str:
        """What matters most."""
        return self._with("1", text)

    def dim(self, text: str) -> str:
        """What is there when it is looked for."""
        return self._with("2", text)

    def good(self, text: str) -> str:
        """What is well."""
        return self._with("32", text)

    def warn(self, text: str) -> str:
        """What deserves a look."""
        return self._with("33", text)

    def bad(self, text: str) -> str:
        """What is wrong."""
        return self._with("31", text)

    def hit(self, text: str) -> str:
        """What was asked for."""
        return self._with("1;36", text)
