"""What ingest makes of a text by itself, for the suites that measure it without a store; and the scores they give."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from memory_fabric.ingest.extract import extract_all, extractors
from memory_fabric.ingest.gather import Gathered
from memory_fabric.lexicon import load
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.result import Candidate
from memory_fabric.model.transcript import Exchange
from memory_fabric.ports import Extraction
from memory_fabric.settings import Settings
from memory_fabric.text import clean, split_long

KEPT = 4096
"""Texts whose extraction is remembered: more than a set of pairs compares at once."""


class Finder:
    """The built-in extractors over texts that belong to no project, split as ingest splits them."""

    def __init__(self) -> None:
        self._extractors = extractors(load())
        self._limit = Settings().chunk_characters
        self._names = lru_cache(KEPT)(self._named)

    def found(self, text: str) -> Iterator[Extraction]:
        """What each part of a text holds."""
        for number, part in enumerate(split_long(clean(text), self._limit)):
            yield self._found(_memory(str(number), part))

    def candidate(self, id_: str, text: str) -> Candidate:
        """A memory of a text (at most one part of it), as the search has it: with the names that it mentions."""
        whole = clean(text)
        return Candidate(_memory(id_, whole, self._names(whole)), relevance=1.0, found_by={"text": 1.0})

    def _named(self, text: str) -> tuple[str, ...]:
        memory = _memory("0", text)
        gathered = Gathered()
        gathered.add(memory, 0, 0, self._found(memory))
        return gathered.batch((), ()).records[0].memory.entities

    def _found(self, memory: Memory) -> Extraction:
        exchange = Exchange(memory.origin.session, str(memory.origin.record), memory.text, "", at=memory.at)
        return extract_all(self._extractors, memory, exchange, None)


def _memory(id_: str, text: str, entities: tuple[str, ...] = ()) -> Memory:
    origin = Origin("document", SessionId(f"document:{id_}"), record=id_)
    return Memory(MemoryId(id_), text, MemoryKind.NOTE, None, None, origin, entities)


def scores(correct: float, given: int, wanted: int, reached: float | None = None) -> dict[str, float | None]:
    """Precision, recall and F1 in [0, 1], four digits; None for a share of nothing.

    ``correct`` of the ``given`` are right; ``reached`` of the ``wanted`` were found, where that is another count.
    """
    found = correct if reached is None else reached
    precision = correct / given if given else None
    recall = found / wanted if wanted else None
    both = (precision or 0.0) + (recall or 0.0)
    f1 = 2 * (precision or 0.0) * (recall or 0.0) / both if both else (0.0 if wanted else None)
    shares = {"precision": precision, "recall": recall, "f1": f1}
    return {name: None if share is None else round(share, 4) for name, share in shares.items()}
