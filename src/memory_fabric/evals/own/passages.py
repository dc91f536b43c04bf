"""The set ``single-hop``: vague words for a passage, which is to be found by them (F-EVAL-2)."""

from __future__ import annotations

from collections import Counter

from memory_fabric.evals.own.making import Bias, Made, draw, short_id
from memory_fabric.evals.own.snapshot import Chunk, Snapshot
from memory_fabric.evals.own.wording import Wording
from memory_fabric.evals.suite import Question
from memory_fabric.model.memory import MemoryKind

SHORTEST, LONGEST = 800, 6000
"""Characters of a passage that a question is made of, both included (F-EVAL-2)."""


def single_hop(held: Snapshot, wording: Wording, limit: int) -> Made:
    """At most ``limit`` questions, drawn by chance; those of one session are a group."""
    questions: list[Question] = []
    skipped: Counter[str] = Counter()
    for chunk in draw(held.chunks.values(), lambda each: each.id):
        reason = _unfit(held, chunk)
        worded = reason or wording.vague(chunk.id, chunk.id)
        if isinstance(worded, str):
            skipped[worded] += 1
        elif any(each.text == worded.text for each in questions):
            skipped["the same words as another"] += 1
        elif len(questions) == limit:
            skipped["beyond the limit"] += 1
        else:
            id_ = short_id(Bias.SINGLE_HOP, chunk.id)
            gold = frozenset((chunk.id,))
            questions.append(Question(id_, worded.text, gold, (Bias.SINGLE_HOP.value,), chunk.session))
    return Made(Bias.SINGLE_HOP, tuple(questions), skipped, Counter({"the passage itself": len(questions)}))


def _unfit(held: Snapshot, chunk: Chunk) -> str | None:
    if chunk.kind != MemoryKind.EXCHANGE:
        return "no exchange"
    if not SHORTEST <= len(chunk.text) <= LONGEST:
        return f"not of {SHORTEST} to {LONGEST} characters"
    return None if chunk.id in held.related else "without a relation"
