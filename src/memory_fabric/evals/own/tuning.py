"""A small sweep of the routing's numbers, each trial of it to be seen; made on one half of the questions (F-EVAL-5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from memory_fabric.search.route import Routing

NEVER, ALWAYS = (-100.0, -99.0), (99.0, 100.0)
"""Bounds of confidence between which the graph fades that no confidence falls below, or rises above."""

BOUNDS = (NEVER, (2.0, 4.0), (3.0, 5.0), (4.0, 6.0), (5.0, 7.0), (6.0, 8.0), ALWAYS)
"""``unsure`` and ``sure``, in deviations above the background."""

GRAPH = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
VECTOR = (1.5, 2.5, 3.5, 5.0)
"""Weights beside the text's, which stays 1."""

GAIN = 0.002
"""Less than this is no reason for another number."""

Scores = Mapping[str, float]
"""Set → mean reciprocal rank."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One setting, and what came of it on the tuning half."""

    routing: Routing
    scores: Scores

    @property
    def score(self) -> float:
        """Each set counts the same, however many questions it has: neither bias buys the other off."""
        return fmean(self.scores.values())

    def as_json(self) -> dict[str, object]:
        """The numbers tried, and the figures."""
        return {
            **numbers(self.routing),
            "mrr": {name: round(value, 4) for name, value in self.scores.items()},
            "mean": round(self.score, 4),
        }


def numbers(routing: Routing) -> dict[str, float]:
    """The numbers that are swept."""
    return {name: getattr(routing, name) for name in ("vector", "graph", "unsure", "sure")}


def sweep(ask: Callable[[Routing], Scores], start: Routing) -> list[Trial]:
    """The trials in their order, the present numbers first and the best last.

    Bounds, then the weights one after another, then the bounds once more, since they matter more to a heavier graph.
    A number is only changed for a gain of ``GAIN``.
    """
    tried: list[Trial] = [Trial(start, ask(start))]
    best = tried[0]
    for step in (_bounds, _graph, _vector, _bounds):
        for routing in step(best.routing):
            if all(routing != trial.routing for trial in tried):
                tried.append(Trial(routing, ask(routing)))
        leader = max(tried, key=lambda trial: trial.score)
        best = leader if leader.score >= best.score + GAIN else best
    return [*(trial for trial in tried if trial is not best), best]


def _bounds(routing: Routing) -> Sequence[Routing]:
    return [replace(routing, unsure=unsure, sure=sure) for unsure, sure in BOUNDS]


def _graph(routing: Routing) -> Sequence[Routing]:
    return [replace(routing, graph=weight) for weight in GRAPH]


def _vector(routing: Routing) -> Sequence[Routing]:
    return [replace(routing, vector=weight) for weight in VECTOR]
