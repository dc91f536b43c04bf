"""From a page to the pages about what it names: facts two pages apart belong into one answer (decision 18).

The best pages lend a part of their relevance to the page *about* each thing that they name, more where words of the
question stand beside the name, less where several pages have that name (retrieval.md §3).  It only adds, and what is
lent carries no page past the best one: what answers by itself stays first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_fabric.model.memory import TITLE, Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Candidate
from memory_fabric.text import analyse, entity_key, name_words

if TYPE_CHECKING:
    from memory_fabric.ports import Graph, MemoryStore

FROM = 5
"""Best pages that lend (2 to 20 do equally well there)."""

LENT = 0.6
"""Share of its relevance that a page lends; 0.7 of that over the second page."""

SECOND = 0.7

BELOW_BEST = 0.99
"""Share of the best page's relevance up to which lending lifts (decision 18 has the figures): without that bound a page
of names came before the page that answers."""

NEAR_BEFORE, NEAR_AFTER = 8, 5
"""Words beside a name in which words of the question count, half again each, two at most."""

LONGEST, LONGEST_ASKED = 6, 12
"""Words of a name in a page, and in the question, where a whole title may stand."""

STEM = 5
"""Letters by which words of one root are told: ``director`` and ``directed`` (retrieval.md §3)."""

NAMED = 0.8
"""What it is worth to be the page about something that the question names."""


@dataclass(frozen=True, slots=True)
class _Named:
    """A name in a page."""

    key: str
    first: int
    last: int
    """Words, the last exclusive."""


def bridge(candidates: Sequence[Candidate], query: Query, graph: Graph, memories: MemoryStore) -> list[Candidate]:
    """The candidates, with what their best pages lead to; nothing changes where none of them is a page."""
    if not any(TITLE in each.memory.metadata for each in candidates):
        return list(candidates)
    terms = frozenset(term[:STEM] for term in query.terms)
    known = _lifted({each.memory.id: each for each in candidates}, _asked(query, graph), memories)
    best = _best(each for each in known.values() if TITLE in each.memory.metadata)
    limit = BELOW_BEST * best[0].relevance
    first = _lent(best, terms, query, graph, LENT)
    reached = _lifted(known, first, memories, limit)
    second = _lent(_best(reached[id_] for id_ in first if id_ in reached), terms, query, graph, LENT * SECOND)
    lent = {id_: max(first.get(id_, 0.0), second.get(id_, 0.0)) for id_ in {**first, **second}}
    return list(_lifted(known, lent, memories, limit).values())


def _asked(query: Query, graph: Graph) -> dict[MemoryId, float]:
    """Pages about what the question names, with what that is worth."""
    words = name_words(query.text)
    spans = list(_names(words, LONGEST_ASKED, loose=True))
    about = _about({span.key for span in spans}, query, graph)
    return {id_: NAMED for span in _longest(spans, about) for id_ in about[span.key]}


def _best(pages: Iterable[Candidate]) -> list[Candidate]:
    return sorted(pages, key=lambda each: (-each.relevance, each.memory.id))[:FROM]


def _lent(
    pages: Sequence[Candidate], terms: frozenset[str], query: Query, graph: Graph, share: float
) -> dict[MemoryId, float]:
    """Memory → the most that one of these pages lends it."""
    texts = {page.memory.id: name_words(page.memory.text) for page in pages}
    spans = {page.memory.id: list(_names(texts[page.memory.id])) for page in pages}
    keys = {span.key for found in spans.values() for span in found}
    about = _about(keys, query, graph)
    lent: dict[MemoryId, float] = {}
    for page in pages:
        for span in _longest(spans[page.memory.id], about):
            value = share * page.relevance * _bearing(texts[page.memory.id], span, terms, page.memory)
            targets = [each for each in about[span.key] if each != page.memory.id]
            for target in targets:
                lent[target] = max(lent.get(target, 0.0), value / math.sqrt(len(targets)))
    return lent


def _about(keys: Iterable[str], query: Query, graph: Graph) -> Mapping[str, list[MemoryId]]:
    """Name → the pages about it that are in scope."""
    titles = [entity for entity in graph.find(sorted(keys)) if entity.label == TITLE]
    pages = graph.mentions([entity.id for entity in titles], query.scope, FROM)
    found: dict[str, list[MemoryId]] = {}
    for entity in titles:
        for name in (entity.name, *entity.aliases):
            mine = found.setdefault(entity_key(name), [])
            mine.extend(each for each in pages.get(entity.id, ()) if each not in mine)
    return {key: ids for key, ids in found.items() if ids}


def _names(words: Sequence[str], longest: int = LONGEST, *, loose: bool = False) -> Iterator[_Named]:
    """Runs of words that begin with a capital letter or a digit, and unless ``loose`` end so too."""
    for first, word in enumerate(words):
        if not _is_capital(word):
            continue
        for last in range(first + 1, min(first + longest, len(words)) + 1):
            if loose or _is_capital(words[last - 1]):
                yield _Named(entity_key(" ".join(words[first:last])), first, last)


def _is_capital(word: str) -> bool:
    return word[0].isupper() or word[0].isdigit()


def _longest(spans: Sequence[_Named], about: Mapping[str, object]) -> Iterator[_Named]:
    """Names that a page is about, the longest at each place, none inside another."""
    end = 0
    for span in sorted((each for each in spans if each.key in about), key=lambda each: (each.first, -each.last)):
        if span.first >= end:
            end = span.last
            yield span


def _bearing(words: Sequence[str], span: _Named, terms: frozenset[str], page: Memory) -> float:
    """1, half again for each word of the question beside the name, two at most; words of the page's title aside."""
    beside = [*words[max(0, span.first - NEAR_BEFORE) : span.first], *words[span.last : span.last + NEAR_AFTER]]
    own = {term[:STEM] for term in analyse(str(page.metadata[TITLE]))}
    said = terms.intersection(term[:STEM] for term in analyse(" ".join(beside))) - own
    return 1.0 + 0.5 * min(len(said), 2)


def _lifted(
    known: Mapping[MemoryId, Candidate], lent: Mapping[MemoryId, float], memories: MemoryStore, limit: float = 1.0
) -> dict[MemoryId, Candidate]:
    """All candidates, those that something is lent to lifted by it up to ``limit``, new ones among them."""
    new = {memory.id: Candidate(memory, 0.0, {}) for memory in memories.get([id_ for id_ in lent if id_ not in known])}
    lifted = dict(known) | new
    for id_, value in lent.items():
        if id_ in lifted:
            each = lifted[id_]
            relevance = max(each.relevance, min(limit, each.relevance + value))
            lifted[id_] = replace(each, relevance=relevance, found_by={**each.found_by, "graph": min(1.0, value)})
    return lifted
