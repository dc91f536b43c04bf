"""Full text: what was said, in the words it was said in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from memory_fabric.clock import Deadline
from memory_fabric.errors import DeadlinePassed
from memory_fabric.model.memory import Memory, MemoryId, SessionId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Hit
from memory_fabric.ports import TextUnit
from memory_fabric.sources.bm25 import BACK, FORWARD, K1, Scorer
from memory_fabric.text import analyse, split_exchange

if TYPE_CHECKING:
    from memory_fabric.ports import MemoryStore, TextIndex

CANDIDATES = 80
"""Units that FTS5 hands to the exact scoring; more are taken where units are short, in proportion."""

IN_CONTEXT = 30
"""Units, best first, whose neighbourhood is read as well; likewise more where units are short."""

USUAL_LENGTH = 150.0
"""Tokens of a unit for which those two hold: an exchange with a coding agent."""

SESSION_WEIGHT = 0.5
"""Weight of BM25 over the whole session (retrieval.md §8: chunk + .5 session)."""

LENDING = 1.0
"""Weight of the neighbourhood from which a unit may be found by it alone: units of 50 tokens and fewer, on average."""

Neighbours = Mapping[SessionId, Sequence[TextUnit]]
Counted = Mapping[SessionId, Mapping[int, Sequence[float]]]

SESSIONS = 100
"""Sessions whose own score is looked up."""


def unit_of(memory: Memory) -> TextUnit:
    """The analysed text of a memory that no index holds."""
    prompt, reply = (analyse(half) for half in split_exchange(memory.text))
    length = len(prompt) + len(reply)
    return TextUnit(memory.id, memory.origin.session, 0, _spaced(prompt), _spaced(reply), length)


def _spaced(tokens: Sequence[str]) -> str:
    return f" {'  '.join(tokens)} " if tokens else ""


class TextSource:
    """BM25 of the exchange, its neighbourhood, its session and, with a weight of its own, what its tools touched."""

    name = "text"
    required = True

    def __init__(self, index: TextIndex, store: MemoryStore, tool_weight: float) -> None:
        self._index = index
        self._store = store
        self._tool_weight = tool_weight
        self._asked: tuple[Query, dict[SessionId, float]] | None = None

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        """See ``ports.Source``: raw scores are BM25 in idf units."""
        started = monotonic()
        if not query.terms:
            return Found(self.name, ())
        scorer = self._scorer(query)
        units = self._index.match(query.terms, query.scope, self._many(CANDIDATES, scorer))
        if deadline.passed:
            raise DeadlinePassed("text: the deadline passed while candidates were read")
        scores = self._with_silent(query, units, scorer)
        if self._tool_weight:
            for memory, raw in self._index.references(query.terms, query.scope, CANDIDATES).items():
                scores[memory] = scores.get(memory, 0.0) + self._tool_weight * raw
        best = sorted(scores, key=lambda memory: (-scores[memory], memory))[:limit]
        hits = tuple(Hit(memory, scores[memory.id]) for memory in self._store.get(best))
        ceiling = scorer.ceiling + SESSION_WEIGHT * sum(scorer.idfs) * (K1 + 1.0)
        lent = scorer.lent / ceiling if ceiling else 0.0
        return Found(self.name, hits, ceiling=ceiling, lent=lent, seconds=monotonic() - started)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """See ``ports.Source``; memories kept elsewhere are scored like a note alone in its session."""
        if not query.terms:
            return {}
        scorer = self._scorer(query)
        units = self._index.units([memory.id for memory in memories if memory.origin.outside is None])
        outside = [unit_of(memory) for memory in memories if memory.origin.outside is not None]
        lone = {
            unit.memory: scorer.alone(unit) + SESSION_WEIGHT * scorer.own(unit, scorer.counts(unit)) for unit in outside
        }
        return self._score(query, units, scorer) | lone

    def _scorer(self, query: Query) -> Scorer:
        return Scorer.of(query.terms, self._index.statistics(query.terms))

    @staticmethod
    def _many(usual: int, scorer: Scorer) -> int:
        """A number of units, at most three times as many where they are short."""
        return round(usual * min(3.0, max(1.0, USUAL_LENGTH / scorer.mean_length)))

    def _score(self, query: Query, units: Sequence[TextUnit], scorer: Scorer) -> dict[MemoryId, float]:
        """The exchange and its session for every unit; the neighbourhood for the best that hold any word asked for."""
        scores, _, _ = self._scored(query, units, scorer)
        return scores

    def _scored(
        self, query: Query, units: Sequence[TextUnit], scorer: Scorer
    ) -> tuple[dict[MemoryId, float], Neighbours, Counted]:
        """The scores, and what was read for them: the neighbourhoods of the best, and their counts by place."""
        whole = self._sessions(query)
        counted = {unit.memory: scorer.counts(unit) for unit in units}
        scores = {
            unit.memory: scorer.own(unit, counted[unit.memory]) + SESSION_WEIGHT * whole.get(unit.session, 0.0)
            for unit in units
        }
        speaking = [unit for unit in units if any(counted[unit.memory])]
        best = sorted(speaking, key=lambda unit: -scores[unit.memory])[: self._many(IN_CONTEXT, scorer)]
        around = self._index.around(best, BACK, FORWARD)
        counts = {
            session: {near.place: counted.get(near.memory) or scorer.counts(near) for near in neighbours}
            for session, neighbours in around.items()
        }
        for unit in best:
            scores[unit.memory] += scorer.neighbourhood(unit, counts[unit.session])
        return scores, around, counts

    def _with_silent(self, query: Query, units: Sequence[TextUnit], scorer: Scorer) -> dict[MemoryId, float]:
        """Scores of units, and of neighbours that hold no word asked for themselves, where turns are short.

        "Which instrument?" – "The cello.": the answer stands beside the words of the question (LoCoMo, both halves of
        the development questions: recall@10 +3.5).
        """
        scores, around, counts = self._scored(query, units, scorer)
        if scorer.context < LENDING:
            return scores
        silent = [unit for near in around.values() for unit in near if unit.memory not in scores]
        seen = self._index.within([unit.memory for unit in silent], query.scope)
        whole = self._sessions(query)
        for unit in silent:
            if unit.memory in seen:
                lent = SESSION_WEIGHT * whole.get(unit.session, 0.0)
                scores[unit.memory] = lent + scorer.neighbourhood(unit, counts[unit.session])
        return scores

    def _sessions(self, query: Query) -> dict[SessionId, float]:
        """Scores of whole sessions; those of the last question are kept, since ``weigh`` follows ``find``."""
        asked = self._asked
        if asked is None or asked[0] is not query:
            asked = self._asked = (query, self._index.session_scores(query.terms, query.scope, SESSIONS))
        return asked[1]
