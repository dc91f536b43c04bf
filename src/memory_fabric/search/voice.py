"""Whose words they are: what a person said counts more than what an agent said, most where the question names them."""

from __future__ import annotations

from memory_fabric.model.memory import AGENT_NAMES, SPEAKER, USER_NAMES, Memory
from memory_fabric.model.query import Query
from memory_fabric.text import analyse

AGENT = 1 / 1.4
"""Factor on a turn of an agent: a user's words count as much as 1.4 of its own (retrieval.md §9, point 4).

An exchange of both has no such factor: there, what the agent did answers as often (the commits suite loses 3 points).
"""

NAMED = 1.2
"""Factor on the words of a person whom the question names; 1.3 costs questions about another one (retrieval.md §1)."""

ASKING = 0.85
"""Factor on a turn between people that ends in a question: it says what was asked, not what is so (decision 23; on half
of LoCoMo's development questions recall@5 73.7 → 75.5).  What a user asks an agent for is often the very answer."""

QUESTION_MARKS = ("?", "？", "؟")


def voice(memory: Memory, query: Query) -> float:
    """What the sum of a memory's scores is multiplied with, in [1 / 1.4, 1.2]; 1 where nobody knows who spoke."""
    speaker = str(memory.metadata.get(SPEAKER, ""))
    if speaker.casefold() in AGENT_NAMES:
        return AGENT
    name = analyse(speaker)
    if not name or speaker.casefold() in USER_NAMES:
        return 1.0
    asking = ASKING if memory.text.rstrip().endswith(QUESTION_MARKS) else 1.0
    return asking * (NAMED if set(name) <= set(query.terms) else 1.0)
