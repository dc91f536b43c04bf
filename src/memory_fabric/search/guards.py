"""What must be equal before two texts may count as one: similarity cannot see one digit (F-DEDUP-5, C-140, C-141).

Everything here may only keep texts apart that are alike, never bring others together: unsure means both are kept
(F-DEDUP-6).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_fabric.search.swaps import Neighbours, neighbours, swapped
from memory_fabric.text import words

_NEGATIONS = frozenset(
    "not no never none neither nor without cannot cant dont doesnt didnt isnt arent wasnt werent wont wouldnt "
    "shouldnt couldnt mustnt hasnt havent hadnt stop avoid forget fail hesitate miss neglect omit".split()
)
"""Words that turn what follows round.  Two in a row cancel out: "do not forget to X" asks for X (vocabulary.md §6)."""

_PASSED_OVER = frozenset("a an the any ever to be been being longer have has do did does we you i it".split())
"""Between a negation and what it negates."""

_DIRECTIONS = frozenset(
    "over instead than rather versus vs by replaces replaced replacing supersedes beats blocks".split()
)
"""Their neighbours must be equal; the direction of all other words is checked by ``swaps``."""

_DATES = {
    **{
        short: full
        for full in "january february march april may june july august september october november december".split()
        for short in (full, full[:3])
    },
    **{
        short: full
        for full in "monday tuesday wednesday thursday friday saturday sunday".split()
        for short in (full, full.removesuffix("day"), full[:3])
    },
    **{word: word for word in "today yesterday tomorrow tonight".split()},
    "sept": "september",
}
"""Names of days and months, short forms too → the full one."""

_NUMBERS = frozenset(
    "zero two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion twice "
    "second third fourth fifth half double".split()
)
"""Number words; "one" and "once" stand for too much else."""

_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in "enable/disable enabled/disabled enables/disables allow/deny allow/forbid allowed/denied add/remove "
    "added/removed on/off true/false love/hate loves/hates like/dislike before/after increase/decrease "
    "increased/decreased increases/decreases start/stop open/close opened/closed open/closed staging/production "
    "staging/prod dev/prod development/production test/production sync/async synchronous/asynchronous always/never "
    "up/down include/exclude included/excluded public/private read/write reads/writes accept/reject accepted/rejected "
    "upgrade/downgrade left/right min/max minimum/maximum more/less more/fewer higher/lower faster/slower "
    "bigger/smaller high/low fast/slow old/new first/last first/second pass/fail passes/fails passed/failed "
    "passing/failing works/fails worked/failed success/failure encode/decode encrypt/decrypt push/pull lock/unlock "
    "keep/drop local/remote input/output import/export imports/exports internal/external ascending/descending asc/desc "
    "primary/replica client/server frontend/backend request/response source/target required/optional with/without "
    "horizontal/vertical yes/no all/none".split()
)
_OPPOSING_PREFIXES = ("un", "in", "im", "dis", "non", "de", "a")
"""What makes the opposite of a word: ``safe`` and ``unsafe`` (F-DEDUP-5)."""

_DAY = r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?"
_UNIT = "ms|s|secs?|seconds?|mins?|minutes?|h|hours?|days?|%|percent|kb|mb|gb|kib|mib|gib|rps|qps|fps"
_QUANTITY = rf"\d+(?:[.,]\d+)?\s?(?:{_UNIT})(?!\w)"
_STAMPED = re.compile(rf"\A(?:USER: |ASSISTANT: )?[\s\[(*#-]*(?:{_DAY}|{_CLOCK})\b")
_DATED = re.compile(rf"\b(?:{_DAY}|{_CLOCK})\b", re.IGNORECASE)
_MEASURED = re.compile(rf"(?<![\w.]){_QUANTITY}", re.IGNORECASE)
_HAPPENED = frozenset(
    "took taken measured ran finished completed lasted averaged dropped rose grew fell reached".split()
)
"""A quantity beside one of these was measured once."""

_CONTRACTION = re.compile(r"n['’]t\b", re.IGNORECASE)
_EDGES = ".,;:!?\"'`*_()[]{}<>|"
_SIGNS = re.compile(r"(?<=\w)(?:\+\+|#)(?!\w)|[<>!=]=|(?<=\s)[<>](?=\s)|(?<![\w-])[-−](?=\d)")
"""Signs that ``words`` does not see, though they make another thing of it: ``C++``, ``!=``, ``-5``."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What of a text must match another's exactly."""

    tokens: frozenset[str]
    digits: tuple[str, ...]
    """Words that hold a digit, as written (leading zeros, dots and all), each once, in order; number words too."""
    negated: tuple[str, ...]
    """What stands behind each negation that counts."""
    directions: tuple[tuple[str, str, str], ...]
    dates: tuple[str, ...]
    signs: tuple[str, ...]
    episodic: bool
    """A record of a point in time, not a state (F-DEDUP-7, C-144)."""
    neighbours: Neighbours


def profile(text: str) -> Profile:
    """The profile of a text."""
    tokens = words(_CONTRACTION.sub(" not", text))
    return Profile(
        tokens=frozenset(tokens),
        digits=_digits(text, tokens),
        negated=_negated(tokens),
        directions=_directions(tokens),
        dates=tuple(sorted({_DATES[token] for token in tokens if token in _DATES})),
        signs=tuple(sorted(_SIGNS.findall(text))),
        episodic=_episodic(text, tokens),
        neighbours=neighbours(tokens),
    )


def _digits(text: str, tokens: list[str]) -> tuple[str, ...]:
    raw = (word.strip(_EDGES).casefold() for word in text.split() if any(map(str.isdigit, word)))
    return (*dict.fromkeys(raw), *dict.fromkeys(token for token in tokens if token in _NUMBERS))


def _negated(tokens: list[str]) -> tuple[str, ...]:
    """The words that negations turn round, sorted; a negation right behind another cancels it."""
    found: list[str] = []
    negative = False
    for token in tokens:
        if token in _NEGATIONS:
            negative = not negative
        elif negative and token not in _PASSED_OVER:
            found.append(token)
            negative = False
        elif token not in _PASSED_OVER:
            negative = False
    return tuple(sorted([*found, ""] if negative else found))


def _directions(tokens: list[str]) -> tuple[tuple[str, str, str], ...]:
    """Word, left and right neighbour of everything that has a direction: "A over B" is not "B over A"."""
    found = []
    for place, token in enumerate(tokens):
        if token in _DIRECTIONS:
            left = tokens[place - 1] if place else ""
            right = next((t for t in tokens[place + 1 : place + 3] if t not in ("of", "the", "a", "than")), "")
            found.append((token, left, right))
    return tuple(found)


def _episodic(text: str, tokens: list[str]) -> bool:
    """A line that begins with its time, a quantity beside a date, or one that was measured."""
    if _STAMPED.match(text):
        return True
    if _MEASURED.search(text) is None:
        return False
    return not _HAPPENED.isdisjoint(tokens) or _DATED.search(text) is not None


def may_fold(left: Profile, right: Profile) -> bool:
    """Whether nothing speaks against the two being one statement, however similar they are."""
    if left.episodic or right.episodic:
        return False
    if _facts(left) != _facts(right) or swapped(left.neighbours, right.neighbours):
        return False
    return not _opposed(left.tokens - right.tokens, right.tokens - left.tokens)


def _facts(of: Profile) -> tuple[object, ...]:
    return of.digits, of.negated, of.directions, of.dates, of.signs


def _opposed(mine: frozenset[str], theirs: frozenset[str]) -> bool:
    """Whether one text has a word where the other has its opposite."""
    if any(pair & mine and pair & theirs for pair in _OPPOSITES):
        return True
    return any(
        word.startswith(prefix) and word.removeprefix(prefix) in others
        for some, others in ((mine, theirs), (theirs, mine))
        for word in some
        for prefix in _OPPOSING_PREFIXES
    )
