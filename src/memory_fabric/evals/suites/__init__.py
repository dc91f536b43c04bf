"""One file a suite: what it reads, and what counts as an item."""

from __future__ import annotations

from collections.abc import Mapping

READERS: Mapping[str, str] = {
    "locomo": "memory_fabric.evals.suites.locomo:read",
    "locomo-sessions": "memory_fabric.evals.suites.locomo:read_sessions",
    "longmemeval": "memory_fabric.evals.suites.longmemeval:read",
    "longmemeval-merged": "memory_fabric.evals.suites.longmemeval:read_merged",
    "beam": "memory_fabric.evals.suites.beam:read",
}
"""Name → the ``Reader`` of a suite's folder as ``module:function``, imported when it is asked for."""
