"""The background of a model that nobody measured: how alike it finds sentences that have nothing in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from memory_fabric.ports import Background

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

QUESTIONS = (
    "Why does the login page time out after an hour?",
    "Which paint did we choose for the kitchen wall?",
    "When is the train to the coast?",
    "How do I run the tests of one folder only?",
    "What does the cat eat in the morning?",
    "Who keeps the keys of the server room?",
)
PASSAGES = (
    "The invoice service retries a failed payment three times before it gives up.",
    "Water the tomatoes early, and cut off the lowest leaves.",
    "The choir meets on the first Thursday of every month in the old school.",
    "We moved the nightly report from a cron job to a queue, since it ran twice when the clocks changed.",
    "Her bicycle has a loose chain and a new lamp.",
    "The glacier lost eleven metres of ice in a single summer.",
)
"""Each question has nothing to do with any passage."""

LEAST_DEVIATION = 0.01
"""36 pairs can lie closer together than a store's; a scale this fine would call everything relevant."""


def background_of(questions: Vectors, passages: Vectors, same: Vectors) -> Background:
    """From the unit vectors of ``QUESTIONS``, of ``PASSAGES``, and of ``QUESTIONS`` as passages; ``pairs`` is 0."""
    cosines = questions.astype(np.float64) @ passages.T.astype(np.float64)
    return Background(
        float(cosines.mean()), max(float(cosines.std()), LEAST_DEVIATION), 0, float((questions * same).sum(1).mean())
    )
