"""``export`` and ``import``: a memory as a file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, TextIO

import typer

from memory_fabric.doors.cli.desk import DONE, AsJson, Desk, Home
from memory_fabric.errors import UsageError

STREAM = Path("-")
"""Stands for standard input or output."""


def export(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; - is standard output.")] = STREAM,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Write everything but the vectors as JSON Lines: a header, then one object a line.

    Secrets are redacted once more.  The file can be read by its owner only.
    """
    from memory_fabric.doors.exported import lines_of, written

    desk = Desk.of(context, home, as_json)
    counts: Counter[str] = Counter()
    redacted: Counter[str] = Counter()
    with desk.read() as fabric, nullcontext(sys.stdout) if file == STREAM else written(file, force) as stream:
        for line in lines_of(fabric.export(), counts, redacted):
            stream.write(line + "\n")
    if file != STREAM:
        desk.data({"file": str(file), "rows": counts.total(), "counts": counts, "redacted": redacted})
        desk.say(f"Wrote {_counted(counts)} to {file}")
    if redacted:
        desk.remark(f"{redacted.total()} secrets were redacted on the way out ({', '.join(redacted)})")
    return DONE


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `export` wrote; - is standard input.")],
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vectors for later.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Take in what ``export`` wrote; what is there already stays as it is.

    All or nothing: a file with a damaged line changes nothing.
    """
    from memory_fabric.doors.cli.embedding import embedded
    from memory_fabric.doors.cli.progress import bars
    from memory_fabric.doors.exported import rows_of

    desk = Desk.of(context, home, as_json)
    with opened(file) as stream, desk.open() as fabric:
        counts = fabric.restore(rows_of(stream, str(file)))
        with bars(desk) as shown:
            vectors, notice = (0, None) if no_embed else embedded(fabric, shown)
    desk.data({"file": str(file), "counts": counts, "embedded": vectors, "notes": [notice] if notice else []})
    taken = f"Took in {_counted(counts)}" if any(counts.values()) else "Nothing new: everything was there already"
    desk.say(taken + (f"; embedded {vectors:,}" if vectors else ""))
    desk.remark(notice)
    return DONE


@contextmanager
def opened(file: Path) -> Iterator[TextIO]:
    """The lines of a file, or of standard input for ``-``.

    Raises:
        UsageError: it cannot be opened.
    """
    if file == STREAM:
        yield sys.stdin
        return
    try:
        stream = file.open(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}", "check the path") from error
    with stream:
        yield stream


def _counted(counts: Mapping[str, int]) -> str:
    from memory_fabric.doors.cli.lines import tally

    return f"{sum(counts.values()):,} rows ({tally(counts)})"
