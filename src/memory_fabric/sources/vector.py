"""Vectors: what was meant, in other words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceUnavailable
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Hit
from memory_fabric.sources.neighbours import (
    BACK,
    FORWARD,
    IN_CONTEXT,
    LENT_AT_MOST,
    REPLY,
    lent,
    of_user,
    replies,
    vector_context,
)
from memory_fabric.sources.outside_vectors import Outside

if TYPE_CHECKING:
    from memory_fabric.ports import Background, Embedder, MemoryStore, TextIndex, VectorIndex, Vectors


class VectorSource:
    """Cosine of the question with the best window of a memory, standardised by the background of its space.

    Raw scores are z = (cosine - mean) / deviation: 0 is unrelated, whatever the model (decision 7).
    """

    name = "vector"
    required = False

    def __init__(self, index: VectorIndex, texts: TextIndex, store: MemoryStore, embedder: Embedder) -> None:
        self._index = index
        self._texts = texts
        self._store = store
        self._embedder = embedder
        self._asked: tuple[str, Vectors] | None = None
        self._outside = Outside(embedder)

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:  # noqa: ARG002
        """See ``ports.Source``."""
        started = monotonic()
        if not query.text.strip():
            return Found(self.name, ())
        space = self._embedder.space
        if self._index.background(space) is None:
            if self._store.count() == 0:
                # Nothing of ours lacks vectors; what is kept elsewhere is still weighed.
                return Found(self.name, (), ceiling=self._perfect(self._embedder.prior))
            self._require_vectors()  # before the model is loaded for nothing
        share = self._share()
        near = self._index.nearest(space, self._question(query.text), query.scope, max(limit, IN_CONTEXT))
        if not near:
            self._require_vectors()
        background = self.background()
        own = _standardised(dict(near), background)
        memories = self._store.get(list(own)[:limit])
        if share or any(map(of_user, memories)):
            memories += self._store.get(list(own)[limit:])
        vector = self._question(query.text)
        raw = self._with_replies(self._in_context(own, vector, background, share), memories, vector, background)
        best = sorted(memories, key=lambda memory: -raw[memory.id])[:limit]
        hits = tuple(Hit(memory, raw[memory.id]) for memory in best)
        lending = share * LENT_AT_MOST + (REPLY if any(map(of_user, memories)) else 0.0)
        ceiling = self._perfect(background) * (1.0 + lending)
        return Found(self.name, hits, ceiling=ceiling, lent=lending / (1.0 + lending), seconds=monotonic() - started)

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """See ``ports.Source``; memories kept elsewhere are embedded here, a bounded number a question."""
        vector = self._question(query.text)
        stored = [memory.id for memory in memories if memory.origin.outside is None]
        cosines = self._index.cosines(self._embedder.space, vector, stored)
        cosines |= self._outside.cosines(vector, [each for each in memories if each.origin.outside is not None])
        background = self.background()
        own = _standardised(cosines, background)
        return self._with_replies(
            self._in_context(own, vector, background, self._share()), memories, vector, background
        )

    def _share(self) -> float:
        """How much the turns around a turn lend it: nothing where turns are long."""
        return vector_context(self._texts.statistics(()).mean_length)

    def _in_context(
        self, scores: dict[MemoryId, float], question: Vectors, background: Background, share: float
    ) -> dict[MemoryId, float]:
        """Scores with what the turns around lend; in the order given."""
        if not share or not scores:
            return scores
        units = {unit.memory: unit for unit in self._texts.units(list(scores))}
        around = self._texts.around(list(units.values()), len(BACK), len(FORWARD))
        others = [near.memory for found in around.values() for near in found if near.memory not in scores]
        known = scores | _standardised(self._index.cosines(self._embedder.space, question, others), background)
        places = {session: {near.place: near.memory for near in found} for session, found in around.items()}
        return {
            id_: score + share * lent(places[units[id_].session], units[id_].place, known) if id_ in units else score
            for id_, score in scores.items()
        }

    def _with_replies(
        self, scores: dict[MemoryId, float], memories: Sequence[Memory], question: Vectors, background: Background
    ) -> dict[MemoryId, float]:
        """Scores with what its reply lends a user's turn, where each turn is a memory; in the order given."""
        users = [each.id for each in memories if of_user(each)]
        if not users:
            return scores
        units = self._texts.units(users)
        reply = replies(units, self._texts.around(units, 0, 1))
        lending = _standardised(self._index.cosines(self._embedder.space, question, list(reply.values())), background)
        return {
            id_: score + REPLY * max(0.0, lending.get(reply[id_], 0.0)) if id_ in reply else score
            for id_, score in scores.items()
        }

    def background(self) -> Background:
        """The zero and the unit of this space's cosines in this store."""
        return self._index.background(self._embedder.space) or self._embedder.prior

    def _require_vectors(self) -> None:
        """Refuse a space without vectors.  Counting them all costs a millisecond or more: asked where in doubt."""
        space = self._embedder.space
        if space not in self._index.coverage():
            raise SourceUnavailable(
                f"vector: no memory has vectors of {space} yet", "run `memory-fabric ingest` without --no-embed"
            )

    def _question(self, text: str) -> Vectors:
        """The question's vector; the last one is kept, since ``weigh`` follows ``find``."""
        asked = self._asked
        if asked is None or asked[0] != text:
            asked = self._asked = (text, self._embedder.embed_query(text))
        return asked[1]

    def _perfect(self, background: Background) -> float:
        """The score of a passage of the question's very words."""
        return (self._embedder.prior.best - background.mean) / background.deviation


def _standardised(cosines: Mapping[MemoryId, float], background: Background) -> dict[MemoryId, float]:
    """Each cosine in deviations above the background; rounding may have carried one beyond 1."""
    return {id_: (min(1.0, cosine) - background.mean) / background.deviation for id_, cosine in cosines.items()}
