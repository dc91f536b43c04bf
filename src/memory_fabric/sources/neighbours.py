"""What the turns around a turn lend it: "The cello." means little by itself, and much after "Which instrument?"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_fabric.model.memory import SPEAKER, USER_NAMES, Memory, MemoryId, SessionId
from memory_fabric.sources.bm25 import between

if TYPE_CHECKING:
    from memory_fabric.ports import TextUnit

BACK, FORWARD = (0.4, 0.3), (0.35, 0.2)
"""Shares of the turns before and after that are added, nearest first (half of LoCoMo's development questions, lab with
exact scores: recall@10 81.5 without them, 83.1 with them; averaging the vectors themselves gains no more)."""

LENT_AT_MOST = sum((*BACK, *FORWARD))
"""What neighbours add to a turn among turns that all match perfectly."""

IN_CONTEXT = 60
"""Nearest turns, at least, that are ordered anew by what their neighbours and their replies lend."""

REPLY = 0.5
"""Share of the reply's score that a user's own turn gets: an agent takes up what it was asked in other words (decision
23; BEAM's six abilities, half of the questions: recall@5 72.7 → 74.8, the other half 72.4 → 75.2)."""


def vector_context(mean_length: float) -> float:
    """How much neighbours lend, by the mean length of units in tokens: 1 up to 30, 0 from 150 on."""
    return between(1.0, 0.0, mean_length)


def lent(places: Mapping[int, MemoryId], place: int, scores: Mapping[MemoryId, float]) -> float:
    """The weighted sum of the neighbours' scores; a neighbour without one lends nothing."""
    around = [(place - distance, share) for distance, share in enumerate(BACK, 1)]
    around += [(place + distance, share) for distance, share in enumerate(FORWARD, 1)]
    return sum(share * scores.get(places[at], 0.0) for at, share in around if at in places)


def of_user(memory: Memory) -> bool:
    """Whether it is a turn by itself of the person in front of an agent; an exchange of both is not."""
    return str(memory.metadata.get(SPEAKER, "")).casefold() in USER_NAMES


def replies(turns: Sequence[TextUnit], around: Mapping[SessionId, Sequence[TextUnit]]) -> dict[MemoryId, MemoryId]:
    """A user's turn → the agent's turn that follows it at once; ``around`` holds the turns and the next ones."""
    agents = {
        (session, unit.place): unit.memory
        for session, found in around.items()
        for unit in found
        if unit.reply and not unit.prompt
    }
    after = {turn.memory: agents.get((turn.session, turn.place + 1)) for turn in turns}
    return {turn: reply for turn, reply in after.items() if reply is not None}
