"""``ingest``: read transcripts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_fabric.doors.cli.desk import AsJson, Desk, Home
from memory_fabric.errors import MemoryFabricError, UsageError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.ingest.discover import Place
    from memory_fabric.ingest.report import IngestReport

DEBOUNCE_MS = 2_000
"""Milliseconds of quiet that end a burst of changes: agents write a line at a time."""


def ingest(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="PATH", help="Files or folders.  [default: the usual places of each agent]"),
    ] = None,
    *,
    format: Annotated[  # noqa: A002 - the option's name
        str | None,
        typer.Option("--format", metavar="NAME", help="Read the files as this format, whatever they look like."),
    ] = None,
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vectors for later.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and report, write nothing.")] = False,
    watch: Annotated[bool, typer.Option("--watch", help="Go on reading what changes, until interrupted.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Read transcripts: those in PATH, or everything in the usual places.

    Reading again takes only what is new.  Secrets are redacted before anything is stored.
    """
    desk = Desk.of(context, home, as_json)
    if watch and dry_run:
        raise UsageError("--watch and --dry-run exclude each other", "leave one out")
    with desk.open() as fabric:
        roots = list(paths) if paths else usual_roots(fabric.places())
        job = Ingest(fabric, desk, roots, format, dry_run, embed=not (no_embed or dry_run))
        report = job.run()
        if not watch:
            job.show(report)
            return report.exit_code
        job.show(report, line=True)
        desk.note("Watching; Ctrl-C ends.")
        with suppress(KeyboardInterrupt):  # the one way in which watching ends
            watched(job, changes(roots))
        return report.exit_code


def usual_roots(places: Iterable[Place]) -> list[Path]:
    """The usual places that are there.

    Raises:
        NoTranscripts: none is; it says where was looked.
    """
    looked = list(places)
    roots = [place.root for place in looked if place.exists]
    if not roots:
        raise NoTranscripts(looked)
    return roots


class NoTranscripts(MemoryFabricError):  # noqa: N818 - a state, told like an error
    """No agent keeps transcripts in its usual place."""

    code = "no_transcripts"

    def __init__(self, places: Iterable[Place]) -> None:
        from memory_fabric.doors.cli.lines import short_path

        looked = ", ".join(short_path(str(place.root)) for place in places)
        super().__init__(
            f"no transcripts in the usual places ({looked})",
            "name a file or folder: `memory-fabric ingest PATH`; or look around first: `memory-fabric demo`",
        )


@dataclass(frozen=True, slots=True)
class Ingest:
    """One ingest, which may be run again."""

    fabric: Fabric
    desk: Desk
    roots: list[Path]
    format: str | None = None
    dry_run: bool = False
    embed: bool = True

    def run(self) -> IngestReport:
        """Read, then embed; without a model the report says so and nothing else changes (F-ERR-13)."""
        from memory_fabric.doors.cli.embedding import embedded
        from memory_fabric.doors.cli.progress import bars

        with bars(self.desk) as shown:
            report = self.fabric.ingest(self.roots, format=self.format, dry_run=self.dry_run, progress=shown.files())
            if self.embed:
                report.embedded, notice = embedded(self.fabric, shown)
                report.notes.extend([notice] if notice else [])
            if not self.dry_run:
                report.pending = self.fabric.pending()
        return report

    def show(self, report: IngestReport, *, line: bool = False) -> None:
        """Print the report, whole or in one line."""
        from memory_fabric.doors.cli.show.report import report_line, report_lines

        self.desk.data(report.as_json(), line=line)
        if line:
            self.desk.say(report_line(report))
        else:
            self.desk.say(*report_lines(report, self.desk.paint, self.desk.width))
        self.desk.remark(*report.notes)


def watched(job: Ingest, rounds: Iterable[object]) -> None:
    """Ingest once for each round of changes; those that brought nothing are not mentioned."""
    for _ in rounds:
        report = job.run()
        if report.count("read") or report.count("grown") or report.failed:
            job.show(report, line=True)


def changes(roots: Iterable[Path]) -> Iterator[object]:
    """Sets of changes below these paths, after a moment of quiet each, until interrupted."""
    from watchfiles import watch

    yield from watch(*roots, debounce=DEBOUNCE_MS, step=200, raise_interrupt=True)
