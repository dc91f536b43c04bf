"""How fresh a memory is, seen from the time asked about (F-RANK-2, F-RANK-3, F-RANK-8)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from memory_fabric.model.query import Query

UNDATED = 0.5
"""Neutral: never as good as new (D-2)."""

LINEAR_DAYS, LINEAR_FLOOR = 30.0, 0.1
"""The originals' curve ``max(0.1, 1 - days / 30)``, selectable for compatibility (F-RANK-2)."""


@dataclass(frozen=True, slots=True)
class Curve:
    """How recency falls with age."""

    name: str = "soft"
    half_life: float = 90.0
    """Days after which half of what can be lost is lost."""
    floor: float = 0.5

    def __call__(self, days: float) -> float:
        """In [floor, 1] for an age in days; the future counts as now (C-133)."""
        age = max(0.0, days)
        if self.name == "linear":
            return max(LINEAR_FLOOR, 1.0 - age / LINEAR_DAYS)
        return float(self.floor + (1.0 - self.floor) * 0.5 ** (age / self.half_life))


def recency(at: datetime | None, query: Query, curve: Curve) -> float:
    """Recency of an instant: from now, or from the time that the question is about or names (C-139)."""
    if at is None:
        return UNDATED
    return curve(days_between(at, query))


def days_between(at: datetime, query: Query) -> float:
    """Days between an instant and the time asked about; 0 inside the window, never negative.

    An instant that the question was given beside its words says it best.
    """
    if query.around is not None:
        return abs((query.around - at).total_seconds()) / 86_400
    if query.window is None:
        return max(0.0, (query.now - at).total_seconds() / 86_400)
    since, before = query.window.since or at, query.window.before or at
    if since <= at <= before:
        return 0.0
    gap = since - at if at < since else at - before
    return gap.total_seconds() / 86_400
