"""The public search, watched, and changed for a while: what evaluations of one store need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import Any

from memory_fabric.app import Fabric
from memory_fabric.model.result import Answer
from memory_fabric.search.route import Routing


class Watched(Fabric):
    """A fabric that keeps note of how long its sources took."""

    @cached_property
    def service(self) -> defaultdict[str, list[float]]:
        """Source → seconds of each question since it was last emptied."""
        return defaultdict(list)

    def search(self, *arguments: Any, **named: Any) -> Answer:
        """As ``Fabric.search``."""
        answer = super().search(*arguments, **named)
        for source, seconds in answer.seconds.items():
            self.service[source].append(seconds)
        return answer

    @property
    def routing(self) -> Routing:
        """How the sources are weighed now."""
        return self._search.tuning.routing

    @property
    def sources(self) -> list[str]:
        """Names of the sources that ``auto`` mixes."""
        return [each.name for each in self._search.sources if each.name in ("text", "vector", "graph")]

    @contextmanager
    def changed(
        self, *, routing: Routing | None = None, per_source: int | None = None, without: Sequence[str] = ()
    ) -> Iterator[None]:
        """Search in another way for a while: other weights, other numbers of hits, sources left out."""
        before = self._search
        tuning = replace(
            before.tuning,
            routing=routing or before.tuning.routing,
            per_source=per_source or before.tuning.per_source,
        )
        left = tuple(each for each in before.sources if each.name not in without)
        self._search = replace(before, tuning=tuning, sources=left)
        try:
            yield
        finally:
            self._search = before
