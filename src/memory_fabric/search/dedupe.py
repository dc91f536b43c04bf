"""Fold restatements into the best of them; nothing of them is lost (F-DEDUP-1 to F-DEDUP-8, C-146)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from memory_fabric.model.memory import Memory, MemoryKind
from memory_fabric.model.result import Candidate
from memory_fabric.text import jaccard, words

SIMILAR = 0.85
"""Two texts more alike than this may be one: strictly above (F-DEDUP-1)."""

CROSS_VALIDATED = 1.3
"""Authority of what two independent witnesses say (F-RANK-4)."""

_NUMBER = re.compile(r"\d+")

_MASK = 511
"""Bits that stand for the words of a text, less one: some hundred words seldom share one."""


def dedupe(candidates: Iterable[Candidate], threshold: float = SIMILAR) -> list[Candidate]:
    """Keep the most relevant of each group, best first; the others are listed in its ``absorbed``.

    The order of the input does not matter (ties fall to the smaller id); doing it twice changes nothing.  The measure
    is Jaccard on the token sets (F-DEDUP-2), and similarity is necessary, never sufficient: see ``guards``.
    Exact duplicates fold as well, whatever they hold, unless they are records of a point in time.
    """
    ordered = sorted(candidates, key=lambda c: (-c.relevance, c.memory.id))
    numbers = {each.memory.id: frozenset(_NUMBER.findall(each.memory.text)) for each in ordered}
    distinct = cache(_Words.of)
    kept: list[Candidate] = []
    for candidate in ordered:
        memory = candidate.memory
        for place, other in enumerate(kept):
            if numbers[memory.id] != numbers[other.memory.id]:
                continue  # they would not pass the guards: told without reading the words
            if _alike(distinct(memory.text), distinct(other.memory.text), threshold) and _same(memory, other.memory):
                kept[place] = _fold(other, candidate)
                break
        else:
            kept.append(candidate)
    return kept


@dataclass(frozen=True, slots=True)
class _Words:
    """The distinct words of a text, and a bit for each: a word more or less turns one bit at most."""

    words: frozenset[str]
    bits: int

    @classmethod
    def of(cls, text: str) -> _Words:
        """The words of a text."""
        found = frozenset(words(text))
        bits = 0
        for word in found:
            bits |= 1 << (hash(word) & _MASK)
        return cls(found, bits)


def _alike(mine: _Words, theirs: _Words, threshold: float) -> bool:
    """Strictly more alike than the threshold.

    With s words in both together, those that only one has are fewer than s · (1 - threshold) / (1 + threshold) then;
    bits count no more of them than there are, and cost a fraction of comparing the words.
    """
    most = (len(mine.words) + len(theirs.words)) * (1.0 - threshold) / (1.0 + threshold)
    if (mine.bits ^ theirs.bits).bit_count() > most:
        return False
    return bool(mine.words) and jaccard(mine.words, theirs.words) > threshold


def _same(memory: Memory, other: Memory) -> bool:
    """Whether nothing speaks against the two being one."""
    if MemoryKind.SUMMARY in (memory.kind, other.kind):
        return False
    from memory_fabric.search.guards import may_fold, profile  # many patterns, for the few that resemble each other

    left, right = profile(memory.text), profile(other.text)
    mine, theirs = left.tokens - right.tokens, right.tokens - left.tokens
    if mine and theirs and (_names_alone(memory, mine) or _names_alone(other, theirs)):
        return False
    return may_fold(left, right)


def _names_alone(memory: Memory, differing: frozenset[str]) -> bool:
    """Whether an entity of the memory stands in the words that the other lacks: Postgres here, MySQL there."""
    return any(named and differing.issuperset(named) for named in map(words, memory.entities))


def _fold(primary: Candidate, other: Candidate) -> Candidate:
    absorbed = (*primary.absorbed, other.memory, *other.absorbed)
    validated = primary.cross_validated or other.cross_validated or independent(primary.memory, other.memory)
    return replace(
        primary,
        absorbed=absorbed,
        found_by={
            source: max(primary.found_by.get(source, 0.0), other.found_by.get(source, 0.0))
            for source in {**primary.found_by, **other.found_by}
        },
        cross_validated=validated,
        authority=max(primary.authority, CROSS_VALIDATED if validated else other.authority),
        relations=tuple(dict.fromkeys((*primary.relations, *other.relations))),
    )


def independent(left: Memory, right: Memory) -> bool:
    """Whether two memories are two witnesses: another session, or another source system (D-5).

    What we pushed to an outside memory ourselves comes back as an echo: it is no witness.
    """
    if left.origin.echo or right.origin.echo:
        return False
    return left.origin.source != right.origin.source or left.origin.session != right.origin.session
