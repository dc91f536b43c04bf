"""``bench``: measure how fast it is on this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from memory_fabric.doors.cli.desk import DONE, AsJson, Desk, Home
from memory_fabric.errors import UsageError

LEAST, MOST = 20, 10_000_000
"""Memories of a store: one session, and more than anybody's life."""


def bench(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    *,
    memories: Annotated[
        str, typer.Option("--memories", metavar="N,N…", help="Sizes of the memories made for it.")
    ] = "10000,100000",
    queries: Annotated[int, typer.Option("--queries", metavar="N", min=1, help="Questions a mode and round.")] = 100,
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Keep the memories there, and use them again.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="Write the data to this file too.")] = None,
    home: Home = None,
    as_json: AsJson = False,
) -> int:
    """Measure how fast it is on this machine."""
    sizes = _sizes(memories)
    from memory_fabric import clock
    from memory_fabric.doors.cli.progress import bars
    from memory_fabric.doors.cli.show.bench import bench_lines
    from memory_fabric.evals.bench.run import Wish, run

    desk = Desk.of(context, home, as_json)
    if out is not None and not out.parent.is_dir():
        raise UsageError(f"{out.parent} is no folder", "make it first")
    with bars(desk) as shown:
        found = run(Wish(sizes, queries, keep), desk.settings, clock.utcnow(), shown.stage())
    if out is not None:
        out.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    desk.data(found)
    desk.say(*bench_lines(found, desk.paint))
    return DONE


def _sizes(given: str) -> tuple[int, ...]:
    """The sizes of ``10000,100000``.

    Raises:
        UsageError: one of them is no number, or out of range.
    """
    sizes = []
    for word in given.replace("_", "").split(","):
        if not word.strip().isdecimal() or not LEAST <= int(word) <= MOST:
            raise UsageError(f"--memories {given!r}: {word!r} is no size", f"numbers from {LEAST} to {MOST:,}")
        sizes.append(int(word))
    return tuple(sizes)
