"""What came of one question: kept in the result file, so that two runs can be compared question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from memory_fabric.evals.measures import means

KEPT = 10
"""Items of a ranking that are kept: as deep as the deepest measure looks, but for ``mrr``."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One question, answered and measured."""

    id: str
    gold: frozenset[str]
    ranking: tuple[str, ...]
    """The first ``KEPT`` items, best first; the measures are those of the whole ranking."""
    measures: Mapping[str, float]
    """In [0, 1]."""
    categories: tuple[str, ...] = ()
    milliseconds: float = 0.0
    group: str = ""
    """Questions of one group, such as a conversation, are resampled together; empty is a group of its own."""
    score: float | None = None
    """The first result's score, in [0, 1]; None without a result, and for the baseline."""
    confidence: float | None = None
    """The best vector hit among the results, in deviations above the background; None where no vectors were asked."""
    graph: float | None = None
    """The graph's share of the mix, in [0, 1]; None where nothing was mixed."""

    def as_json(self) -> dict[str, object]:
        """As it stands in the result file."""
        known = {"score": self.score, "confidence": self.confidence, "graph": self.graph}
        return {
            "id": self.id,
            "gold": sorted(self.gold),
            "ranking": list(self.ranking),
            "measures": {name: round(value, 6) for name, value in self.measures.items()},
            "categories": list(self.categories),
            "milliseconds": round(self.milliseconds, 3),
            "group": self.group,
            **{name: None if value is None else round(value, 6) for name, value in known.items()},
        }

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> Outcome:
        """From a result file; numbers are checked, since they are drawn and computed with.

        Raises:
            KeyError, TypeError, ValueError: the row is of another shape.
        """
        return cls(
            id=str(row["id"]),
            gold=frozenset(map(str, row["gold"])),
            ranking=tuple(map(str, row["ranking"])),
            measures={str(name): _number(value, 0.0, 1.0) for name, value in row["measures"].items()},
            categories=tuple(map(str, row["categories"])),
            milliseconds=_number(row["milliseconds"], 0.0, 1e12),
            group=str(row.get("group") or ""),
            score=_optional(row.get("score"), 0.0, 1.0),
            confidence=_optional(row.get("confidence"), -1e6, 1e6),
            graph=_optional(row.get("graph"), 0.0, 1.0),
        )


def _number(value: object, low: float, high: float) -> float:
    if not isinstance(value, int | float) or not low <= value <= high:
        raise ValueError(f"{value!r} is not a number from {low} to {high}")
    return float(value)


def _optional(value: object, low: float, high: float) -> float | None:
    return None if value is None else _number(value, low, high)


@dataclass(frozen=True, slots=True)
class Run:
    """All outcomes of one suite in one mode, and what they were measured with."""

    name: str
    """For tables and plots: the mode, with the file's name where there are several files."""
    suite: str
    mode: str
    outcomes: tuple[Outcome, ...]
    about: Mapping[str, object] = field(default_factory=dict)
    """``split``, ``seed``, ``model``, ``version``, ``machine`` and what else the file says of the whole run."""

    def categories(self) -> dict[str, list[Outcome]]:
        """Category → its questions, categories in order of appearance; a question may stand in several."""
        return by_category(self.outcomes)


def by_category(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    """Category → its outcomes, categories in order of appearance."""
    found: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        for category in outcome.categories:
            found.setdefault(category, []).append(outcome)
    return found


def groups_of(outcomes: Sequence[Outcome]) -> list[str] | None:
    """What to resample: the groups; None where every question stands for itself.

    A question without a group beside others that have one is a group of its own.
    """
    if not any(outcome.group for outcome in outcomes):
        return None
    return [f"group {each.group}" if each.group else f"question {each.id}" for each in outcomes]


def summary(outcomes: Sequence[Outcome]) -> dict[str, object]:
    """Means over all questions and over each category's, and the milliseconds of a question.

    Raises:
        ValueError: there is no question.
    """
    times = sorted(outcome.milliseconds for outcome in outcomes)
    return {
        "metrics": means([outcome.measures for outcome in outcomes]),
        "by": {
            category: {"n": len(some), **means([outcome.measures for outcome in some])}
            for category, some in by_category(outcomes).items()
        },
        "milliseconds": {"p50": round(median(times), 2), "p95": round(times[int(0.95 * (len(times) - 1))], 2)},
    }
