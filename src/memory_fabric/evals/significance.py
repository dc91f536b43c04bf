"""How sure a figure is: bootstrap intervals, a paired randomization test, wins and losses.

Both resample *groups*: single questions, unless questions share one (the conversation they ask about).  Answers within
one conversation rise and fall together, so resampling single questions would promise too narrow an interval.
Definitions: B. Efron, R. Tibshirani, "An Introduction to the Bootstrap" (1993), ch. 13 (percentile interval);
M. Smucker, J. Allan, B. Carterette, "A comparison of statistical significance tests for information retrieval
evaluation" (CIKM 2007) for the randomization test.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

SEED = 20261130
"""Of every random draw here, so that a figure can be repeated to the last digit; printed with every report."""

RESAMPLES = 10_000
"""Draws: the ends of a 95 % interval then wobble by about a fiftieth of its width."""

CONFIDENCE = 0.95

EXACT = 12
"""Groups up to which every assignment of signs is tried, 4,096 at most; more are drawn at random."""

BLOCK = 4_000_000
"""Numbers drawn at once, 32 MB."""

EQUAL = 1e-9
"""Differences below are none: the rest of a sum of floating-point numbers in another order."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Both ends belong to it."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Tally:
    """On how many questions the first of two systems was better, equal and worse."""

    wins: int
    ties: int
    losses: int


def bootstrap(
    values: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Interval:
    """The percentile interval of the mean over questions; ``groups`` gives the group of each value.

    Raises:
        ValueError: no value, another number of groups than of values, or a confidence outside (0, 1).
    """
    import numpy as np

    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence {confidence} is not between 0 and 1")
    sums, counts = _by_group(values, groups)
    generator = np.random.default_rng(seed)
    means = np.empty(resamples)
    step = max(1, BLOCK // len(sums))
    for start in range(0, resamples, step):
        drawn = generator.integers(len(sums), size=(min(step, resamples - start), len(sums)))
        means[start : start + step] = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(means, (tail, 1.0 - tail))
    return Interval(float(low), float(high))


def randomization(
    first: Sequence[float],
    second: Sequence[float],
    groups: Sequence[Hashable] | None = None,
    *,
    trials: int = RESAMPLES,
    seed: int = SEED,
) -> float:
    """How often chance alone makes two paired systems differ as much as these do: the two-sided p, in (0, 1].

    If both are equal, each group's difference may as well have the other sign.  With few groups every assignment is
    tried and p is exact; else the observed one counts as one of the drawn, so that p is never 0.

    Raises:
        ValueError: no value, or sequences of unequal length.
    """
    import numpy as np

    differences, _ = _by_group(_differences(first, second), groups)
    observed = abs(float(differences.sum()))
    size = len(differences)
    if size <= EXACT:
        signs = 1.0 - 2.0 * (np.arange(2**size)[:, None] >> np.arange(size) & 1)
        return float((np.abs(signs @ differences) >= observed - EQUAL).mean())
    generator = np.random.default_rng(seed)
    as_far = 0
    step = max(1, BLOCK // size)
    for start in range(0, trials, step):
        signs = 1.0 - 2.0 * generator.integers(2, size=(min(step, trials - start), size))
        as_far += int((np.abs(signs @ differences) >= observed - EQUAL).sum())
    return (as_far + 1) / (trials + 1)


def tally(first: Sequence[float], second: Sequence[float]) -> Tally:
    """On how many questions the first is better, equal, worse.

    Raises:
        ValueError: sequences of unequal length.
    """
    differences = _differences(first, second)
    wins = sum(each > EQUAL for each in differences)
    losses = sum(each < -EQUAL for each in differences)
    return Tally(wins, len(differences) - wins - losses, losses)


def _differences(first: Sequence[float], second: Sequence[float]) -> list[float]:
    return [a - b for a, b in zip(first, second, strict=True)]


def _by_group(values: Sequence[float], groups: Sequence[Hashable] | None) -> tuple[Numbers, Numbers]:
    """Sum and number of the values of each group, groups in order of appearance."""
    import numpy as np

    if not values:
        raise ValueError("no value")
    names = range(len(values)) if groups is None else groups
    if len(names) != len(values):
        raise ValueError(f"{len(names)} groups for {len(values)} values")
    place: dict[Hashable, int] = {}
    where = [place.setdefault(name, len(place)) for name in names]
    sums, counts = np.zeros(len(place)), np.zeros(len(place))
    np.add.at(sums, where, values)
    np.add.at(counts, where, 1.0)
    return sums, counts
