"""One file a suite: what it reads, and what counts as an item."""

from __future__ import annotations

from collections.abc import Mapping

READERS: Mapping[str, str] = {
    "locomo": "memory_fabric.evals.suites.locomo:read",
    "locomo-sessions": "memory_fabric.evals.suites.locomo:read_sessions",
    "longmemeval": "memory_fabric.evals.suites.longmemeval:read",
    "longmemeval-merged": "memory_fabric.evals.suites.longmemeval:read_merged",
    "beam": "memory_fabric.evals.suites.beam:read",
    "2wiki": "memory_fabric.evals.suites.twowiki:read",
    "multihop": "memory_fabric.evals.suites.multihop:read",
    "languages": "memory_fabric.evals.suites.languages:read",
    "memsim": "memory_fabric.evals.suites.memsim:read",
}
"""Name → the ``Reader`` of a suite's folder as ``module:function``, imported when it is asked for."""

MEASURED: Mapping[str, str] = {
    "neardup": "memory_fabric.evals.suites.neardup:measure",
    "extraction": "memory_fabric.evals.suites.extraction:measure",
}
"""Name → the function that measures a folder without a store to ask (``measure(data: Path) -> dict``), likewise."""
