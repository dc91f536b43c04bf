"""The lexical baseline that every report prints: plain BM25, nothing of ours in it but the documents.

The Lucene variant with k1 1.5 and b 0.75, the 33 English stop words of Lucene and the Snowball stemmer: what ``bm25s``
0.3.16 does by default, and what the floors in the data's README were computed with.  Our own stop words, identifier
splitting and scales are left out on purpose: this row shows what they are worth.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import log

import Stemmer

BASELINE = "bm25"
"""Its name beside the modes."""

K1 = 1.5
B = 0.75

STOP_WORDS = frozenset(
    """a an and are as at be but by for if in into is it no not of on or such that the their then there these they this
    to was will with""".split()
)
"""Lucene's English list."""

_TOKEN = re.compile(r"\b\w\w+\b")
"""Two letters or more."""


def tokens(text: str) -> list[str]:
    """The terms of a text, in order, with repetitions."""
    return [_stem(word) for word in _TOKEN.findall(text.lower()) if word not in STOP_WORDS]


_stemmer = Stemmer.Stemmer("english")


@lru_cache(maxsize=200_000)
def _stem(word: str) -> str:
    return str(_stemmer.stemWord(word))


@dataclass(frozen=True, slots=True)
class Bm25:
    """An index of documents."""

    documents: tuple[str, ...]
    postings: Mapping[str, tuple[tuple[int, float], ...]]
    """Term → (place of a document, what the term adds to its score)."""

    @classmethod
    def of(cls, documents: Mapping[str, str]) -> Bm25:
        """Index texts by id; the order of the documents settles ties."""
        counted = [Counter(tokens(text)) for text in documents.values()]
        lengths = [counts.total() for counts in counted]
        mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
        found: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for place, counts in enumerate(counted):
            for term, count in counts.items():
                found[term].append((place, count))
        dampening = [K1 * (1 - B + B * length / mean) for length in lengths]
        postings = {}
        for term, where in found.items():
            rarity = log(1 + (len(counted) - len(where) + 0.5) / (len(where) + 0.5))
            postings[term] = tuple((place, rarity * count / (dampening[place] + count)) for place, count in where)
        return cls(tuple(documents), postings)

    def rank(self, question: str, limit: int) -> list[tuple[str, float]]:
        """At most ``limit`` documents with their scores, best first; one without any term of the question is left out.

        A term that the question repeats counts each time.
        """
        scores: defaultdict[int, float] = defaultdict(float)
        for term in tokens(question):
            for place, weight in self.postings.get(term, ()):
                scores[place] += weight
        best = sorted(scores.items(), key=lambda each: (-each[1], each[0]))[:limit]
        return [(self.documents[place], score) for place, score in best]
