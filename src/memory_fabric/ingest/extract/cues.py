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
        alternatives=_any(cues["alternatives"]),
        preference=_any(cues["preference"]),
        repeatable=_any(cues["repeatable"]),
        passing_wish=_any(["i want", "i'd rather", "i'd prefer", "i do not want", "i don't want", "i like"]),
        standing=_any(["always", "everywhere", "in general", "from now on", "whenever"]),
        problem=tuple(_any([cue]) for cue in cues["problem"]),
        problem_strong=tuple(_any([cue]) for cue in cues["problem_strong"]),
        asking=_any(["can", "could", "would", "should", "are there", "is there", "do we", "is this", "was this"]),
        no_problem=_any(cues["no_problem"]),
        question=_any(cues["question"]),
        rationale=_any(cues["rationale"]),
        constraint=_any(cues["constraint"]),
        tradeoff=_any(cues["tradeoff"]),
        undecided=_any(
            [
                "if",
                "whether",
                "maybe",
                "perhaps",
                "not (?:sure|decided)",
                "haven't (?:decided|chosen)",
                "have not (?:decided|chosen)",
                "could",
                "might",
                "didn't (?:choose|select|pick)",
                "not (?:going with|selected|chosen)",
            ]
        ),
        first_person=_any(
            [
                "i",
                "we",
                "i've",
                "we've",
                "let's",
                "[\\w]+-(?:engineer|architect|developer|auditor|reviewer|integrator|specialist|designer)",
            ]
        ),
        noise=tuple(cues["noise"]),
    )
