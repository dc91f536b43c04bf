"""Whether a sentence states what is: denied, supposed and conditional clauses do not (precision before recall)."""

from __future__ import annotations

import re

_NEGATIONS = (
    r"not|never|no longer|none|neither|nor|nobody|without|cannot|stop(?:ped|s)? using|avoid(?:s|ed|ing)?"
    r"|remov(?:e|es|ed|ing)|drop(?:s|ped|ping)?|refus\w+|lacks?|unlike|hardly|rarely"
)
_CONDITIONS = (
    r"if|unless|whether|suppos\w+|imagine|assume[sd]?|assuming|what about|how about|hypothetical\w*|for example"
    r"|for instance|when using|as though|pretend|todo|options?|alternatives?|alternatively|proposal"
    r"|propos(?:e|es|ed|ing)|typically|usually"
)
_SUPPOSITIONS = (
    r"could|would|should|might|may|can|maybe|perhaps|possibly|potentially|probably|consider(?:s|ed|ing)?"
    r"|suggest(?:ion|ions)?|either|thinking|planned|plan to|plans to|planning|want(?:s|ed)? to|wish|hope|seems?"
    r"|appears?|likely|let me|let['’]s see|try(?:ing)? to|tried|used to|until|previously|formerly"
)

NEGATED = re.compile(rf"\b(?:{_NEGATIONS})\b|n['’]t\b|ない|ません", re.IGNORECASE)
"""A clause with one of these states no fact that a pattern could read rightly."""

CONDITIONAL = re.compile(rf"\b(?:{_CONDITIONS})\b|\be\.g\.", re.IGNORECASE)
"""A sentence with one of these tells of something that might be, or of nothing in particular."""

HYPOTHETICAL = re.compile(rf"\b(?:{_SUPPOSITIONS})\b", re.IGNORECASE)
"""What might be is not what is; reaches as far as its clause."""

_CLAUSE_END = re.compile(
    r";|[—–]|\s-\s|,?\s+(?:but|because|since|so that|whereas|while|although)\s"
    r"|,\s+(?:and|so)\s+(?=⟨|we\b|it\b|they\b|i\b|the\b)",
    re.IGNORECASE,
)


def is_unreal(sentence: str, start: int, end: int) -> bool:
    """Whether the clause or clauses around ``[start, end)`` deny it or only suppose it."""
    low, high = 0, len(sentence)
    for cut in _CLAUSE_END.finditer(sentence):
        if cut.end() <= start:
            low = cut.end()
        elif cut.start() >= end:
            high = cut.start()
            break
    return any(pattern.search(sentence, low, high) for pattern in (NEGATED, HYPOTHETICAL))
