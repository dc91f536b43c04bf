"""Exact BM25 on a handful of units, with counts diffused over neighbouring exchanges (design §4.17, retrieval.md §9).

FTS5 finds the candidates; this scores them: Lucene idf (FTS5 floors the idf of frequent words), what the user said
counted more than what the agent said, and a part for the neighbourhood, which is the largest lever on conversations.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_fabric.ports import TextStatistics, TextUnit


K1 = 0.9
B_UNIT = 0.5
"""Saturation and length normalisation (retrieval.md §9, point 3)."""

PROMPT_WEIGHT = 1.4
"""A word of the user counts as much as 1.4 words of the agent (retrieval.md §9, point 4)."""

BACK, FORWARD = 4, 3
"""Exchanges before and after that lend their words (retrieval.md §9, point 3)."""

_BACK_DECAY = tuple(0.8 ** (distance - 1) for distance in range(1, BACK + 1))
_FORWARD_DECAY = tuple(0.6 * 0.8 ** (distance - 1) for distance in range(1, FORWARD + 1))

_SHORT, _LONG = 30.0, 150.0
_B_SHORT, _B_LONG = 0.0, 0.75
"""Length normalisation of the context, likewise: the words that neighbours lend a short turn say nothing about its own
length (LoCoMo, half of the development questions: recall@5 +4; the other half the same)."""

_CONTEXT_SHORT, _CONTEXT_LONG = 1.5, 0.4
"""Weight of the context for units of up to 30 and from 150 tokens on average; between them by the logarithm
(retrieval.md §9 has 1.5 when turns are short, 0.3 when messages are long; 0.35 to 0.5 did best on half of the commits
suite's questions, and the other half was the same)."""


def idf(frequency: int, units: int) -> float:
    """Lucene's inverse document frequency: positive for every word."""
    return math.log(1.0 + (units - frequency + 0.5) / (frequency + 0.5))


def context_weight(mean_length: float) -> float:
    """How much the neighbourhood counts, by the mean length of units in tokens; in [0.4, 1.5]."""
    return between(_CONTEXT_SHORT, _CONTEXT_LONG, mean_length)


def context_b(mean_length: float) -> float:
    """Length normalisation of the neighbourhood, by the mean length of units in tokens; in [0, 0.75]."""
    return between(_B_SHORT, _B_LONG, mean_length)


def between(short: float, long: float, mean_length: float) -> float:
    """From ``short`` at 30 tokens to ``long`` at 150, by the logarithm."""
    share = min(1.0, math.log(max(mean_length, _SHORT) / _SHORT) / math.log(_LONG / _SHORT))
    return short + share * (long - short)


@dataclass(frozen=True, slots=True)
class Scorer:
    """BM25 for the terms of one question."""

    terms: tuple[str, ...]
    idfs: tuple[float, ...]
    mean_length: float
    context: float
    """Weight of the context part."""

    @classmethod
    def of(cls, terms: Sequence[str], statistics: TextStatistics) -> Scorer:
        """The scorer for these terms in this index."""
        return cls(
            tuple(f" {term} " for term in terms),
            tuple(idf(statistics.frequency.get(term, 0), statistics.units) for term in terms),
            max(statistics.mean_length, 1.0),
            context_weight(statistics.mean_length),
        )

    @property
    def ceiling(self) -> float:
        """The score of a unit, in a neighbourhood, that is full of every term: never reached, only approached."""
        return sum(self.idfs) * (K1 + 1.0) + self.lent

    @property
    def lent(self) -> float:
        """What of that the neighbourhood gives."""
        return sum(self.idfs) * (K1 + 1.0) * self.context

    def counts(self, unit: TextUnit) -> tuple[float, ...]:
        """Weighted count of each term in a unit."""
        prompted, replied = unit.prompt.count, unit.reply.count
        return tuple([PROMPT_WEIGHT * prompted(term) + replied(term) for term in self.terms])

    def own(self, unit: TextUnit, counts: Sequence[float]) -> float:
        """BM25 of a unit by itself."""
        return self._saturated(counts, unit.length, B_UNIT)

    def neighbourhood(self, unit: TextUnit, counts: Mapping[int, Sequence[float]]) -> float:
        """Weighted BM25 of a unit's counts diffused with its neighbours' (``counts`` by place, its own among them)."""
        spread = list(counts[unit.place])
        for decays, direction in ((_BACK_DECAY, -1), (_FORWARD_DECAY, 1)):
            for distance, decay in enumerate(decays, 1):
                neighbour = counts.get(unit.place + direction * distance)
                if neighbour is not None:
                    spread = [count + decay * other for count, other in zip(spread, neighbour, strict=True)]
        return self.context * self._saturated(spread, unit.length, context_b(self.mean_length))

    def alone(self, unit: TextUnit) -> float:
        """Score of a unit that stands alone, before its session's: no neighbour lends it a word."""
        counts = self.counts(unit)
        return self.own(unit, counts) + (self.neighbourhood(unit, {unit.place: counts}) if any(counts) else 0.0)

    def _saturated(self, counts: Sequence[float], length: int, b: float) -> float:
        norm = K1 * (1.0 - b + b * length / self.mean_length)
        return sum(
            weight * count * (K1 + 1.0) / (count + norm)
            for weight, count in zip(self.idfs, counts, strict=True)
            if count
        )
