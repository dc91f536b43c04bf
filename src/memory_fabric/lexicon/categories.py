"""The category of a text by its keywords (vocabulary.md §4)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_fabric.lexicon.words import split_words

_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+(?P<title>[^\n]*)|[*_-]*[ \t]*(?P<lead>[\w /+-]{1,40}?)[*_]*:)", re.MULTILINE
)


@dataclass(frozen=True, slots=True)
class Categories:
    """Keyword groups in the order they are tried."""

    order: tuple[tuple[str, frozenset[str]], ...]
    weak: frozenset[str]
    """Count only with a second keyword of their group or in a heading."""
    default: str
    remember: frozenset[str]
    result: frozenset[str]
    mem0: frozenset[str]


def category_of(text: str, categories: Categories) -> str:
    """The first group with a match, or the default.

    A keyword matches as a whole word.  A weak keyword counts with a second, different keyword of the same group, or
    as part of a heading or of a short lead before a colon.
    """
    present = set(split_words(text).words)
    if "ci" in present and "cd" in present:
        present.add("ci/cd")
    headed: set[str] | None = None
    for name, keywords in categories.order:
        found = keywords & present
        if not found:
            continue
        if len(found) > 1 or not found <= categories.weak:
            return name
        if headed is None:
            headed = _heading_words(text)
        if found & headed:
            return name
    return categories.default


def _heading_words(text: str) -> set[str]:
    found: set[str] = set()
    for match in _HEADING.finditer(text):
        found.update(split_words(match["title"] or match["lead"] or "").words)
    return found
