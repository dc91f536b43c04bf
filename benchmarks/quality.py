"""Every suite of ``memory-fabric eval`` over the evaluation data, into one JSON, and the README's table from it.

    scripts/bench-quality --data DIR [--suites 2wiki,locomo] [--half check] [--keep DIR]

``DIR`` holds the folders of ``SUITES``.  Archives are unpacked into a temporary folder.  Suites that are not run, or
whose data is not there, keep the figures of an earlier run: each suite says when and with what it was measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import quality_table
from memory_fabric.errors import MemoryFabricError
from memory_fabric.evals.baseline import BASELINE
from memory_fabric.evals.compare import ALL, Estimate, compare, estimate
from memory_fabric.evals.measures import HEADLINE
from memory_fabric.evals.outcome import Outcome, Run, by_category, groups_of
from memory_fabric.evals.results import read_runs
from memory_fabric.evals.suites import MEASURED

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "benchmarks" / "results" / "quality.json"
MEASURES = (*HEADLINE, "all@10")

KEPT = ("left_out", "memories", "model", "seed", "version", "machine", "outages")
"""What is kept of a report besides its figures."""

_SAFELY: Mapping[str, Any] = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
"""Early releases of Python 3.11 know no filters."""

WHOLE = "whole"
"""In place of a half: the suite asks no store, and knows no halves."""


@dataclass(frozen=True)
class Place:
    """Where a suite's data lies below the folder of all."""

    folder: str
    archives: tuple[str, ...] = ()
    """Unpacked side by side; the suite then reads the folder that holds what was unpacked."""
    transcripts: str = ""
    """Top folder of the transcripts in the archive, for suites that ask about some."""


_COMMITS = Place("commit-to-session", ("entire-cli.tar.xz",), "entire-cli")
SUITES: Mapping[str, Place] = {
    "2wiki": Place("2wiki-hipporag"),
    "multihop": Place("hipporag-train"),
    "locomo": Place("locomo"),
    "locomo-sessions": Place("locomo"),
    "longmemeval": Place("longmemeval"),
    "longmemeval-merged": Place("longmemeval"),
    "beam": Place("beam", ("beam-100K-dev.tar.xz",)),
    "commits": _COMMITS,
    "commits-dated": _COMMITS,
    "memsim": Place("memsim"),
    "neardup": Place("near-dup", ("near-dup-dev.tar.xz",)),
    "extraction": Place("ner-re", ("ner-re-dev.tar.xz", "../mempalace-model-eval")),
}
"""Folders as the evaluation data has them."""


def main(words: Sequence[str] | None = None) -> int:
    """Exit 1 if a suite could not be run; what the others gave is written all the same."""
    given = parser().parse_args(words)
    chosen = given.suites.split(",") if given.suites else [name for name in SUITES if is_there(given.data, name)]
    unknown = [name for name in chosen if name not in SUITES]
    if unknown:
        raise SystemExit(f"unknown suite {', '.join(unknown)}; choose from {', '.join(SUITES)}")
    if not chosen:
        raise SystemExit(f"{given.data}: none of the folders {', '.join(sorted({p.folder for p in SUITES.values()}))}")
    for name in SUITES.keys() - set(chosen):
        print(f"· not run: {name}", file=sys.stderr)
    failed = []
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memory-fabric-quality-")))
        results = given.keep or scratch / "results"
        results.mkdir(parents=True, exist_ok=True)
        for name in chosen:
            try:
                entry = measured(name, given, scratch, results / f"{name}.json")
            except (MemoryFabricError, OSError, tarfile.TarError, subprocess.CalledProcessError) as error:
                print(f"error: {name}: {error}", file=sys.stderr)
                failed.append(name)
                continue
            put(given.out, name, entry)
    if not given.no_readme:
        quality_table.renew(ROOT / "README.md", given.out)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def parser() -> argparse.ArgumentParser:
    """The options."""
    options = argparse.ArgumentParser(prog="scripts/bench-quality", description=(__doc__ or "").splitlines()[0])
    options.add_argument("--data", type=Path, required=True, metavar="DIR", help="folder of all sets")
    options.add_argument("--suites", metavar="NAME,NAME…", help="default: all whose data is there")
    options.add_argument(
        "--half", choices=("tune", "check", "all"), default="check", help="questions to ask; default: %(default)s"
    )
    options.add_argument("--keep", type=Path, metavar="DIR", help="keep each suite's full result, for eval report")
    options.add_argument(
        "--out", type=Path, default=OUT, metavar="FILE", help="default: benchmarks/results/quality.json"
    )
    options.add_argument("--no-readme", action="store_true", help="leave the table of the README as it is")
    return options


def is_there(data: Path, name: str) -> bool:
    """Whether a suite's folder is."""
    return (data / SUITES[name].folder).is_dir()


def measured(name: str, given: argparse.Namespace, scratch: Path, result: Path) -> dict[str, Any]:
    """Run a suite as a user would, and give what is kept of it."""
    place = SUITES[name]
    folder = given.data / place.folder
    where = unpacked(place, folder, scratch)
    reads_archives = bool(place.archives) and not place.transcripts
    words = ["eval", "run", name, "--data", str(where if reads_archives else folder), "--json"]
    if place.transcripts:
        words += ["--transcripts", str(where / place.transcripts)]
    if name not in MEASURED:
        words += ["--all-modes"] + ([] if given.half == "all" else ["--half", given.half])
    print(f"· {name}", file=sys.stderr, flush=True)
    with result.open("wb") as file:
        subprocess.run([sys.executable, "-m", "memory_fabric.doors.entry", *words], stdout=file, check=True)
    report = json.loads(result.read_bytes())
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "half": WHOLE if name in MEASURED else given.half,
        "command": f"scripts/bench-quality --data DIR --suites {name} --half {given.half}",
        **{key: report[key] for key in KEPT if key in report},
        **(whole(report) if name in MEASURED else compact(read_runs(result))),
    }


def unpacked(place: Place, folder: Path, scratch: Path) -> Path:
    """The folder that holds what was unpacked, or what lies unpacked already; each archive is unpacked once."""
    if place.transcripts and (folder / place.transcripts).is_dir():
        return folder
    target = scratch / place.folder
    for name in place.archives:
        source = folder / name
        if target.joinpath(Path(name).name).exists():
            continue
        if source.is_dir():
            target.joinpath(Path(name).name).symlink_to(source.resolve(), target_is_directory=True)
        elif source.exists():
            target.mkdir(exist_ok=True)
            with tarfile.open(source) as archive:
                archive.extractall(target, **_SAFELY)
            target.joinpath(Path(name).name).touch()
        elif not name.startswith(".."):
            return folder
    return target if place.archives else folder


def compact(runs: Sequence[Run]) -> dict[str, Any]:
    """Figures by part and mode with their intervals, and ``auto`` against the baseline; no question by itself."""
    by_mode = {run.mode: run for run in runs}
    first = runs[0]
    parts = {ALL: None, **{name: name for name in first.categories()}}
    against = compare(by_mode[BASELINE], by_mode["auto"], MEASURES)
    groups = groups_of(first.outcomes)
    return {
        "n": len(first.outcomes),
        "groups": None if groups is None else len(set(groups)),
        "milliseconds": {run.mode: run.about["milliseconds"] for run in runs},
        "parts": {
            part: {
                "n": len(some_of(first, category)),
                "modes": {run.mode: figures(some_of(run, category)) for run in runs},
                "auto_minus_bm25": {
                    name: [*rounded(rows[part].difference), round(rows[part].p, 4)]
                    for name, rows in against.rows.items()
                },
            }
            for part, category in parts.items()
        },
    }


def some_of(run: Run, category: str | None) -> Sequence[Outcome]:
    """All questions, or a category's."""
    return run.outcomes if category is None else by_category(run.outcomes)[category]


def figures(outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Measure → mean, and the ends of its 95 % interval."""
    groups = groups_of(outcomes)
    return {name: rounded(estimate([each.measures[name] for each in outcomes], groups)) for name in MEASURES}


def rounded(found: Estimate) -> list[float]:
    """Mean, low, high; four digits."""
    return [round(value, 4) for value in (found.mean, found.interval.low, found.interval.high)]


def whole(report: Mapping[str, Any]) -> dict[str, Any]:
    """A suite that asks no store: its figures by set, as they are."""
    return {"n": report["n"], "sets": report["by"]}


def put(path: Path, name: str, entry: Mapping[str, Any]) -> None:
    """Add one suite to the file, in the order of ``SUITES``."""
    known = json.loads(path.read_text(encoding="utf-8"))["suites"] if path.exists() else {}
    suites = {**known, name: entry}
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"benchmark": "quality", "suites": {each: suites[each] for each in SUITES if each in suites}}
    path.write_text(quality_table.lines(content) + "\n", encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
