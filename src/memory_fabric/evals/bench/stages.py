"""How long each stage of a search takes, without a line of the search knowing of it.

A search is one function of plain calls.  Here that very function runs with a stopwatch around each name that it calls:
a stage that is added, renamed or moved is timed without a change here, and what is timed cannot differ from what runs.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

from memory_fabric.app import Fabric
from memory_fabric.search import pipeline
from memory_fabric.search.pipeline import Search

if TYPE_CHECKING:
    from memory_fabric.clock import Deadline
    from memory_fabric.model.memory import Memory, MemoryId
    from memory_fabric.model.query import Query
    from memory_fabric.model.result import Answer, Found
    from memory_fabric.ports import Embedder, Source, Vectors

STAGES = "memory_fabric.search."
"""Where the functions come from that count as stages."""


@dataclass
class Laps:
    """Seconds by what they were spent on."""

    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def around(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The work, its time added under that name."""

        @wraps(work)
        def timed(*given: Any, **named: Any) -> Any:
            begun = time.perf_counter()
            try:
                return work(*given, **named)
            finally:
                self.seconds[name] += time.perf_counter() - begun

        return timed

    def taken(self) -> dict[str, float]:
        """What has come together, beginning anew."""
        found, self.seconds = dict(self.seconds), defaultdict(float)
        return found


class TimedSource:
    """A source whose two calls are timed (``ports.Source``)."""

    def __init__(self, inner: Source, laps: Laps) -> None:
        self.name, self.required = inner.name, inner.required
        self._find = laps.around(f"dispatch: {inner.name}", inner.find)
        self._weigh = laps.around(f"weigh: {inner.name}", inner.weigh)

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:
        """See ``ports.Source``."""
        return cast("Found", self._find(query, limit, deadline))

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """See ``ports.Source``."""
        return cast("dict[MemoryId, float]", self._weigh(query, memories))


class TimedEmbedder:
    """An embedder whose questions are timed; everything else is the other's (``ports.Embedder``)."""

    def __init__(self, inner: Embedder, laps: Laps) -> None:
        self._inner = inner
        self._embed_query = laps.around("embed the question", inner.embed_query)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def embed_query(self, text: str) -> Vectors:
        """See ``ports.Embedder``."""
        return cast("Vectors", self._embed_query(text))


class TimedFabric(Fabric):
    """A memory whose searches note their stages in ``laps``."""

    @property
    def laps(self) -> Laps:
        """What the last searches took, by stage."""
        found: Laps = self.__dict__.setdefault("laps_of_stages", Laps())
        return found

    @property
    def embedder(self) -> Embedder | None:
        """The chosen one, timed."""
        if "timed_embedder" not in self.__dict__:
            inner = super().embedder
            self.__dict__["timed_embedder"] = inner and TimedEmbedder(inner, self.laps)
        return cast("Embedder | None", self.__dict__["timed_embedder"])

    @property
    def _search(self) -> Search:
        if "timed_search" not in self.__dict__:
            self.__dict__["timed_search"] = timed(super()._search, self.laps)
        return cast("Search", self.__dict__["timed_search"])


def timed(search: Search, laps: Laps) -> Callable[..., Answer]:
    """The search, its stages noted; the same answers."""
    own = vars(pipeline)
    watched = {name: laps.around(name, stage) for name, stage in own.items() if _is_stage(stage)}
    inner = cast("FunctionType", Search.__call__)
    run = FunctionType(inner.__code__, own | watched, inner.__name__, inner.__defaults__, inner.__closure__)
    run.__kwdefaults__ = inner.__kwdefaults__
    sources = tuple(TimedSource(source, laps) for source in search.sources)
    return run.__get__(replace(search, sources=sources))


def _is_stage(value: object) -> bool:
    return isinstance(value, FunctionType) and value.__module__.startswith(STAGES)
