"""Whole processes: from the start of a program to its first answer, and how much memory it held."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from memory_fabric.errors import MemoryFabricError
from memory_fabric.evals.bench.figures import spread
from memory_fabric.settings import Settings, environment

RUNS = 5

MAIN = "from memory_fabric.doors.cli import main; main()"
"""What the console script runs."""

PEAK = """import sys
from memory_fabric.doors.cli import call
call(*sys.argv[1:])
from memory_fabric.evals.bench.figures import peak_rss
print(peak_rss(), file=sys.stderr)"""
"""The same call, and its peak as the last line of stderr: what the system tells of a child counts its parent in."""


class ProcessFailed(MemoryFabricError):  # noqa: N818 - a state, told like an error
    """A search as a process of its own did not end well."""

    code = "process_failed"


def cold_start(settings: Settings, question: str, modes: Sequence[str]) -> dict[str, Any]:
    """Seconds from start to end of ``memory-fabric search``, in turns with a bare interpreter, and its peak in MiB.

    The processes are new, the disk's pages are in memory and modules are compiled, as after the first call of a day.

    Raises:
        ProcessFailed: one of them did not end well.
    """
    asking = ["search", question, "--all", "--json", "--home", str(settings.home), "--mode"]
    commands = {"python": [sys.executable, "-c", "pass"]}
    commands |= {mode: [sys.executable, "-c", MAIN, *asking, mode] for mode in modes}
    seconds: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="memory-fabric-bench-") as folder:
        surroundings = _surroundings(folder, settings.embedder)
        for command in commands.values():
            _run(command, surroundings)
        for _ in range(RUNS):
            for name, command in commands.items():
                seconds[name].append(_run(command, surroundings)[0])
        peaks = {mode: _run([sys.executable, "-c", PEAK, *asking, mode], surroundings)[1] for mode in modes}
    found: dict[str, Any] = {name: {"seconds": spread(each)} for name, each in seconds.items()}
    for mode, said in peaks.items():
        last = said.strip().splitlines()[-1]
        found[mode]["peak_rss_mebibytes"] = None if last == "None" else float(last)
    return {"n": RUNS, **found}


def _surroundings(folder: str, embedder: str) -> dict[str, str]:
    """Modules are compiled once, as in an installation, and no setting of the user's reaches it."""
    kept = {
        k: v for k, v in environment().items() if not k.startswith(("MEMORY_FABRIC_", "FABRIC_", "PYTHONDONTWRITE"))
    }
    return kept | {"PYTHONPYCACHEPREFIX": folder, "OPENBLAS_NUM_THREADS": "1", "MEMORY_FABRIC_EMBEDDER": embedder}


def _run(command: Sequence[str], surroundings: dict[str, str]) -> tuple[float, str]:
    begun = time.perf_counter()
    ended = subprocess.run(  # noqa: S603 - our own program
        command, env=surroundings, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False
    )
    seconds = time.perf_counter() - begun
    if ended.returncode not in (0, 1):  # 1: found nothing
        raise ProcessFailed(
            f"exit code {ended.returncode}: {ended.stderr.strip()[-400:]}", "run `memory-fabric doctor`"
        )
    return seconds, ended.stderr
