"""The lexicon's statement cues as compiled patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from memory_fabric.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Cues:
    """Patterns over sentences as written; they ignore case."""

    decision: tuple[tuple[bool, re.Pattern[str]], ...]
    """Strong or not, and the cue; the choice follows it."""
    backward: frozenset[re.Pattern[str]]
    """Decision cues that the choice stands before (Japanese)."""
    alternatives: re.Pattern[str]
    preference: re.Pattern[str]
    repeatable: re.Pattern[str]
    passing_wish: re.Pattern[str]
    """A wish about the present task, unless the sentence holds a ``standing`` word."""
    standing: re.Pattern[str]
    problem: tuple[re.Pattern[str], ...]
    problem_strong: tuple[re.Pattern[str], ...]
    asking: re.Pattern[str]
    """A question that supposes a problem rather than reporting one."""
    no_problem: re.Pattern[str]
    question: re.Pattern[str]
    rationale: re.Pattern[str]
    constraint: re.Pattern[str]
    tradeoff: re.Pattern[str]
    undecided: re.Pattern[str]
    first_person: re.Pattern[str]
    noise: tuple[str, ...]
    other_subjects: frozenset[str]
    """Words before a cue that say somebody else did it: "the user chose to revert"."""
    clause_openers: frozenset[str]
    """Words before "don't use" that leave it a rule; after others it tells of what is: "the tests don't use"."""
    skipped_before: frozenset[str]
    """Adverbs and auxiliaries between a subject and its verb."""


def _any(cues: Iterable[str]) -> re.Pattern[str]:
    """Any of these cues, at the start of a word; Japanese ones anywhere."""
    ordered = sorted(cues, key=len, reverse=True)
    plain = "|".join(cue for cue in ordered if cue.isascii())
    other = "|".join(cue for cue in ordered if not cue.isascii())
    parts = ([rf"(?<![\w-])(?:{plain})(?![\w-])"] if plain else []) + ([f"(?:{other})"] if other else [])
    return re.compile("|".join(parts).replace("'", "['’]"), re.IGNORECASE)


@lru_cache(maxsize=4)
def compile_cues(lexicon: Lexicon) -> Cues:
    """The cues of a lexicon, compiled once."""
    cues = lexicon.cues
    decision = cues["decision"]
    backward = _any(decision["strong_after"])
    plain = [*decision["plain"], *decision["implementation"], *decision["statement"], *decision["using"]]
    return Cues(
        decision=((True, _any(decision["strong"])), (True, backward), (False, _any(plain))),
        backward=frozenset([backward]),
        problem=tuple(_any([cue]) for cue in cues["problem"]),
        problem_strong=tuple(_any([cue]) for cue in cues["problem_strong"]),
        noise=tuple(cues["noise"]),
        other_subjects=frozenset(cues["other_subjects"]),
        clause_openers=frozenset(cues["clause_openers"]),
        skipped_before=frozenset(cues["skipped_before"]),
        **{name: _any(cues[name]) for name in _PLAIN},
    )


_PLAIN = (
    "alternatives preference repeatable passing_wish standing asking no_problem question rationale constraint tradeoff "
    "undecided first_person"
).split()
"""Lists of the file that become one pattern each."""
