"""What must be equal before two texts may count as one: similarity cannot see one digit (F-DEDUP-5, C-140, C-141)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_fabric.text import words

_NEGATIONS = frozenset("not no never none neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent "
                       "wont wouldnt shouldnt couldnt mustnt hasnt havent hadnt stop avoid".split())  # fmt: skip
_HARMLESS = frozenset("forget fail hesitate miss neglect omit".split())
""" "Do not forget to X" asks for X: a negation before one of these is none (vocabulary.md §6)."""

_DIRECTIONS = frozenset("over instead than rather versus vs from to before after into replaces replaced replacing "
                        "supersedes beats uses blocks causes fixes depends".split())  # fmt: skip
_DATES = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday today yesterday tomorrow".split()
)
_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in "enable/disable enabled/disabled allow/deny allow/forbid add/remove on/off true/false love/hate "
    "before/after increase/decrease start/stop open/close staging/production sync/async always/never up/down "
    "include/exclude public/private read/write accept/reject upgrade/downgrade left/right min/max".split()
)
_MEASURED = re.compile(
    r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}:\d\d\b|\b\d+(?:[.,]\d+)?\s?(?:ms|s|sec|seconds|min|minutes|hours|days|%|kb|mb|gb|kib|mib|gib)\b",
    re.IGNORECASE,
)
_CONTRACTION = re.compile(r"n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Profile:
    """What of a text must match another's exactly."""

    tokens: frozenset[str]
    digits: tuple[str, ...]
    """Tokens that hold a digit, with their repetitions, leading zeros kept."""
    negative: bool
    directions: tuple[tuple[str, str, str], ...]
    dates: frozenset[str]
    measured: bool
    """Holds a date, a time of day or a number with a unit: a point in time, not a state (F-DEDUP-7, C-144)."""


def profile(text: str) -> Profile:
    """The profile of a text."""
    tokens = words(_CONTRACTION.sub(" not", text))
    return Profile(
        tokens=frozenset(tokens),
        digits=tuple(sorted(token for token in tokens if any(map(str.isdigit, token)))),
        negative=_negative(tokens),
        directions=_directions(tokens),
        dates=frozenset(tokens) & _DATES,
        measured=_MEASURED.search(text) is not None,
    )


def _negative(tokens: list[str]) -> bool:
    """Whether the negations of a text leave it negative: two cancel out, and "do not forget" is none."""
    count = 0
    for place, token in enumerate(tokens):
        if token in _NEGATIONS:
            count += not any(near in _HARMLESS for near in tokens[place + 1 : place + 3])
    return count % 2 == 1


def _directions(tokens: list[str]) -> tuple[tuple[str, str, str], ...]:
    """Word, left and right neighbour of everything that has a direction: "A over B" is not "B over A"."""
    found = []
    for place, token in enumerate(tokens):
        if token in _DIRECTIONS:
            left = tokens[place - 1] if place else ""
            right = next((t for t in tokens[place + 1 : place + 3] if t not in ("of", "the", "a", "than")), "")
            found.append((token, left, right))
    return tuple(found)


def may_fold(left: Profile, right: Profile) -> bool:
    """Whether nothing speaks against the two being one statement, however similar they are."""
    if left.measured or right.measured:
        return False
    if (left.digits, left.negative, left.directions, left.dates) != (
        right.digits,
        right.negative,
        right.directions,
        right.dates,
    ):
        return False
    differing = left.tokens ^ right.tokens
    return not any(pair <= differing for pair in _OPPOSITES)
