"""What an evaluation measured, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_fabric.doors.cli.paint import Paint


def measure_lines(found: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """The overall measures, then those of each part."""
    yield paint.bold(f"{found['suite']}  mode {found['mode']}  n = {found['n']:,}")
    yield from _table(found["metrics"])
    for part, metrics in found.get("by", {}).items():
        yield ""
        yield paint.bold(str(part))
        yield from _table(metrics)


def _table(metrics: Mapping[str, Any]) -> Iterator[str]:
    wide = max((len(name) for name in metrics), default=0)
    for name, value in metrics.items():
        shown = f"{value:.4f}" if isinstance(value, float) else str(value)
        yield f"  {name:<{wide}}  {shown}"
