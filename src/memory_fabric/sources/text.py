"""Full text: what was said, in the words it was said in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from time import monotonic

from memory_fabric.clock import Deadline
from memory_fabric.errors import DeadlinePassed
from memory_fabric.model.memory import Memory, MemoryId, SessionId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Hit
from memory_fabric.ports import MemoryStore, TextIndex, TextUnit
from memory_fabric.sources.bm25 import BACK, FORWARD, K1, Scorer, score_all

CANDIDATES = 200
"""Units that FTS5 hands to the exact scoring."""

SESSION_WEIGHT = 0.5
"""Weight of BM25 over the whole session (retrieval.md §8: chunk + .5 session)."""

SESSIONS = 100
"""Sessions whose own score is looked up."""


class TextSource:
    """BM25 of the exchange, its neighbourhood, its session and, with a weight of its own, what its tools touched."""

    name = "text"
    required = True

    def __init__(self, index: TextIndex, store: MemoryStore, tool_weight: float) -> None:
        self._index = index
        self._store = store
        self._tool_weight = tool_weight

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        """See ``ports.Source``: raw scores are BM25 in idf units."""
        started = monotonic()
        if not query.terms:
            return Found(self.name, ())
        units = self._index.match(query.terms, query.scope, CANDIDATES)
        if deadline.passed:
            raise DeadlinePassed("text: the deadline passed while candidates were read")
        scores, ceiling = self._score(query, units)
        if self._tool_weight:
            for memory, raw in self._index.references(query.terms, query.scope, CANDIDATES).items():
                scores[memory] = scores.get(memory, 0.0) + self._tool_weight * raw
        best = sorted(scores, key=lambda memory: (-scores[memory], memory))[:limit]
        hits = tuple(Hit(memory, scores[memory.id]) for memory in self._store.get(best))
        return Found(self.name, hits, ceiling=ceiling, seconds=monotonic() - started)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """See ``ports.Source``."""
        units = self._index.units([memory.id for memory in memories])
        return self._score(query, units)[0] if query.terms else {}

    def _score(self, query: Query, units: Sequence[TextUnit]) -> tuple[dict[MemoryId, float], float]:
        """Scores of these units, and the ceiling of the question."""
        scorer = Scorer.of(query.terms, self._index.statistics(query.terms))
        by_session: dict[SessionId, list[TextUnit]] = defaultdict(list)
        for unit in units:
            by_session[unit.session].append(unit)
        around = self._index.around(units, BACK, FORWARD)
        whole = self._index.session_scores(query.terms, query.scope, SESSIONS)
        scores: dict[MemoryId, float] = {}
        for session, members in by_session.items():
            for memory, score in score_all(scorer, members, around[session]).items():
                scores[MemoryId(memory)] = score + SESSION_WEIGHT * whole.get(session, 0.0)
        return scores, scorer.ceiling + SESSION_WEIGHT * sum(scorer.idfs) * (K1 + 1.0)
