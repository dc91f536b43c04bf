"""Vague words for what a passage says: none that gives it away, none that was made by a model.

From a sentence of the passage: code, names and rare words are left out, words that have everyday synonyms are said
with one.  What is left must be enough to ask with, and not too much of what the passage itself says.  Of the words
between only those stay that no retriever counts: how a sentence is put gives it away as well.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from memory_fabric.evals.baseline import STOP_WORDS
from memory_fabric.evals.own.snapshot import Snapshot
from memory_fabric.evals.own.synonyms import synonyms
from memory_fabric.text import analyse, entity_key, split_exchange

RARE_MEMORIES, RARE_SHARE = 5, 0.005
"""A word in fewer memories than either is a rare literal: it would name the passage (F-EVAL-2)."""

FEWEST, MOST = 4, 12
"""Content words of a question: what somebody remembers, not a quotation."""

KEPT = 2 / 3
"""At most so much of a question's content words may stand in the passage that answers it."""

UNCOUNTED = frozenset(word for word in STOP_WORDS if not analyse(word))
"""Stop words of the baseline and of our own full text alike."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|<[^>\n]*>|^\s*(?:[$>|#+-]|\d+[.)]).*$", re.DOTALL | re.MULTILINE)
"""Fenced and quoted code, tags, and lines of consoles, tables, quotations, lists and differences."""
_SENTENCE_ENDS = re.compile(r"(?<=[.!?])\s+|\n+")
_PLAIN = re.compile(r"[(\"'“‘]*(?P<word>[^\W\d_]+(?:['’][^\W\d_]{1,2})?)[)\"'”’.,;:!?]*")
"""A word of letters alone with its punctuation: what holds digits, dots or slashes inside is a literal."""


@dataclass(frozen=True, slots=True)
class Worded:
    """Vague words for a passage."""

    text: str
    kept: float
    """Share of its content words that stand in the passage, in [0, 1]."""


class Wording:
    """Rules of wording over one store."""

    def __init__(self, held: Snapshot) -> None:
        self._held = held
        self.rare = max(RARE_MEMORIES, RARE_SHARE * len(held.chunks))
        """Memories below which a word is rare."""

    def content(self, raw: str) -> str | None:
        """The word in lower case if a question may hold it; None for rare words, names and anything but plain words.

        ``raw`` is a word as it stands between spaces.
        """
        found = _PLAIN.fullmatch(raw)
        if found is None:
            return None
        word = found["word"]
        if word[1:] != word[1:].lower() or entity_key(word) in self._held.names:
            return None
        terms = analyse(word)
        return word.lower() if len(terms) == 1 and self._held.frequency[terms[0]] >= self.rare else None

    def vague(self, chunk: str, seed: str) -> Worded | str:
        """A question about this memory, or the reason why there is none; ``seed`` chooses among synonyms."""
        prompt, reply = split_exchange(self._held.chunks[chunk].text)
        sentences = [*_sentences(prompt)] or [*_sentences(reply)]
        best = max(sentences, key=lambda words: len(self._contents(words)), default=[])
        if len(self._contents(best)) < FEWEST:
            return "no sentence with enough plain words"
        said = self._said(best, self._held.terms[chunk], seed)
        terms = list(dict.fromkeys(term for word in said for term in analyse(word)))
        if len(terms) < FEWEST:
            return "no sentence with enough plain words"
        kept = sum(term in self._held.terms[chunk] for term in terms) / len(terms)
        if kept > KEPT:
            return "too close to the words of the passage"
        return Worded(" ".join(said), kept)

    def hints(self, chunk: str, count: int, without: Set[str]) -> list[str]:
        """The plain words that this memory says most often, first ones first; none of the index terms ``without``."""
        prompt, reply = split_exchange(self._held.chunks[chunk].text)
        said: Counter[str] = Counter()
        spelled: dict[str, str] = {}
        for words in (*_sentences(prompt), *_sentences(reply)):
            for word in self._contents(words):
                term = analyse(word)[0]
                if term not in without and len(word) > 3:
                    said[term] += 1
                    spelled.setdefault(term, word)
        best = sorted(spelled, key=lambda term: -said[term])[:count]
        return [spelled[term] for term in best]

    def _contents(self, words: Sequence[str]) -> list[str]:
        return [content for word in words if (content := self.content(word)) is not None]

    def _said(self, words: Sequence[str], passage: Set[str], seed: str) -> list[str]:
        """The sentence in vague words, until there is enough."""
        said: list[str] = []
        contents = 0
        for raw in words:
            found = _PLAIN.fullmatch(raw)
            if found is not None and found["word"].lower() in UNCOUNTED:
                said.append(found["word"].lower())
                continue
            content = self.content(raw)
            if content is not None:
                said.append(_other(content, passage, seed) or content)
                contents += 1
            if contents == MOST:
                break
        while said and not analyse(said[-1]):
            said.pop()
        return said


def _other(word: str, passage: Set[str], seed: str) -> str | None:
    """A synonym that the passage does not hold, the same each time; None where there is none."""
    others = [other for other in synonyms().get(analyse(word)[0], ()) if passage.isdisjoint(analyse(other))]
    if not others:
        return None
    return others[int(hashlib.sha256(f"{seed} {word}".encode()).hexdigest(), 16) % len(others)]


def _sentences(text: str) -> Iterator[list[str]]:
    """Sentences of prose as words between spaces."""
    for sentence in _SENTENCE_ENDS.split(_CODE.sub("\n", text)):
        words = sentence.split()
        if words:
            yield words
