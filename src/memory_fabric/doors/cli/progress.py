"""Bars while something long runs: on a terminal only, on stderr, and gone when it is done."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric.doors.cli.desk import Desk

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


@dataclass(frozen=True, slots=True)
class Bars:
    """Bars of one command; without a ``Progress`` nothing is shown."""

    shown: Progress | None = None

    def files(self) -> Callable[[Path, int, int], None] | None:
        """Takes each file before it is read (``ingest.pipeline.Progress``)."""
        if self.shown is None:
            return None
        bar, task = self.shown, self.shown.add_task("reading", total=None)

        def tell(path: Path, number: int, total: int) -> None:
            bar.update(task, completed=number, total=total, description=f"reading {path.name[:32]:<32}")

        return tell

    def counted(self, what: str, total: int) -> Callable[[int], None] | None:
        """Takes the number done so far."""
        if self.shown is None or not total:
            return None
        bar: Progress = self.shown
        task: TaskID = bar.add_task(what, total=total)
        return lambda done: bar.update(task, completed=done)

    def stage(self) -> Callable[[str, int, int], None] | None:
        """Takes what is being done, the number done and how many there are."""
        if self.shown is None:
            return None
        bar, task = self.shown, self.shown.add_task("", total=None)
        return lambda what, done, total: bar.update(task, description=what, completed=done, total=total)


@contextmanager
def bars(desk: Desk) -> Iterator[Bars]:
    """Bars that vanish at the end; none where nobody watches."""
    if not desk.lively:
        yield Bars()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr), transient=True) as shown:
        yield Bars(shown)
