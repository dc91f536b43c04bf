"""The zero of a space's scale: how alike a question and a passage are that have nothing to do with one another.

Cosines of two models cannot be compared, nor those of two stores; standardised by this they can (decisions 6 and 7).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from memory_fabric.model.memory import SPEAKER, Memory, MemoryKind
from memory_fabric.ports import Background, Embedder, VectorIndex
from memory_fabric.text import split_exchange

MOST_QUESTIONS = 200
MOST_PASSAGES = 400
LEAST = 20
"""Questions, and passages, below which the model's prior is better than a measurement."""
LEAST_DEVIATION = 1e-3
"""Below this all texts are one text, and the prior holds."""
QUESTION_WORDS = 24
"""Words of a prompt's first sentence that stand for a question: what people type into a search."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n")


def questions_of(memories: Iterable[Memory]) -> list[str]:
    """What people asked: the first sentence of each prompt, at most 24 words, each once, in order.

    Summaries are nobody's words, and later parts of a long exchange begin in its middle: both are left out.  So is a
    speaker's name before the words: with it all turns of a conversation would seem alike.
    """
    questions: dict[str, None] = {}
    for memory in memories:
        if memory.kind is MemoryKind.SUMMARY or memory.metadata.get("part"):
            continue
        prompt = split_exchange(memory.text)[0].removeprefix(f"{memory.metadata.get(SPEAKER)}: ").strip()
        sentence = _SENTENCE_END.split(prompt, maxsplit=1)[0]
        question = " ".join(sentence.split()[:QUESTION_WORDS])
        if question:
            questions[question] = None
    return list(questions)


def calibrate(index: VectorIndex, embedder: Embedder, questions: Sequence[str]) -> Background:
    """Measure and store the background of the embedder's space; the same store and questions give the same.

    At most 200 questions, evenly spread, against at most 400 windows of different memories: every pair but, for each
    question, its nearest window, which may well be its own answer.  With fewer than 20 of either the model's prior is
    stored (``pairs`` 0).  ``deviation`` is that of the pairs, above 0.

    Raises:
        EmbedderUnavailable: the model cannot be used; the stored calibration stays as it was.
    """
    passages = index.sample(embedder.space, MOST_PASSAGES)
    background = embedder.prior
    if len(questions) >= LEAST and len(passages) >= LEAST:
        import numpy as np

        asked = np.array([embedder.embed_query(question) for question in _spread(questions, MOST_QUESTIONS)])
        cosines = np.sort(asked.astype(np.float64) @ passages.T.astype(np.float64), axis=1)[:, :-1]
        if cosines.std() >= LEAST_DEVIATION:
            background = Background(float(cosines.mean()), float(cosines.std()), int(cosines.size))
    index.calibrate(embedder.space, background)
    return background


def _spread(items: Sequence[str], most: int) -> list[str]:
    """At most that many of the items, evenly spread over them, the first among them."""
    if len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]
