"""What an evaluation measured, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from memory_fabric.doors.cli.paint import Paint

_SHOWN = frozenset({"suite", "mode", "n", "metrics", "by"})


def measure_lines(found: Mapping[str, Any], paint: Paint) -> Iterator[str]:
    """The overall measures, then those of each part, then what else was measured."""
    yield paint.bold(f"{found['suite']}  mode {found['mode']}  n = {found['n']:,}")
    yield from _table(found["metrics"])
    for part, metrics in found.get("by", {}).items():
        yield ""
        yield paint.bold(str(part))
        yield from _table(metrics)
    rest = {name: value for name, value in found.items() if name not in _SHOWN}
    if rest:
        yield ""
        yield "  ".join(f"{name} {_value(value)}" for name, value in rest.items())


def _table(metrics: Mapping[str, Any]) -> Iterator[str]:
    wide = max((len(name) for name in metrics), default=0)
    for name, value in metrics.items():
        yield f"  {name:<{wide}}  {f'{value:.4f}' if isinstance(value, float) else value}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(each)}" for name, each in value.items())
    return f"{value:,}" if isinstance(value, int | float) else str(value)
