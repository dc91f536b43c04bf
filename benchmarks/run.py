"""Benchmarks: how long Memory Fabric takes, and how much memory, on this machine.

    python benchmarks/run.py ingest  --transcripts DIR
    python benchmarks/run.py search  --home DIR --questions FILE
    python benchmarks/run.py process --home DIR

Each prints one JSON object (``--out FILE`` writes it).  Seconds of the clock depend on what else runs: beside them
stand seconds of the processor, the load average, and for whole processes the ratio to a bare ``python -c pass`` of the
same run.  FILE is a JSON list of questions, or of objects with a ``query``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from subprocess import DEVNULL, Popen
from typing import TYPE_CHECKING, Any

from memory_fabric import __version__

if TYPE_CHECKING:
    from memory_fabric import Fabric

MEBIBYTE = 1 << 20
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
"""Bytes of a unit of ``ru_maxrss``."""

QUESTION = "why did we decide to change how sessions are stored?"
MODES = ("auto", "hybrid", "vector", "graph", "text")
MAIN = "from memory_fabric.doors.cli import main; main()"


def clocks() -> tuple[float, float]:
    """The clock, and the processor time of all threads; seconds."""
    return time.perf_counter(), time.process_time()


@dataclass
class Lap:
    """What one piece of work took, in seconds."""

    wall: float = 0.0
    cpu: float = 0.0

    @classmethod
    def of(cls, work: Callable[[], Any]) -> tuple[Lap, Any]:
        """What the work took, and what it gave."""
        wall, cpu = clocks()
        result = work()
        after = clocks()
        return cls(after[0] - wall, after[1] - cpu), result


def rounded(value: float) -> float:
    """Four significant digits."""
    return float(f"{value:.4g}")


def spread(values: Sequence[float]) -> dict[str, float]:
    return {"min": rounded(min(values)), "median": rounded(statistics.median(values)), "max": rounded(max(values))}


def quantiles(values: Sequence[float]) -> dict[str, float]:
    """Nearest rank."""
    ordered = sorted(values)
    at = {f"p{share}": ordered[min(len(ordered) - 1, len(ordered) * share // 100)] for share in (50, 95, 99)}
    return {name: rounded(value) for name, value in (at | {"max": ordered[-1]}).items()}


def machine() -> dict[str, Any]:
    """What a number is worth nothing without; no names of hosts or users.

    ``loop_ms`` is what a plain loop takes at that moment: shared machines run at half their speed for minutes.
    """
    load = [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processors": usable,
        "machine": platform.machine(),
        "system": platform.system(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "load_average": load,
        "loop_ms": rounded(1000 * min(Lap.of(lambda: sum(range(1_000_000)))[0].cpu for _ in range(5))),
    }


# ── ingest ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def ingest(options: argparse.Namespace) -> dict[str, Any]:
    """Transcripts into an empty store, without vectors, and once more with nothing new."""
    from memory_fabric import Fabric, Settings

    with tempfile.TemporaryDirectory(prefix="memory-fabric-bench-") as folder:
        settings = Settings.load({}, home=Path(folder), embedder="none")
        with Fabric.open(settings) as fabric:
            first, report = Lap.of(lambda: fabric.ingest([options.transcripts]))
            peak = peak_of_this_process()
            again, _ = Lap.of(lambda: fabric.ingest([options.transcripts]))
            memories = fabric.store.count()
        size = settings.store.stat().st_size
    return {
        "n": 1,
        "files": report.count("read"),
        "bytes": report.bytes,
        "memories": memories,
        "seconds": rounded(first.wall),
        "cpu_seconds": rounded(first.cpu),
        "mebibytes_per_second": rounded(report.bytes / MEBIBYTE / first.wall),
        "peak_rss_mebibytes": rounded(peak / MEBIBYTE),
        "store_mebibytes": rounded(size / MEBIBYTE),
        "second_run": {"seconds": rounded(again.wall), "cpu_seconds": rounded(again.cpu)},
    }


def peak_of_this_process() -> int:
    """Bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


# ── search ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def search(options: argparse.Namespace) -> dict[str, Any]:
    """Questions one after another in one warm process, over all projects."""
    from memory_fabric import Fabric, Settings

    asked = questions(options.questions)[: options.n]
    with Fabric.open(Settings.load({}, home=options.home), read_only=True) as fabric:
        memories, vectors = fabric.store.count(), fabric.store.coverage()
        modes = {mode: searched(fabric, asked, mode, options.limit) for mode in options.modes}
    return {"n": len(asked), "limit": options.limit, "memories": memories, "vectors": vectors, "modes": modes}


def questions(file: Path) -> list[str]:
    rows = json.loads(file.read_text(encoding="utf-8"))
    return [row if isinstance(row, str) else row["query"] for row in rows]


def searched(fabric: Fabric, asked: Sequence[str], mode: str, limit: int) -> dict[str, Any]:
    """Milliseconds a question; the first search, which may load model and vectors, apart."""
    from memory_fabric import Mode, Scope

    def ask(question: str) -> tuple[Lap, Any]:
        return Lap.of(lambda: fabric.search(question, Scope(), mode=Mode(mode), limit=limit))

    first, _ = ask(asked[0])
    for question in asked[:5]:
        ask(question)
    answers = [ask(question) for question in asked]
    stages: dict[str, list[float]] = {}
    for _, answer in answers:
        for stage, seconds in answer.seconds.items():
            stages.setdefault(stage, []).append(1000 * seconds)
    return {
        "wall_ms": quantiles([1000 * lap.wall for lap, _ in answers]),
        "cpu_ms": quantiles([1000 * lap.cpu for lap, _ in answers]),
        "first_ms": rounded(1000 * first.wall),
        "stages_wall_ms": {stage: quantiles(times) for stage, times in stages.items()},
        "degraded": sum(answer.degraded for _, answer in answers),
    }


# ── process ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def process(options: argparse.Namespace) -> dict[str, Any]:
    """Whole processes, started one after another in turns, so that a busy moment meets all kinds alike."""
    program = [sys.executable, "-c", MAIN]
    ask = [*program, "search", QUESTION, "--all", "--home", str(options.home), "--mode"]
    commands = {"python": [sys.executable, "-c", "pass"], "version": [*program, "--version"]}
    commands |= {f"search {mode}": [*ask, mode] for mode in options.modes}
    runs: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="memory-fabric-bench-") as folder:
        environment = compiled(folder)
        for command in commands.values():
            started(command, environment)
        for _ in range(options.n):
            for name, command in commands.items():
                runs[name].append(started(command, environment))
    bare = [statistics.median(column) for column in zip(*runs["python"], strict=True)]
    return {"n": options.n, "commands": {name: summed_up(each, bare) for name, each in runs.items()}}


def compiled(folder: str) -> dict[str, str]:
    """An environment in which modules are compiled once, as in an installation, whatever the surroundings say."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEMORY_FABRIC_", "PYTHONDONTWRITE"))}
    return kept | {"PYTHONPYCACHEPREFIX": folder}


def started(command: Sequence[str], environment: dict[str, str]) -> tuple[float, float, float]:
    """Seconds of the clock, seconds of the processor, peak bytes, of one process that must end well.

    Linux counts the starting process into the peak of the started one, so this one stays small.
    """
    begun = time.perf_counter()
    child = Popen(command, env=environment, stdout=DEVNULL, stderr=DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in (0, 1):
        raise SystemExit(f"exit code {child.returncode}: {' '.join(command)}")
    return wall, used.ru_utime + used.ru_stime, float(used.ru_maxrss * RSS_UNIT)


def summed_up(runs: Sequence[tuple[float, float, float]], bare: Sequence[float]) -> dict[str, Any]:
    wall, cpu, peak = ([run[column] for run in runs] for column in range(3))
    return {
        "wall_seconds": spread(wall),
        "cpu_seconds": spread(cpu),
        "peak_rss_mebibytes": spread([bytes_ / MEBIBYTE for bytes_ in peak]),
        "times_python": {
            "wall": rounded(statistics.median(wall) / bare[0]),
            "cpu": rounded(statistics.median(cpu) / bare[1]) if bare[1] else None,
        },
    }


# ── the command line ─────────────────────────────────────────────────────────────────────────────────────────────────


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=(__doc__ or "").split("\n", 1)[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    filling = kinds.add_parser("ingest", help="transcripts into an empty store, without vectors")
    filling.add_argument("--transcripts", type=Path, required=True, metavar="DIR")
    asking = kinds.add_parser("search", help="questions in one warm process")
    asking.add_argument("--home", type=Path, required=True, metavar="DIR")
    asking.add_argument("--questions", type=Path, required=True, metavar="FILE")
    asking.add_argument("--limit", type=int, default=10)
    asking.add_argument("--n", type=int, help="only the first N questions")
    whole = kinds.add_parser("process", help="whole processes, from start to end")
    whole.add_argument("--home", type=Path, required=True, metavar="DIR")
    whole.add_argument("--n", type=int, default=15, help="runs of each command")
    for kind, modes in ((asking, ["auto", "text", "vector", "graph"]), (whole, ["auto", "text"])):
        kind.add_argument("--modes", nargs="+", default=modes, choices=MODES)
    for kind in (filling, asking, whole):
        kind.add_argument("--out", type=Path, metavar="FILE")
        kind.add_argument("--note", help="what was measured on, kept in the result")
    return parser.parse_args(given)


def main(given: Sequence[str] | None = None) -> None:
    options = arguments(given)
    facts: dict[str, Any] = {"benchmark": options.kind, "version": __version__, "date": f"{datetime.now(UTC):%Y-%m-%d}"}
    facts |= {"note": options.note} if options.note else {}
    measured = {"ingest": ingest, "search": search, "process": process}[options.kind](options)
    text = json.dumps({**facts, "machine": machine(), **measured}, indent=2) + "\n"
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
