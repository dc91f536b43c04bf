"""A text as words with their places: boundaries by Unicode category, folding that never moves an offset."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from itertools import accumulate, pairwise

_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4"
    "\u0900-\u0963\u0971-\u0dff\u0e01-\u0e4e\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u1ab0-\u1aff\u1dc0-\u1dff"
    "\u20d0-\u20ff\u302a-\u302f\u3099\u309a\ufe20-\ufe2f"
)
"""Combining marks and the scripts that live by them: parts of words that ``\\w`` does not know (C-057)."""

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff々〆"
_ASCII_WORD = re.compile(r"[a-z0-9]+")
_ASCII_GAP = re.compile(r"([^a-z0-9]+)")


@cache
def _gap() -> re.Pattern[str]:
    """Compiled when the first text beyond ASCII comes: hooks start without it."""
    return re.compile(rf"((?:[^\w{_MARKS}]|_)+)")


@cache
def _has_cjk() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]")


@cache
def _token() -> re.Pattern[str]:
    return re.compile(rf"[{_CJK}]+|(?:(?![{_CJK}])[^\W_]|[{_MARKS}])+")


JOINERS = frozenset(["-", "_", ".", " ", "\n", "\u00a0", "\u2010", "\u2011"])
"""What may stand between the words of one term: they are interchangeable (vocabulary.md, matching rules)."""


@dataclass(frozen=True, slots=True)
class Words:
    """``words[i]`` is folded and begins at ``starts[i]``; ``gaps[i]`` is what stands between it and the next."""

    words: list[str]
    starts: list[int]
    ends: list[int]
    gaps: list[str]


def fold_word(word: str) -> str:
    """NFKC and case folding of one word (C-050)."""
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()


def term_words(term: str) -> tuple[str, ...]:
    """A term as the words it is matched by: ``"Next.js"`` → ``("next", "js")``."""
    if term.isascii():
        return tuple(_ASCII_WORD.findall(term.lower()))
    return tuple(fold_word(match.group()) for match in _token().finditer(unicodedata.normalize("NFKC", term)))


def term_key(term: str) -> str:
    """The key under which a spelling is known: its words, and the signs that are part of the name (``c#``)."""
    term = term.strip()
    tail = next((sign for sign in ("++", "#") if term.endswith(sign)), "")
    return " ".join(term_words(term)) + tail


def split_words(text: str) -> Words:
    """All words of a text, in order.  A run of Chinese, Japanese or Korean signs is a word of its own."""
    lowered = text.lower()
    if len(lowered) != len(text) or (not lowered.isascii() and _has_cjk().search(lowered)):
        return _by_token(text)
    plain = lowered.isascii()
    parts = (_ASCII_GAP if plain else _gap()).split(lowered)
    ends = list(accumulate(map(len, parts)))
    words = parts[0::2]
    if not plain:
        words = [word if word.isascii() else fold_word(word) for word in words]
    return Words(words, [0, *ends[1::2]], ends[0::2], parts[1::2])


def _by_token(text: str) -> Words:
    spans = [match.span() for match in _token().finditer(text)]
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(spans)]
    return Words(
        [fold_word(text[start:end]) for start, end in spans],
        [start for start, _ in spans],
        [end for _, end in spans],
        [*gaps, text[spans[-1][1] :]] if spans else [],
    )
