"""``export`` and ``import``: a memory as a file."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from io import StringIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from memory_fabric.doors.cli.desk import DONE, AsJson, Desk, Home
from memory_fabric.errors import UsageError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric

STREAM = Path("-")
"""Stands for standard input or output."""

NAMED = 10
"""Lines and names that are told; the rest is counted."""


class Form(StrEnum):
    """What ``export`` writes."""

    OWN = "memory-fabric"
    MEMORY_SERVER = "memory-jsonl"


def export(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Where to; - is standard output.")] = STREAM,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE if it is there.")] = False,
    format: Annotated[  # noqa: A002 - the option's name
        Form, typer.Option("--format", help="Everything, or the graph as the official memory server's file.")
    ] = Form.OWN,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Write everything but the vectors as JSON Lines: a header, then one object a line.

    Secrets are redacted once more.  The file can be read by its owner only.  With `--format memory-jsonl` it is one
    that the official memory server reads: entities, then relations.
    """
    from memory_fabric.doors.exported import lines_of, written
    from memory_fabric.doors.memory_jsonl import export_lines

    desk = Desk.of(context, home, as_json)
    counts: Counter[str] = Counter()
    redacted: Counter[str] = Counter()
    with desk.read() as fabric, nullcontext(sys.stdout) if file == STREAM else written(file, force) as stream:
        own = format is Form.OWN
        lines = lines_of(fabric.export(), counts, redacted) if own else export_lines(fabric, counts, redacted)
        for line in lines:
            stream.write(line + "\n")
    if file != STREAM:
        desk.data({"file": str(file), "rows": counts.total(), "counts": counts, "redacted": redacted})
        desk.say(f"Wrote {_counted(counts)} to {file}")
    if redacted:
        desk.remark(f"{redacted.total()} secrets were redacted on the way out ({', '.join(redacted)})")
    return DONE


def import_(
    context: typer.Context,
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="What `export` or a memory server wrote; - is standard input.")
    ],
    no_embed: Annotated[bool, typer.Option("--no-embed", help="Leave the vectors for later.")] = False,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Take in what ``export`` wrote, or the file of the official memory server; what is there stays as it is.

    Of our own form all or nothing: a file with a damaged line changes nothing.  Of a memory server's file all that can
    be read; broken lines are counted and named by number.
    """
    from memory_fabric.doors.cli.embedding import embedded
    from memory_fabric.doors.cli.progress import bars

    desk = Desk.of(context, home, as_json)
    with opened(file) as stream, desk.open() as fabric:
        taken = _taken(stream, file, fabric)
        with bars(desk) as shown:
            vectors, notice = (0, None) if no_embed else embedded(fabric, shown)
    counts, remarks = taken["counts"], [*_remarks(taken), *([notice] if notice else [])]
    desk.data({"file": str(file), **taken, "embedded": vectors, "notes": remarks})
    said = f"Took in {_counted(counts)}" if any(counts.values()) else "Nothing new: everything was there already"
    desk.say(said + (f"; embedded {vectors:,}" if vectors else ""))
    desk.remark(*remarks)
    return DONE


def _taken(stream: TextIO, file: Path, fabric: Fabric) -> dict[str, Any]:
    """What taking in a file of either form did; ours begins with a header, which is looked at first.

    Raises:
        MalformedFile: it is of neither form; or of ours, and damaged.
    """
    from memory_fabric.doors import memory_records
    from memory_fabric.doors.exported import is_header, rows_of
    from memory_fabric.doors.memory_jsonl import import_memory_file, take_in

    name = str(file)
    before: list[str] = []
    for line in stream:
        before.append(line)
        if line.strip():
            break
    if not before or is_header(before[-1]):
        return {"counts": fabric.restore(rows_of(chain(before, stream), name))}
    text = "".join([*before, stream.read()])
    found = memory_records.read(text)
    if not (found.recognised or found.empty):
        return {"counts": fabric.restore(rows_of(StringIO(text), name))}
    report = take_in(fabric, found, name) if file == STREAM else import_memory_file(fabric, file, again=True)
    return {key: value for key, value in report.as_json().items() if key not in {"file", "already"}}


def _remarks(taken: Mapping[str, Any]) -> Iterator[str]:
    """What of a memory server's file there is to know."""
    bad = taken.get("bad_lines", [])
    if bad:
        listed = ", ".join(f"{each['line']} ({each['reason']})" for each in bad[:NAMED])
        more = f", and {len(bad) - NAMED} more" if len(bad) > NAMED else ""
        yield f"{len(bad)} {'line' if len(bad) == 1 else 'lines'} left out: {listed}{more}"
    unresolved = taken.get("unresolved", [])
    if unresolved:
        names = ", ".join(unresolved[:NAMED]) + (
            f", and {len(unresolved) - NAMED} more" if len(unresolved) > NAMED else ""
        )
        yield f"relations lead to names that no entity has: {names}"
    if taken.get("redacted"):
        yield f"secrets were taken out: {', '.join(f'{kind} {count}' for kind, count in taken['redacted'].items())}"


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
        # Bytes that are no UTF-8 are repaired when they are stored, as a transcript's are.
        stream = file.open(encoding="utf-8-sig", errors="surrogateescape")
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}", "check the path") from error
    with stream:
        yield stream


def _counted(counts: Mapping[str, int]) -> str:
    from memory_fabric.doors.cli.lines import tally

    return f"{sum(counts.values()):,} rows ({tally(counts)})"
