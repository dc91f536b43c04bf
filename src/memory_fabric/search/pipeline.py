"""Pipeline two: a question becomes an answer.

    str ─parse→ Query ─dispatch→ {source: [Hit]}, [Outage] ─witness→ ─route→ {source: weight} ─weigh, fuse→ [Candidate]
        ─bridge→ ─relevant→ ─succession→ ─favour→ ─dedupe→ ─crossref→ ─rank(factors)→ [Result] ─attach→ Answer

Every stage is one call below, and every number of a result can be traced back through them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memory_fabric.clock import Deadline
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.query import Mode, Scope
from memory_fabric.model.result import Answer
from memory_fabric.search.attach import attach
from memory_fabric.search.bridge import bridge
from memory_fabric.search.crossref import BOOST, crossref
from memory_fabric.search.dedupe import SIMILAR, dedupe
from memory_fabric.search.dispatch import Workers, dispatch
from memory_fabric.search.favour import favour
from memory_fabric.search.floor import Floor, relevant
from memory_fabric.search.fuse import fuse
from memory_fabric.search.parse import parse
from memory_fabric.search.rank import Ranking, rank
from memory_fabric.search.recipes import sources_of, uses_graph
from memory_fabric.search.route import Routing, mix, route
from memory_fabric.search.succession import succession
from memory_fabric.search.tally import tally
from memory_fabric.search.weigh import weigh
from memory_fabric.search.witness import marked

if TYPE_CHECKING:
    from memory_fabric.ports import Graph, MemoryStore, Outbox, OutsideSource, Source


@dataclass(frozen=True, slots=True)
class Tuning:
    """Every number of the pipeline that a setting or a calibration decides."""

    per_source: int = 20
    """Hits that a source hands in at most (F-SRC-6)."""
    similar: float = SIMILAR
    boost: float = BOOST
    routing: Routing = Routing()
    floor: Floor = Floor()
    ranking: Ranking = Ranking()
    deadline: float = 5.0


@dataclass(frozen=True, slots=True)
class Search:
    """A search over some sources."""

    sources: Sequence[Source]
    graph: Graph
    memories: MemoryStore
    lexicon: Lexicon
    workers: Workers
    tuning: Tuning = Tuning()
    outside: Sequence[OutsideSource] = ()
    """Memories kept elsewhere (F-SRC-2)."""
    outbox: Outbox | None = None
    """What we pushed to them ourselves."""

    def __call__(
        self,
        question: str,
        scope: Scope,
        now: datetime,
        *,
        mode: Mode = Mode.AUTO,
        limit: int = 10,
        around: datetime | None = None,
    ) -> Answer:
        """The best ``limit`` memories in scope, each with its reasons; what lies near ``around`` is lifted.

        Raises:
            SourceError: a required source failed; the others' outages are named in the answer.
            StoreError: our own store failed.
        """
        query = parse(question, self.lexicon, self.graph.find, scope, now, around)
        sources = sources_of(mode, query, self.sources, self.outside)
        deadline = Deadline.after(self.tuning.deadline)
        shorter = {each.name: Deadline.after(each.deadline) for each in self.outside}
        answered, outages = dispatch(
            query, sources, max(self.tuning.per_source, limit), deadline, self.workers, shorter
        )
        found, left_out = marked(answered, self.outbox, self.memories)
        weights = route(found, mode, self.tuning.routing)
        weighed, failed = weigh(query, sources, found)
        fused = fuse(query, found, weighed, weights)
        if uses_graph(mode):
            fused = bridge(fused, query, self.graph, self.memories)
        near = self.tuning.floor.near(max((each.lent for each in found), default=0.0))
        candidates = relevant(fused, near, query.named)
        followed = succession(candidates, query, self.graph, self.memories) if uses_graph(mode) else candidates
        kept = dedupe(favour(followed, query, self.memories), self.tuning.similar)
        lifted = crossref(kept, query, self.graph, self.tuning.boost)
        ranked = rank(lifted, query, self.tuning.ranking)
        results = attach(ranked[:limit], query, self.graph)
        counted = tally(found, lifted)
        return Answer(
            query=query,
            results=tuple(results),
            mix=mix(weights),
            counts=counted.counts,
            merged=counted.merged,
            absorbed=counted.absorbed,
            outages=(*outages, *failed),
            sure=bool(relevant(fused, self.tuning.floor, query.named)),
            notes=tuple(left_out),
            seconds={each.source: each.seconds for each in found},
        )
