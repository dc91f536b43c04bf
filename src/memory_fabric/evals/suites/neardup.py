"""The suite ``neardup``: whether the search folds two texts into one where they say the same, and only there.

What decides is the product's own: two memories of equal relevance, as ingest makes them, through ``search.dedupe``
(similarity, guards, names).  See ``pairs`` for the sets and what counts as the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from memory_fabric.errors import UsageError
from memory_fabric.evals.suites.finding import Finder, scores
from memory_fabric.evals.suites.pairs import LEFT_OUT, Pair, sets
from memory_fabric.model.result import Candidate
from memory_fabric.search.dedupe import SIMILAR, dedupe

CURVE = (0.4, 0.5, 0.6, 0.7, 0.75, 0.8, SIMILAR, 0.9, 0.95)
"""Thresholds of the curve: from where the README's best F1 of a token measure lies, to near identity."""

FOLDER = "near-dup"
"""Top folder of the set's archive."""


def measure(data: Path) -> dict[str, object]:
    """Precision, recall and F1 of "same" per set, at the default threshold and along the curve, with all counts.

    Shares are in [0, 1], four digits; a share of nothing is None.  ``n`` is the number of pairs, ``positive`` of those
    labelled the same, ``folded`` of those that the product folds, ``correct`` of those that are both.

    Raises:
        UsageError: the folder holds none of the sets, or a file is not of the documented shape.
    """
    folder = data / FOLDER if (data / FOLDER).is_dir() else data
    finder = Finder()
    measured = {name: _measured(pairs, finder.candidate) for name, pairs in sets(folder)}
    if not measured:
        raise UsageError(f"{data}: none of the sets of near duplicates is there", "unpack near-dup-dev.tar.xz into it")
    return {"suite": "neardup", "threshold": SIMILAR, "sets": measured, "left_out": dict(LEFT_OUT)}


def folds(left: Candidate, right: Candidate, threshold: float = SIMILAR) -> bool:
    """Whether the search makes one result of the two."""
    return len(dedupe((left, right), threshold)) == 1


def _measured(pairs: Sequence[Pair], candidate: Callable[[str, str], Candidate]) -> dict[str, object]:
    """Pairs that a threshold keeps apart, every higher one keeps apart too: each asks only what the one before left."""
    positive = sum(pair.same for pair in pairs)
    together, curve = pairs, {}
    for threshold in CURVE:
        together = [
            pair for pair in together if folds(candidate("a", pair.left), candidate("b", pair.right), threshold)
        ]
        correct = sum(pair.same for pair in together)
        curve[str(threshold)] = {
            "folded": len(together),
            "correct": correct,
            **scores(correct, len(together), positive),
        }
    return {"n": len(pairs), "positive": positive, **curve[str(SIMILAR)], "curve": curve}
