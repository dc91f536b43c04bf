"""What every command works with: where the memory is, and how to speak (data on stdout, notes on stderr)."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from memory_fabric.doors.cli.lines import WIDEST
from memory_fabric.doors.cli.paint import Paint
from memory_fabric.errors import MemoryFabricError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.settings import Settings

DONE, NOTHING, MISTAKE, UNAVAILABLE = 0, 1, 2, 3
"""Exit codes (design §7)."""

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

Home = Annotated[
    Path | None,
    typer.Option("--home", metavar="DIR", help="Folder of the memory.  [default: the user's data folder]"),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print data for programs.")]


@dataclass(frozen=True)
class Desk:
    """One call of one command."""

    home: Path | None = None
    as_json: bool = False

    @classmethod
    def of(cls, context: typer.Context, home: Path | None, as_json: bool) -> Desk:
        """The options of a command, over those given before it."""
        given = context.find_object(Desk) or Desk()
        return replace(given, home=home or given.home, as_json=as_json or given.as_json)

    # ── the memory ───────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def settings(self) -> Settings:
        """The settings of this call.

        Raises:
            ConfigError: they are not usable.
        """
        from memory_fabric.settings import Settings

        return Settings.load(home=self.home)

    def open(self) -> Fabric:
        """The memory for reading and writing, made if it is not there."""
        from memory_fabric.app import Fabric

        return Fabric.open(self.settings)

    def read(self) -> Fabric:
        """The memory for reading: never makes or changes one (F-CMD-14).

        Raises:
            NoMemory: there is none yet.
        """
        from memory_fabric.app import Fabric

        if not self.settings.store.exists():
            raise NoMemory(self.settings.home)
        return Fabric.open(self.settings, read_only=True)

    # ── speaking ─────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def paint(self) -> Paint:
        """Emphasis for stdout."""
        from memory_fabric.settings import environment

        return Paint(False) if self.as_json else Paint.of(sys.stdout, environment())

    @cached_property
    def width(self) -> int:
        """Columns of a line for people."""
        return max(40, min(WIDEST, shutil.get_terminal_size((WIDEST, 24)).columns))

    @property
    def lively(self) -> bool:
        """Whether somebody watches: progress is shown on a terminal only, and never beside data for programs."""
        return not self.as_json and sys.stderr.isatty()

    def say(self, *lines: str) -> None:
        """Text for people, on stdout; nothing with ``--json``."""
        if not self.as_json:
            for line in lines:
                typer.echo(line, color=self.paint.on)

    def data(self, value: Mapping[str, Any], *, line: bool = False) -> None:
        """Data for programs, on stdout; nothing without ``--json``.  ``line`` keeps it in one line."""
        if self.as_json:
            typer.echo(json.dumps(value, ensure_ascii=False, indent=None if line else 2))

    def note(self, *lines: str) -> None:
        """Lines on stderr."""
        for line in lines:
            typer.echo(line, err=True)

    def remark(self, *remarks: str | None) -> None:
        """What there is to know about the answer, on stderr, each marked as a note; None says nothing."""
        self.note(*(f"note: {remark}" for remark in remarks if remark))


class NoMemory(MemoryFabricError):  # noqa: N818 - a state, told like an error
    """Nothing was ever read into this folder."""

    code = "no_memory"
    exit_code = NOTHING

    def __init__(self, home: Path) -> None:
        super().__init__(
            f"there is no memory in {home} yet",
            "run `memory-fabric ingest` to read your transcripts, or `memory-fabric demo` to look first",
        )
