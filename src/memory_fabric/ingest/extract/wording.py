"""What a decision says: its choice, alternatives, reasons, constraints and trade-offs (F-INTENT-2, F-INTENT-3)."""

from __future__ import annotations

import re
import unicodedata

from memory_fabric.ingest.extract.cues import Cues

RATIONALE_BEFORE, RATIONALE_AFTER, MAX_RATIONALE = 50, 300, 200
MIN_ASIDE, MAX_ASIDES = 5, 5
"""A constraint or trade-off is longer than 5 characters; at most 5 each (F-INTENT-3)."""

MAX_CHOICE = 80
MAX_ALTERNATIVES = 5

_CHOICE_END = re.compile(
    r"[.,;:!?()\n—–]|[。、！？]|\s-\s|\s(?:because|since|due to|so that|so|in order to"
    r"|to (?:avoid|keep|make|get|reduce|improve|handle|ensure)|as (?:it|we|they)|for|when"
    r"|and|but|which|that|where|while|after|before|if|then|over|instead of|rather than)\s",
    re.IGNORECASE,
)
_ACT_END = re.compile(
    r"[.,;:!?()\n—–]|[。、！？]|\s-\s|\s(?:because|since|due to|so that|so|in order to|as it|but|while"
    r"|instead of|rather than)\s",
    re.IGNORECASE,
)
"""Where the choice ends when it is something to do rather than something to use."""

_DETERMINER = re.compile(r"(?:the|an?|our|this|that|to use|use|using)\s+", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|[。！？\n]")
_SPLIT = re.compile(r"\s*,\s*(?:and |or )?|\s+(?:and|or)\s+")
_QUOTES = "*_`\"'“”‘’ "
_NOT_BUT = "ではなく"
_BEFORE = re.compile(r"[^\s、。，,「」はもが]+$")


def display_width(text: str) -> int:
    """Length in columns: a wide sign says as much as two narrow ones."""
    return len(text) if text.isascii() else sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def choice_of(text: str, match: re.Match[str], cues: Cues) -> tuple[str | None, tuple[str, ...]]:
    """The choice beside a decision cue and the alternatives it was preferred to."""
    if match.re in cues.backward:
        return _choice_before(text[: match.start()])
    rest = text[match.end() :]
    while found := _DETERMINER.match(rest.lstrip(_QUOTES)):
        rest = rest.lstrip(_QUOTES)[found.end() :]
    acting = match.group().casefold().endswith((" to", " that")) or rest.lstrip().startswith("to ")
    rest = rest.lstrip().removeprefix("to ") if acting else rest
    end = (_ACT_END if acting else _CHOICE_END).search(rest.rstrip(_QUOTES) + " ", 1)
    choice = _tidy(rest[: end.start()] if end else rest)
    over = cues.alternatives.search(text, match.end())
    return choice, _alternatives(text[over.end() :]) if over else ()


def _choice_before(before: str) -> tuple[str | None, tuple[str, ...]]:
    rejected, _, chosen = before.rpartition(_NOT_BUT)
    found, refused = _BEFORE.search(chosen.rstrip()), _BEFORE.search(rejected.rstrip())
    return _tidy(found.group()) if found else None, (refused.group(),) if refused else ()


def _alternatives(rest: str) -> tuple[str, ...]:
    end = re.search(r"[.;:!?()\n—–]|\s(?:because|since|due to|so|for|to|as|but|when|in)\s", rest + " ", re.IGNORECASE)
    names = (_tidy(_DETERMINER.sub("", part, count=1)) for part in _SPLIT.split(rest[: end.start()] if end else rest))
    return tuple(dict.fromkeys(name for name in names if name))[:MAX_ALTERNATIVES]


def _tidy(text: str) -> str | None:
    text = " ".join(text.split()).strip(_QUOTES)
    return text if 1 < len(text) <= MAX_CHOICE and any(sign.isalpha() for sign in text) else None


def rationale_of(prose: str, span: tuple[int, int], half: tuple[int, int], cues: Cues) -> str | None:
    """The first reason given in the window of −50 to +300 characters around a match, cut at 200."""
    start, end = span
    low, high = max(half[0], start - RATIONALE_BEFORE), min(half[1], end + RATIONALE_AFTER)
    found = cues.rationale.search(prose, low, high)
    if found is None:
        return None
    if not found.group().isascii():
        begin = max(prose.rfind(mark, low, found.start()) for mark in "。、\n") + 1
        return prose[max(begin, low) : found.end()].strip()[:MAX_RATIONALE] or None
    close = _SENTENCE_END.search(prose, found.end(), half[1])
    return prose[found.start() : close.start() if close else half[1]].strip()[:MAX_RATIONALE].strip() or None


def after_cues(window: str, cue: re.Pattern[str]) -> tuple[str, ...]:
    """What follows each cue to the end of its sentence, the cue with it."""
    found: dict[str, None] = {}
    for match in cue.finditer(window):
        close = _SENTENCE_END.search(window, match.end())
        text = " ".join(window[match.start() : close.start() if close else len(window)].split())
        if len(text) > MIN_ASIDE:
            found.setdefault(text[:MAX_RATIONALE])
    return tuple(found)[:MAX_ASIDES]
