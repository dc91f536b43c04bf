"""How relevant a memory must be to be shown unasked: stricter than where somebody asked (``search.floor``)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_fabric.sources.bm25 import idf

if TYPE_CHECKING:
    from memory_fabric.model.result import Candidate
    from memory_fabric.ports import TextIndex

GRAPH_SHARE = 0.3
"""What the graph's share adds, as in ``search.floor.Floor.graph``: that a thing is named is a hint, not an answer."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a memory must reach."""

    share: float
    """Of the attainable."""
    words: float
    """Rare words of the prompt, or as many more of common ones as say the same, that must stand in it.

    A share alone lets everything through that is short and common: "fix the issue and commit" is wholly matched by any
    exchange that says so.
    """


WITHOUT_VECTORS = Limits(share=0.55, words=1.25)
"""Text and graph alone.

Chosen by ``benchmarks/hook_bar.py`` (its docstring has the command and the rule) on the even half of the commits
suite's development queries (n = 73) and of prompts about other things.  On the odd half:

    own queries (n = 77)                 53 get something, 35 of them (66 %) from the session that made the commit;
                                         71 of 132 items (54 %) are of that session
    LongMemEval questions (n = 23)       none gets anything
    2WikiMultihop questions (n = 144)    none
    prompts of other projects (n = 37)   1 (3 %): "Create a hello world function"

Of those 37, 22 find something by search's own bar, and 7 pass the share alone.  How many words of a prompt
are asked (``prompt.MOST_TERMS``) was chosen with both halves in sight.
"""

WITH_VECTORS = Limits(share=1.00, words=0.75)
"""Where a resident server answers: the sum of the text's and the vectors' shares.

Chosen in the same way, with ``--vectors``.  On the odd half 61 of 77 own queries get something, 44 of them (72 %) from
the right session (86 of 158 items, 54 %), no question of LongMemEval or 2WikiMultihop, 3 of 37 of other projects.
"""

MANY, WHOLE = 3.0, 0.8
"""Rare words, and share of all that the prompt says, that are enough by themselves.

An exchange that is alone in its session hardly reaches half of the attainable, however well it answers: neighbours and
session count there.  On the measured prompts this lets nothing more through, in either half.
"""


def worth(found_by: Mapping[str, float]) -> float:
    """How much of the attainable a memory reaches, on its sources' own absolute scales."""
    return found_by.get("text", 0.0) + found_by.get("vector", 0.0) + GRAPH_SHARE * found_by.get("graph", 0.0)


def rarity(count: int, units: int) -> float:
    """How much a word says that stands in so many of the units, in [0, 1]: 1 for one that stands in one alone."""
    return min(1.0, idf(count, units) / (idf(1, units) or 1.0))


def rarities(terms: Sequence[str], index: TextIndex) -> dict[str, float]:
    """How much each term says."""
    counted = index.statistics(terms)
    return {term: rarity(counted.frequency.get(term, 0), counted.units) for term in terms}


def may_pass(counts: Sequence[int], units: int) -> bool:
    """Whether a memory that held words of these counts, all of them, could pass."""
    least = min(WITHOUT_VECTORS.words, WITH_VECTORS.words)
    return math.fsum(rarity(count, units) for count in counts) >= least


def above_bar(
    found: Sequence[Candidate], terms: Sequence[str], index: TextIndex, limits: Limits | None = None
) -> list[Candidate]:
    """The candidates that may be shown to somebody who did not ask for them, in order; ``terms`` are the prompt's."""
    chosen = limits or (WITH_VECTORS if any("vector" in each.found_by for each in found) else WITHOUT_VECTORS)
    if not found:
        return []
    said = rarities(terms, index)
    units = {each.memory: f"{each.prompt} {each.reply}" for each in index.units([each.memory.id for each in found])}

    total = math.fsum(said.values())

    def passes(each: Candidate) -> bool:
        text = units.get(each.memory.id, "")
        words = math.fsum(worth_ for term, worth_ in said.items() if f" {term} " in text)
        return (words >= chosen.words and worth(each.found_by) >= chosen.share) or (
            words >= MANY and words >= WHOLE * total
        )

    return [each for each in found if passes(each)]
