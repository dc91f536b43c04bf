"""Cutting by pieces: laws of the cut, whatever the tokenizer."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.embed.windows import Piece, cut


def letters(words: list[int], alphabet: str = "") -> tuple[str, list[Piece]]:
    """Words of so many letters, every letter a piece; without an alphabet no letter comes twice."""
    text, pieces = "", []
    for number, length in enumerate(words):
        text += " " if number else ""
        letter = alphabet and alphabet[number % len(alphabet)]
        for _ in range(length):
            pieces.append(Piece(len(text), len(text) + 1, number))
            text += letter or chr(0x4E00 + len(pieces))
    return text, pieces


def test_words_stay_whole_and_windows_overlap() -> None:
    text, pieces = letters([2] * 6, "abcdef")
    assert cut(text, pieces, 5, 1) == ["aa bb ", "bb cc ", "cc dd ", "dd ee ", "ee ff"]


def test_a_word_longer_than_a_window_is_cut() -> None:
    text, pieces = letters([10], "a")
    assert cut(text, pieces, 4, 1) == ["aaaa", "aaaa", "aaaa"]


def test_what_fits_is_not_cut() -> None:
    text, pieces = letters([2, 2])
    assert cut(text, pieces, 4, 1) == [text]
    assert len(cut(text, pieces, 3, 1)) > 1


@given(
    st.lists(st.integers(1, 12), max_size=40),
    st.integers(1, 15).flatmap(lambda s: st.tuples(st.just(s), st.integers(0, s - 1))),
)
def test_every_piece_is_in_a_window_and_none_is_too_long(words: list[int], sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    text, pieces = letters(words)
    at = 0
    covered = 0
    for window in cut(text, pieces, size, overlap):
        begin = next(place for place in range(at, covered + 1) if text.startswith(window, place))
        assert len(window.replace(" ", "")) <= size
        covered = max(covered, begin + len(window))
        at = begin
    assert covered == len(text)
