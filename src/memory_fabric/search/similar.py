"""Notes that a new one resembles, and notes that say the opposite of what it says (F-CMD-1, F-CMD-4)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from memory_fabric.model.memory import Memory, MemoryKind
from memory_fabric.model.query import Scope
from memory_fabric.ports import MemoryStore, TextIndex
from memory_fabric.search.guards import may_fold, profile
from memory_fabric.text import analyse, jaccard, words

CANDIDATES = 50
"""Notes that are compared: the best of the full text."""

ALIKE = 0.6
"""Jaccard of the words (F-DEDUP-2) from which two notes are shown side by side; nothing is folded here."""

SAME_SUBJECT = 0.4
"""Overlap of the analysed words from which two notes speak of one thing (features.md §15, contradictions of dream)."""

SHOWN = 5
"""Notes of each kind that are named."""


def neighbours(index: TextIndex, store: MemoryStore, memory: Memory) -> tuple[tuple[Memory, ...], tuple[Memory, ...]]:
    """Notes that say nearly the same as this one, and those on its subject with the opposite outcome.

    Both most alike first, at most 5.  Digits, polarity, direction and dates keep two notes apart that resemble each
    other (C-140, C-141).  A note of one project is compared with that project's and the global ones, a global note
    with all.
    """
    scope = Scope(projects=None if memory.project is None else (memory.project,), kinds=(MemoryKind.NOTE.value,))
    terms = list(dict.fromkeys(analyse(memory.text)))
    found = store.get([unit.memory for unit in index.match(terms, scope, CANDIDATES)]) if terms else []
    others = [each for each in found if each.origin.session != memory.origin.session]
    mine, own = profile(memory.text), words(memory.text)

    def likeness(other: Memory) -> float:
        return jaccard(own, words(other.text))

    def subject(other: Memory) -> float:
        return overlap(frozenset(terms), frozenset(analyse(other.text)))

    contrary = [each for each in others if _opposite(memory, each) and subject(each) >= SAME_SUBJECT]
    alike = [
        each
        for each in others
        if each not in contrary and likeness(each) >= ALIKE and may_fold(mine, profile(each.text))
    ]
    return _best(alike, likeness), _best(contrary, subject)


def overlap(left: Collection[str], right: Collection[str]) -> float:
    """Shared words over those of the shorter text, in [0, 1]; 0 where fewer than two are shared."""
    mine, theirs = frozenset(left), frozenset(right)
    shared = len(mine & theirs)
    return shared / min(len(mine), len(theirs)) if shared > 1 else 0.0


def _opposite(memory: Memory, other: Memory) -> bool:
    ours, theirs = memory.metadata.get("outcome"), other.metadata.get("outcome")
    return ours is not None and theirs is not None and theirs != ours


def _best(found: list[Memory], measure: Callable[[Memory], float]) -> tuple[Memory, ...]:
    return tuple(sorted(found, key=lambda each: (-measure(each), each.id))[:SHOWN])
