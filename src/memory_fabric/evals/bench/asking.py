"""Ask questions, one after another in one warm process, and note how long each took."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from memory_fabric.evals.bench.figures import Lap, both, lapped, percentile, rounded, took
from memory_fabric.evals.bench.stages import TimedFabric
from memory_fabric.evals.bench.synthetic import PROJECTS
from memory_fabric.model.query import Mode, Scope

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.model.result import Answer
    from memory_fabric.settings import Settings

ROUNDS = 3
"""A figure is the median of what the rounds have of it: one busy moment does not make it."""

LIMIT = 10
"""Results asked for."""

WARM = 5
"""Searches of each kind before the first that counts, besides the one that loads model and vectors."""

WITHOUT_VECTORS = (Mode.TEXT, Mode.GRAPH)


@dataclass(frozen=True, slots=True)
class Kind:
    """One way to ask."""

    name: str
    mode: Mode
    scope: Scope = Scope()

    def ask(self, fabric: Fabric, question: str) -> Answer:
        """As every door asks, redaction of the answer included."""
        return fabric.search(question, self.scope, mode=self.mode, limit=LIMIT)


def kinds(embedder: str) -> tuple[Kind, ...]:
    """Every mode over all projects, and the default in the one that holds most."""
    modes = WITHOUT_VECTORS if embedder == "none" else tuple(Mode)
    one = Kind(f"{modes[0].value}, one project", modes[0], Scope(projects=(PROJECTS[0].id,)))
    return (*(Kind(mode.value, mode) for mode in modes), one)


def needed(embedder: str, queries: int) -> int:
    """Different questions that ``asked`` asks: none twice, since words and vectors of the last ones are kept."""
    return len(kinds(embedder)) * (WARM + queries * (ROUNDS + 1)) + 1


def asked(settings: Settings, questions: Sequence[str], queries: int, tell: Callable[[int], None]) -> dict[str, Any]:
    """Milliseconds of a search by kind, and of its stages, in rounds in which every kind has its turn.

    ``first_ms`` is the very first search, which loads the model and reads the vectors.
    """
    left, ways = iter(questions), kinds(settings.embedder)
    with TimedFabric.open(settings, read_only=True) as fabric:
        first, _ = took(lambda: ways[0].ask(fabric, next(left)))
        for kind in ways:
            _laps(fabric, kind, _next(left, WARM))
        rounds: list[dict[str, list[Lap]]] = []
        for number in range(ROUNDS):
            rounds.append({kind.name: _laps(fabric, kind, _next(left, queries)) for kind in ways})
            tell(number + 1)
        staged = {kind.name: _staged(fabric, kind, _next(left, queries)) for kind in ways}
    return {
        "first_ms": rounded(1000 * first),
        "modes": {kind.name: _summed_up([each[kind.name] for each in rounds], staged[kind.name]) for kind in ways},
    }


def _next(left: Iterator[str], count: int) -> list[str]:
    return [next(left) for _ in range(count)]


def _laps(fabric: Fabric, kind: Kind, questions: Sequence[str]) -> list[Lap]:
    return [lapped(lambda q=question: kind.ask(fabric, q)) for question in questions]  # type: ignore[misc]


def _staged(fabric: TimedFabric, kind: Kind, questions: Sequence[str]) -> dict[str, Any]:
    """Stages by the share they have of the whole, the greatest first, and how many questions were answered."""
    laps: list[Mapping[str, float]] = []
    answered = degraded = 0
    fabric.laps.taken()
    for question in questions:
        seconds, answer = took(lambda q=question: kind.ask(fabric, q))  # type: ignore[misc]
        laps.append({"all of it": seconds, **fabric.laps.taken()})
        answered += bool(answer.results)
        degraded += answer.degraded
    names = dict.fromkeys(name for lap in laps for name in lap)
    columns = {name: [lap.get(name, 0.0) for lap in laps] for name in names}
    ordered = sorted(columns, key=lambda name: -sum(columns[name]))
    stages = {
        name: {f"p{share}": rounded(1000 * percentile(columns[name], share)) for share in (50, 95)} for name in ordered
    }
    return {"answered": answered, "degraded": degraded, "stages_ms": stages}


def _summed_up(rounds: Sequence[Sequence[Lap]], staged: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "n": sum(map(len, rounds)),
        **both(rounds),
        "p50_of_rounds_ms": [rounded(1000 * median(lap.wall for lap in each)) for each in rounds],
        **staged,
    }
