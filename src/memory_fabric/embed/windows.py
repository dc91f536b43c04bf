"""Cutting a long text into overlapping windows, so that its tail is found as well as its head (C-069)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\s\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")

QUERY_END = 2_000
"""Characters looked at from each end of a long question: who pastes a log asks before or after it."""


def both_ends(question: str) -> str:
    """The question, or the two ends of a long one, a line each."""
    if len(question) <= 2 * QUERY_END:
        return question
    return f"{question[:QUERY_END]}\n{question[-QUERY_END:]}"


@dataclass(frozen=True, slots=True)
class Piece:
    """One token of a text: where it stands, and which word it belongs to."""

    start: int
    end: int
    """Character offsets, ``end`` exclusive."""
    word: int
    """Pieces of one word share this number; it never falls."""


def word_pieces(text: str) -> list[Piece]:
    """The words of a text, a CJK character counted as one: for embedders without a tokenizer at hand."""
    return [Piece(match.start(), match.end(), place) for place, match in enumerate(_WORD.finditer(text))]


def cut(text: str, pieces: Sequence[Piece], size: int, overlap: int) -> list[str]:
    """The text as windows of at most ``size`` pieces; each shares ``overlap`` or a few more with the one before.

    In order; at least one; together they hold every character.  No word is cut unless it alone is too long: windows
    then fall back on cutting between its pieces.  ``overlap`` is below ``size``.
    """
    if len(pieces) <= size:
        return [text]
    windows: list[str] = []
    first = 0
    while True:
        last = _end(pieces, first, size)
        begin = pieces[first].start if first else 0
        if last == len(pieces):
            windows.append(text[begin:])
            return windows
        # What stands between two pieces (white space, control characters) goes with the earlier one.
        windows.append(text[begin : max(pieces[last].start, pieces[last - 1].end)])
        first = _start(pieces, first, last, overlap)


def _end(pieces: Sequence[Piece], first: int, size: int) -> int:
    """Where the window that begins at ``first`` ends, exclusive: at a word's end where one lies in its second half."""
    last = first + size
    if last >= len(pieces):
        return len(pieces)
    whole = last
    while pieces[whole].word == pieces[whole - 1].word and whole - first > max(1, size // 2):
        whole -= 1
    return last if pieces[whole].word == pieces[whole - 1].word else whole


def _start(pieces: Sequence[Piece], first: int, last: int, overlap: int) -> int:
    """Where the next window begins: ``overlap`` pieces before ``last``, or at the beginning of the word there."""
    plain = max(first + 1, last - overlap)
    whole = plain
    while whole > first + 1 and pieces[whole].word == pieces[whole - 1].word:
        whole -= 1
    return plain if pieces[whole].word == pieces[whole - 1].word else whole
