"""Settings become the parts that the doors work with, each made when it is first used."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory_fabric import lexicon
    from memory_fabric.curate.knowledge import Knowledge
    from memory_fabric.curate.note import Means
    from memory_fabric.ports import Embedder, Source
    from memory_fabric.search.pipeline import Search
    from memory_fabric.settings import Settings
    from memory_fabric.store.sqlite import SqliteStore


class Wiring:
    """The parts over one store."""

    def __init__(self, settings: Settings, store: SqliteStore) -> None:
        self.settings = settings
        self.store = store

    @cached_property
    def lexicon(self) -> lexicon.Lexicon:
        """The word lists, with the user's on top."""
        from memory_fabric import lexicon

        return lexicon.load(Path(self.settings.lexicon).expanduser() if self.settings.lexicon else None)

    @cached_property
    def embedder(self) -> Embedder | None:
        """The chosen embedder, its model not loaded yet; None when switched off."""
        if self.settings.embedder == "none":
            return None
        from memory_fabric.embed import open_embedder

        return open_embedder(self.settings.embedder, self.settings.embedding)

    @cached_property
    def _search(self) -> Search:
        from memory_fabric.search import traverse
        from memory_fabric.search.dispatch import Workers
        from memory_fabric.search.factors.recency import Curve
        from memory_fabric.search.pipeline import Search, Tuning
        from memory_fabric.search.rank import Ranking
        from memory_fabric.sources.graph import GraphSource
        from memory_fabric.sources.recent import RecentSource
        from memory_fabric.sources.text import TextSource
        from memory_fabric.sources.time import TimeSource

        settings = self.settings
        sources: list[Source] = [
            TextSource(self.store, self.store, settings.tool_weight),
            GraphSource(self.store, self.store, traverse.walk),
            RecentSource(self.store),
            TimeSource(self.store),
        ]
        if self.embedder is not None:
            from memory_fabric.sources.vector import VectorSource

            sources.append(VectorSource(self.store, self.store, self.store, self.embedder))
        curve = Curve(settings.recency_curve, settings.recency_half_life, settings.recency_floor)
        ranking = Ranking(
            settings.weight_recency,
            settings.weight_relevance,
            settings.weight_authority,
            curve,
            settings.ranking == "sum",
        )
        tuning = Tuning(
            per_source=settings.max_results,
            similar=settings.dedup_threshold,
            boost=settings.boost_factor,
            ranking=ranking,
            deadline=settings.deadline,
        )
        return Search(tuple(sources), self.store, self.store, self.lexicon, Workers(), tuning, outbox=self.store)

    @cached_property
    def _remembering(self) -> Means:
        from memory_fabric.curate.note import Around, Means
        from memory_fabric.embed.backfill import embed_now
        from memory_fabric.ingest.extract import extractors
        from memory_fabric.ingest.note import extract_note
        from memory_fabric.ingest.redact import redact
        from memory_fabric.search.similar import neighbours

        found = extractors(self.lexicon)
        return Means(
            store=self.store,
            lexicon=self.lexicon,
            redact=redact,
            extract=lambda memory, project: extract_note(found, self.lexicon, memory, project),
            look_around=lambda memory: Around(*neighbours(self.store, self.store, memory)),
            embed=lambda memories: embed_now(self.store, self.embedder, memories),
        )

    @cached_property
    def knowledge(self) -> Knowledge:
        """The graph as clients of the official memory server read and write it."""
        from memory_fabric.curate.knowledge import Knowledge
        from memory_fabric.ingest.redact import redact

        return Knowledge(self.store, lambda text: redact(text).text)
