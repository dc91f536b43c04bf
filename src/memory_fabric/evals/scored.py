"""Figures of the suites that ask no store: precision, recall and F1 of each set, as rows that a person can read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

COLUMNS = ("set", "part", "n", "right", "given", "correct", "precision", "recall", "F1")

_ASIDE = frozenset({"mapping", "curve", "exact_by_type", "relaxed_by_type"})
"""What stands in the JSON alone."""


@dataclass(frozen=True, slots=True)
class Sets:
    """One suite's figures, and what they were measured with."""

    suite: str
    sets: Mapping[str, Mapping[str, Any]]
    about: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scored:
    """One part of a set."""

    set: str
    part: str
    n: int
    """Texts or pairs."""
    counts: tuple[int | None, int | None, int | None]
    """Right ones there are, given ones, and correct ones of those given."""
    scores: tuple[float | None, float | None, float | None]
    """Precision, recall and F1 in [0, 1]; None for a share of nothing."""

    def cells(self) -> tuple[str, ...]:
        """Under ``COLUMNS``."""
        counts = ("–" if count is None else f"{count:,}" for count in self.counts)
        scores = ("–" if score is None else f"{score:.3f}" for score in self.scores)
        return (self.set, self.part, f"{self.n:,}", *counts, *scores)


def scored(sets: Mapping[str, Mapping[str, Any]]) -> list[Scored]:
    """Every part that has a precision, in the order of the sets."""
    return [each for name, row in sets.items() for each in _parts(name, (), row, row)]


def _parts(name: str, path: tuple[str, ...], row: Mapping[str, Any], whole: Mapping[str, Any]) -> Iterator[Scored]:
    """``whole`` holds the counts that a part does not repeat."""
    if "precision" in row:
        seen = {**whole, **row}
        counts = (seen.get("gold", seen.get("positive")), seen.get("given", seen.get("folded")), seen.get("correct"))
        n = int(seen.get("n", seen.get("texts", 0)))
        yield Scored(name, " ".join(path), n, counts, (row["precision"], row["recall"], row["f1"]))
    for part, inner in row.items():
        if isinstance(inner, Mapping) and part not in _ASIDE:
            yield from _parts(name, (*path, part), inner, {**whole, **row})
