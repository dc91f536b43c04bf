"""Figures, and what they are worth nothing without."""

from __future__ import annotations

import math
import os
import platform
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

MEBIBYTE = 1 << 20
SHARES = (50, 95, 99)
"""Percentiles that are reported."""

PACKAGES = ("numpy", "onnxruntime", "tokenizers")
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class Lap(NamedTuple):
    """Seconds that a piece of work took."""

    wall: float
    cpu: float
    """Of all threads of this process."""


def rounded(value: float) -> float:
    """Four significant digits."""
    return float(f"{value:.4g}")


def took(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of the clock that the work took, and what it gave."""
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


def lapped(work: Callable[[], object]) -> Lap:
    """What the work took by both clocks."""
    cpu = time.process_time()
    wall, _ = took(work)
    return Lap(wall, time.process_time() - cpu)


def percentile(values: Sequence[float], share: int) -> float:
    """By nearest rank: the smallest value that ``share`` per cent of all do not exceed; at least one value."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * share / 100) - 1)]


def both(rounds: Sequence[Sequence[Lap]]) -> dict[str, dict[str, float]]:
    """``percentiles`` by the clock, ``ms``, and of the processor, ``cpu_ms``, which others hardly touch."""
    return {
        "ms": percentiles([[lap.wall for lap in each] for each in rounds]),
        "cpu_ms": percentiles([[lap.cpu for lap in each] for each in rounds]),
    }


def percentiles(rounds: Sequence[Sequence[float]]) -> dict[str, float]:
    """p50, p95 and p99 in milliseconds, each the median of what the rounds (of seconds) have of it."""
    return {
        f"p{share}": rounded(1000 * statistics.median(percentile(each, share) for each in rounds)) for share in SHARES
    }


def spread(values: Sequence[float], unit: float = 1.0) -> dict[str, float]:
    """The least, the middle and the greatest, multiplied by ``unit``."""
    return {
        "min": rounded(unit * min(values)),
        "median": rounded(unit * statistics.median(values)),
        "max": rounded(unit * max(values)),
    }


def machine() -> dict[str, Any]:
    """Processors, versions and how busy it is; no names of hosts or users.

    ``loop_ms`` is what a plain loop takes at that moment: shared machines run at half their speed for minutes.
    """
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "processors": usable,
        "machine": platform.machine(),
        "system": platform.system(),
        "load_average": [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "loop_ms": rounded(1000 * min(took(lambda: sum(range(1_000_000)))[0] for _ in range(5))),
    }


def versions() -> dict[str, str]:
    """Of what the time is spent in."""
    found = {"python": f"{platform.python_implementation()} {platform.python_version()}"}
    found["sqlite"] = sqlite3.sqlite_version
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def peak_rss() -> float | None:
    """Mebibytes of memory that this process held at most, since ``forget_peak``; None where no system tells."""
    if _STATUS.exists():  # ru_maxrss counts the starting process into the started one
        found = [line.split() for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:")]
        if found:
            return rounded(int(found[0][1]) / 1024)
    try:
        import resource
    except ImportError:
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return rounded(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MEBIBYTE)


def forget_peak() -> None:
    """Begin the peak anew where Linux lets us; elsewhere it stays that of the whole process."""
    if _CLEAR.exists():
        try:
            _CLEAR.write_text("5")
        except PermissionError:
            return


def within(measured: Mapping[str, float], budget: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """Each limit of a budget with what was measured, and whether it is below."""
    return {
        name: {"limit": limit, "measured": measured[name], "kept": measured[name] < limit}
        for name, limit in budget.items()
    }
