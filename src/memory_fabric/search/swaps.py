"""Whether two texts say the same words the other way round: "A calls B" is not "B calls A" (F-DEDUP-5)."""

from __future__ import annotations

from collections.abc import Sequence

Neighbours = frozenset[tuple[str, str, str]]
"""What stands left of a word, the word, what stands right of it."""

_BESIDE = frozenset(
    "a an the of on is are was were be been by has have had will would should can could we you i it".split()
)
"""Words that are no neighbours."""

_EITHER_WAY = frozenset("and or nor plus both between".split())
"""What stands on the two sides of these may change places."""

REACH = 2
"""Neighbours on either side."""


def neighbours(tokens: Sequence[str]) -> Neighbours:
    """Every word with its neighbours, up to two on either side."""
    plain = [token for token in tokens if token not in _BESIDE]
    return frozenset(
        (left, token, right)
        for place, token in enumerate(plain)
        if token not in _EITHER_WAY
        for left in plain[max(0, place - REACH) : place]
        for right in plain[place + 1 : place + 1 + REACH]
        if left not in _EITHER_WAY and right not in _EITHER_WAY and left != right
    )


def swapped(mine: Neighbours, theirs: Neighbours) -> bool:
    """Whether two neighbours of some word have changed sides from one text to the other."""
    only_mine, only_theirs = mine - theirs, theirs - mine
    return any((right, word, left) in only_theirs for left, word, right in only_mine)
