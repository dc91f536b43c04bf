"""Spotting: known names in a text, longest first, on word boundaries, never inside a word (F-EXTR-3, F-PARSE-4)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field

from memory_fabric.lexicon.words import JOINERS, Words, split_words
from memory_fabric.model.vocabulary import Kind

NEAR = 40
"""Characters within which another technology counts as "beside" (vocabulary.md §1.11)."""

_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]+`", re.DOTALL)
_VERSION = re.compile(r"[\s-]*v?\d+\.\d|[\s-]*v\d")
_INSIDE_SENTENCE = frozenset(" ,(\"'*_[/-–—“‘’+&")
_LIST_JOINT = re.compile(r"\s*(?:,|/|\+|&|,?\s*\b(?:and|or|with|plus|on|vs\.?)\b)\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Spotted:
    """A known name in a text."""

    name: str
    """As written."""
    canonical: str
    """The lexicon's name for it."""
    kind: Kind
    label: str
    """``technology``, ``tool``, ``pattern``, ``agent``."""
    start: int
    end: int
    """Characters into the text; ``text[start:end] == name``."""
    display: str
    """Well-known spelling: ``PostgreSQL``."""


@dataclass(frozen=True, slots=True)
class Form:
    """One spelling of a term."""

    words: tuple[str, ...]
    canonical: str
    kind: Kind
    label: str
    display: str
    cue: str = ""
    tail: str = ""
    """Signs that must follow the last word: ``#`` of C#, ``++`` of C++."""


@dataclass(frozen=True, slots=True)
class Spotter:
    """Everything that spotting needs, by first word."""

    forms: Mapping[str, tuple[Form, ...]]
    """First word → spellings, longest first."""
    actor_nouns: frozenset[str]
    not_agents: frozenset[str]
    built_adjectives: frozenset[str]
    built_nouns: frozenset[str]
    cue_words: Mapping[str, frozenset[str]]
    triggers: frozenset[str] = field(default=frozenset())


def spot(text: str, spotter: Spotter) -> list[Spotted]:
    """Known names in order of appearance, not overlapping; of two that overlap the earlier, then the longer, stays."""
    words = split_words(text)
    hits = [place for place, word in enumerate(words.words) if word in spotter.triggers]
    if not hits:
        return []
    reading = _Reading(text, words, spotter)
    found: list[tuple[int, int, Form]] = []
    waiting: list[tuple[int, int, Form]] = []
    for place in hits:
        for first, last, form in reading.matches(place):
            if not form.cue or reading.cued(first, last, form):
                found.append((first, last, form))
            elif reading.in_identifier(first, last):
                continue
            elif form.cue in _BESIDE:
                waiting.append((first, last, form))
    certain = [(words.starts[first], words.ends[last]) for first, last, form in found if form.kind is Kind.TECHNOLOGY]
    found.extend(match for match in waiting if reading.beside(match, certain))
    return _without_overlaps(text, words, found)


def _without_overlaps(text: str, words: Words, found: list[tuple[int, int, Form]]) -> list[Spotted]:
    spotted: list[Spotted] = []
    taken = -1
    for first, last, form in sorted(found, key=lambda match: (match[0], -match[1])):
        if first <= taken:
            continue
        taken = last
        start, end = words.starts[first], words.ends[last] + len(form.tail)
        spotted.append(Spotted(text[start:end], form.canonical, form.kind, form.label, start, end, form.display))
    return spotted


_BESIDE = frozenset(["near", "strict", "cased", "go"])


class _Reading:
    """One text under the rules for words that need a second cue."""

    __slots__ = ("_code", "spotter", "text", "words")

    def __init__(self, text: str, words: Words, spotter: Spotter) -> None:
        self.text = text
        self.words = words
        self.spotter = spotter
        self._code: list[int] | None = None

    def matches(self, place: int) -> list[tuple[int, int, Form]]:
        word = self.words.words[place]
        found = []
        for form in self.spotter.forms.get(word, ()):
            last = place + len(form.words) - 1
            if self._spells(place, last, form):
                found.append((place, last, form))
        if word in self.spotter.actor_nouns:
            found.extend(self._agent(place))
        if word in self.spotter.built_nouns:
            found.extend(self._built(place))
        return found

    def _spells(self, first: int, last: int, form: Form) -> bool:
        words = self.words
        if last >= len(words.words) or tuple(words.words[first : last + 1]) != form.words:
            return False
        if form.tail:
            after = words.ends[last]
            rest = self.text[after : after + len(form.tail) + 1]
            return rest.startswith(form.tail) and not rest.removeprefix(form.tail).startswith(form.tail[-1])
        gaps = words.gaps[first:last]
        if form.cue == "joined":
            return all(gap in JOINERS and not gap.isspace() for gap in gaps)
        return all(gap in JOINERS for gap in gaps)

    def _agent(self, last: int) -> list[tuple[int, int, Form]]:
        """A hyphenated word of two or three parts that ends in an actor noun (vocabulary.md §3)."""
        words = self.words
        first = last
        while first > 0 and words.gaps[first - 1] == "-":
            first -= 1
        parts = words.words[first : last + 1]
        joined_on = last < len(words.words) - 1 and words.gaps[last] in {"-", "_", "."}
        if not 2 <= len(parts) <= 3 or joined_on or not all(part.isalnum() and len(part) > 1 for part in parts):
            return []
        name = "-".join(parts)
        if name in self.spotter.not_agents or parts[0] in self.spotter.cue_words["not_agent_first"]:
            return []
        return [(first, last, Form(tuple(parts), name, Kind.PERSON, "agent", name))]

    def _built(self, last: int) -> list[tuple[int, int, Form]]:
        """A pattern named by an adjective: ``offset-based approach``."""
        words = self.words
        if last < 2 or words.words[last - 1] not in self.spotter.built_adjectives:
            return []
        if words.gaps[last - 2] != "-" or words.gaps[last - 1] not in {" ", "-"}:
            return []
        first = last - 2
        if first > 0 and words.gaps[first - 1] in {"-", "_", ".", "/"}:
            return []
        name = f"{words.words[first]}-{words.words[last - 1]} {words.words[last]}"
        return [(first, last, Form(tuple(words.words[first : last + 1]), name, Kind.CONCEPT, "pattern", name))]

    def cued(self, first: int, last: int, form: Form) -> bool:
        """Whether the words around accept an everyday word, other technologies aside."""
        if self.in_identifier(first, last):
            return False
        if form.cue == "joined" or self.in_code(self.words.starts[first]):
            return form.cue not in {"product", "upper", "go"} or self._alone(form, first, last)
        return form.cue != "code" and self._alone(form, first, last)

    def in_identifier(self, first: int, last: int) -> bool:
        """Joined to a neighbour by an underscore: ``node_modules`` is not Node."""
        gaps = self.words.gaps
        return (first > 0 and gaps[first - 1] == "_") or (last < len(gaps) and gaps[last] == "_")

    def _alone(self, form: Form, first: int, last: int) -> bool:
        following = self.words.words[last + 1] if last + 1 < len(self.words.words) else ""
        start, end = self.words.starts[first], self.words.ends[last]
        written = self.text[start:end]
        cues = self.spotter.cue_words
        joined = last < len(self.words.gaps) and self.words.gaps[last] in JOINERS
        before = self.words.words[first - 1] if first else ""
        suffix = start > 1 and self.text[start - 1] == "." and self.text[start - 2].isalnum()
        accepted = {
            "near": self._capital(first) or before in cues["use_words"] or self._version(end),
            "strict": self._version(end),
            "cased": self._capital(first),
            "short": written.isupper() or suffix,
            "upper": written.isupper() or (joined and following in cues["rest_words"]),
            "go": self._is_go(last, written, following),
            "product": joined
            and following in cues["product_words"]
            and (written != "cursor" or following in {"ide", "editor"}),
        }
        return accepted.get(form.cue, False)

    def _is_go(self, last: int, written: str, following: str) -> bool:
        gap = self.words.gaps[last] if last < len(self.words.gaps) else ""
        if gap == "." and following in {"mod", "sum"}:
            return True
        if written == "go":
            return following in self.spotter.cue_words["go_commands"] and self.in_code(self.words.starts[last])
        follows = gap in {" ", "-"} and following in self.spotter.cue_words["go_words"]
        return written == "Go" and (follows or (gap == " " and bool(_VERSION.match(self.text, self.words.ends[last]))))

    def _version(self, end: int) -> bool:
        return _VERSION.match(self.text, end) is not None

    def _capital(self, place: int) -> bool:
        """Written with a capital where no sentence begins."""
        if not self.text[self.words.starts[place]].isupper() or place == 0:
            return False
        return _INSIDE_SENTENCE.issuperset(self.words.gaps[place - 1])

    def beside(self, match: tuple[int, int, Form], certain: list[tuple[int, int]]) -> bool:
        """Whether another technology stands close enough to accept an everyday word."""
        first, last, form = match
        start, end = self.words.starts[first], self.words.ends[last]
        capital = self.text[start].isupper()
        for other_start, other_end in certain:
            if other_start > end + NEAR:
                break
            if other_end + NEAR < start or other_end > start > other_start:
                continue
            between = self.text[other_end:start] if other_end <= start else self.text[end:other_start]
            if _LIST_JOINT.fullmatch(between) or self._loosely(form, between, capital):
                return True
        return False

    def _loosely(self, form: Form, between: str, capital: bool) -> bool:
        if any(mark in between for mark in ("\n", ". ", "! ", "? ", "; ")):
            return False
        return form.cue == "near" or capital

    def in_code(self, position: int) -> bool:
        """Inside a code fence or between back-ticks."""
        if self._code is None:
            self._code = [edge for match in _CODE.finditer(self.text) for edge in match.span()]
        return bisect_right(self._code, position) % 2 == 1
