"""The few words of a long text that answer a question: a window around the best matches."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from memory_fabric.text import analyse, split_exchange

WIDTH = 500
"""Characters of a passage that are shown."""

PROMPT_SHARE = 0.35
"""Share of the width that a long prompt gets when the reply is long too: the answer usually lies in the reply."""

MARK = "…"
"""Stands where something was left out."""

_WORD = re.compile(r"\w+")
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Passage:
    """What is shown of an exchange; either half may be empty."""

    prompt: str
    reply: str


def passage(text: str, terms: Collection[str], width: int = WIDTH) -> Passage:
    """The windows of an exchange's prompt and reply that hold most of the terms, together at most ``width`` long."""
    prompt, reply = (_SPACES.sub(" ", half).strip() for half in split_exchange(text))
    for_prompt = max(int(width * PROMPT_SHARE), width - len(reply))
    shown = snippet(prompt, terms, for_prompt)
    return Passage(shown, snippet(reply, terms, width - len(shown)))


def snippet(text: str, terms: Collection[str], width: int = WIDTH) -> str:
    """At most ``width`` characters of a text, around its best matching words, white space collapsed.

    The window with most different terms wins, then most matches, then the earliest; a text without any is shown from
    its beginning.  ``terms`` are analysed tokens (``Query.terms``).  Cuts fall between words where there are any and
    are marked with ``…``, which counts.
    """
    line = _SPACES.sub(" ", text).strip()
    if len(line) <= width:
        return line
    room = max(1, width - 2 * len(MARK))
    first, last = _best(matches(line, terms), room)
    start = max(0, min(first - (room - (last - first)) // 2, len(line) - room))
    if first < room // 3 and last <= room:
        start = 0
    end = min(len(line), start + room)
    start, end = _between_words(line, start, end, first, last)
    return (MARK if start else "") + line[start:end].strip() + (MARK if end < len(line) else "")


def matches(text: str, terms: Collection[str]) -> list[tuple[int, int, str]]:
    """Where the terms stand in a text: start, end and the term, in order."""
    wanted = frozenset(terms)
    known: dict[str, frozenset[str]] = {}
    found: list[tuple[int, int, str]] = []
    for match in _WORD.finditer(text) if wanted else ():
        word = match.group()
        if word not in known:
            known[word] = wanted.intersection(analyse(word))
        for term in known[word]:
            found.extend((match.start() + a, match.start() + b, term) for a, b in _inside(word, term))
    return sorted(found)


def _inside(word: str, term: str) -> list[tuple[int, int]]:
    """Where a term stands in a run of letters: in Chinese or Japanese that is a whole sentence, elsewhere one word."""
    places = [] if word.isascii() else [match.span() for match in re.finditer(re.escape(term), word, re.IGNORECASE)]
    return places or [(0, len(word))]


def _best(found: list[tuple[int, int, str]], room: int) -> tuple[int, int]:
    """Span of the matches that together fit into ``room`` characters and say most; (0, 0) for none."""
    best, span, left = (0, 0), (0, 0), 0
    counts: dict[str, int] = {}
    for start, end, term in found:
        counts[term] = counts.get(term, 0) + 1
        while end - found[left][0] > room and found[left][0] < start:
            gone = found[left][2]
            counts[gone] -= 1
            if not counts[gone]:
                del counts[gone]
            left += 1
        worth = (len(counts), sum(counts.values()))
        if worth > best:
            best, span = worth, (found[left][0], min(end, found[left][0] + room))
    return span


def _between_words(line: str, start: int, end: int, first: int, last: int) -> tuple[int, int]:
    """The cuts moved to spaces near them, never into what matched."""
    if start:
        space = line.find(" ", start - 1, min(first, start + 24))
        start = space + 1 if space >= 0 else start
    if end < len(line) and line[end] != " ":
        space = line.rfind(" ", max(last, end - 24), end)
        end = space if space >= 0 else end
    return start, end
