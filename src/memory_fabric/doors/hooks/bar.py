"""How relevant a memory must be to be shown unasked: stricter than where somebody asked (``search.floor``)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_fabric.model.result import Answer, Result
from memory_fabric.sources.bm25 import idf

if TYPE_CHECKING:
    from memory_fabric.ports import TextIndex

GRAPH_SHARE = 0.3
"""What the graph's share adds, as in ``search.floor.Floor.graph``: that a thing is named is a hint, not an answer."""

SHARE = 0.55
"""Share of the attainable that a memory must reach, where there are no vectors.

Chosen with ``WORDS`` by ``benchmarks/hook_bar.py`` (its docstring has the command and the rule) on the even half of the
commits suite's development queries (n = 73) and of prompts about other things; on the odd half:

    own queries (n = 77)                 53 get something, 35 of them (66 %) from the session that made the commit;
                                         71 of 133 items (53 %) are of that session
    LongMemEval questions (n = 23)       none gets anything
    2WikiMultihop questions (n = 144)    none
    prompts of other projects (n = 37)   1 (3 %): "Create a hello world function"

With the bar of search itself (0.24, no words) 25 of those 37 would get something, with the share alone 7.
"""

WORDS = 1.25
"""Rare words of the prompt, or as many more of common ones as say the same, that must stand in a memory.

A share alone lets everything through that is short and common: "fix the issue and commit" is wholly matched by any
exchange that says so.
"""


def worth(found_by: Mapping[str, float]) -> float:
    """How much of the attainable a memory reaches, on its sources' own absolute scales, without vectors."""
    return found_by.get("text", 0.0) + GRAPH_SHARE * found_by.get("graph", 0.0)


def rarities(terms: Sequence[str], index: TextIndex) -> dict[str, float]:
    """How much each term says, in [0, 1]: its idf as a share of that of a word that stands nowhere else."""
    counted = index.statistics(terms)
    rarest = idf(1, counted.units) or 1.0
    return {term: min(1.0, idf(counted.frequency.get(term, 0), counted.units) / rarest) for term in terms}


def above_bar(answer: Answer, index: TextIndex, *, share: float = SHARE, words: float = WORDS) -> list[Result]:
    """The results that may be shown to somebody who did not ask for them, in order."""
    passed = [each for each in answer.results if worth(each.candidate.found_by) >= share]
    if not passed:
        return []
    said = rarities(answer.query.terms, index)
    units = {
        each.memory: f"{each.prompt} {each.reply}" for each in index.units([r.candidate.memory.id for r in passed])
    }
    return [
        each
        for each in passed
        if math.fsum(rarity for term, rarity in said.items() if f" {term} " in units.get(each.candidate.memory.id, ""))
        >= words
    ]
