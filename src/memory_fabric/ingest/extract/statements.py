"""Statements: sentences that decide, prefer, report a problem or ask (F-INTENT-1 to F-INTENT-6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from memory_fabric.ingest.extract.cues import compile_cues
from memory_fabric.ingest.extract.guards import noise_reason
from memory_fabric.ingest.extract.prose import Reading, Sentence, read
from memory_fabric.ingest.extract.wording import after_cues, choice_of, display_width, rationale_of
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.memory import Memory, Project, Statement, StatementKind
from memory_fabric.model.transcript import Exchange
from memory_fabric.ports import Extraction

KEEP_DECISION = 0.7
"""A decision below is dropped and counted (F-INTENT-4)."""

BASE, STRONG, RATIONALE, ALTERNATIVES, ENTITY, SHORT = 0.5, 0.20, 0.15, 0.10, 0.05, -0.10
"""Confidence of a decision: base, strong verb, rationale, alternatives, first and second entity, short match."""

SHORT_MATCH = 20
"""Characters below which a match is short; a wide sign counts two."""

PREFERENCE, PREFERENCE_WITH_ENTITY, PROBLEM, QUESTION = 0.6, 0.8, 0.75, 0.8
LOWEST, HIGHEST = 0.1, 0.99

MIN_TOLD = 4
"""Words after an agent's "the issue is" that say what it is."""

MIN_QUESTION = 4
"""Words of a question that can be understood later."""

MAX_TEXT = 300
"""Characters of a statement (F-INTENT-3)."""

ASIDE_BEFORE, ASIDE_AFTER = 50, 400
"""The window of constraints and trade-offs around a match (F-INTENT-3)."""


@dataclass(frozen=True, slots=True)
class _Match:
    statement: Statement
    start: int
    end: int


class Statements:
    """The extractor of statements, from the user's words and, where the wording is strong, from the agent's."""

    name = "statements"

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._cues = compile_cues(lexicon)

    def extract(self, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:  # noqa: ARG002
        """Statements in order of their place; refused ones are counted by reason."""
        if exchange.derived:
            return Extraction()
        reading = read(memory.text, self._lexicon)
        dropped: Counter[str] = Counter()
        prompt = memory.text[: reading.prompt_end]
        refused = noise_reason(prompt.removeprefix("USER: "), self._cues.noise)
        if refused is not None and prompt:
            dropped[f"prompt: {refused}"] += 1
        found: list[_Match] = []
        for sentence in reading.sentences:
            if sentence.speaker == "user" and refused is not None:
                continue
            for match in self._matches(sentence, reading):
                if match.statement.kind is StatementKind.DECISION and match.statement.confidence < KEEP_DECISION:
                    dropped["weak decision"] += 1
                else:
                    found.append(match)
        kept = without_overlaps(found)
        return Extraction(statements=tuple(match.statement for match in kept), dropped=dict(dropped))

    def _matches(self, sentence: Sentence, reading: Reading) -> Iterator[_Match]:
        yield from self._decisions(sentence, reading)
        if sentence.speaker == "user":
            yield from self._preferences(sentence, reading)
            yield from self._questions(sentence, reading)
        yield from self._problems(sentence, reading)

    def _entities(self, sentence: Sentence, reading: Reading) -> tuple[str, ...]:
        end = sentence.start + len(sentence.text)
        return tuple(dict.fromkeys(
            name.display for name in reading.spotted if sentence.start <= name.start and name.end <= end
        ))  # fmt: skip

    def _decisions(self, sentence: Sentence, reading: Reading) -> Iterator[_Match]:
        if sentence.question or self._cues.undecided.search(sentence.text):
            return
        own = sentence.speaker == "user"
        for strong, pattern in self._cues.decision:
            if not strong and not own:
                continue
            for match in pattern.finditer(sentence.text):
                if not own and not self._cues.first_person.search(sentence.text, 0, match.end()):
                    continue
                if _quoted(sentence.text, match.start()) or self._told_of_others(
                    sentence.text[: match.start()], match.group()
                ):
                    continue
                found = self._decision(sentence, reading, match, strong)
                if found is not None:
                    yield found

    def _decision(self, sentence: Sentence, reading: Reading, match: re.Match[str], strong: bool) -> _Match | None:
        cues = self._cues
        choice, alternatives = choice_of(sentence.text, match, cues)
        if not choice:
            return None
        begin = 0 if match.re in cues.backward else match.start()
        start, end = sentence.start + begin, sentence.start + len(sentence.text)
        low, high = _half(sentence, reading)
        rationale = rationale_of(reading.prose, (start, end), (low, high), cues)
        entities = self._entities(sentence, reading)
        confidence = decision_confidence(
            strong=strong, rationale=bool(rationale), alternatives=bool(alternatives), entities=len(entities),
            width=display_width(sentence.text[begin:]),
        )  # fmt: skip
        window = reading.prose[max(low, start - ASIDE_BEFORE) : min(high, end + ASIDE_AFTER)]
        return _Match(
            Statement(
                kind=StatementKind.DECISION, text=_shown(sentence.text), confidence=confidence,
                speaker=sentence.speaker,
                category=self._lexicon.category_of(sentence.text), choice=choice, alternatives=alternatives,
                rationale=rationale, constraints=after_cues(window, cues.constraint),
                tradeoffs=after_cues(window, cues.tradeoff), entities=entities, position=sentence.start,
            ),
            start, end,
        )  # fmt: skip

    def _plain(
        self, kind: StatementKind, confidence: float, sentence: Sentence, reading: Reading, start: int
    ) -> _Match:
        statement = Statement(
            kind=kind, text=_shown(sentence.text), confidence=confidence, speaker=sentence.speaker,
            category="preference" if kind is StatementKind.PREFERENCE else self._lexicon.category_of(sentence.text),
            entities=self._entities(sentence, reading), position=sentence.start,
        )  # fmt: skip
        return _Match(statement, sentence.start + start, sentence.start + len(sentence.text))

    def _preferences(self, sentence: Sentence, reading: Reading) -> Iterator[_Match]:
        match = self._cues.preference.search(sentence.text)
        if match is None or sentence.question:
            return
        entities = self._entities(sentence, reading)
        rest = sentence.text[match.start() :]
        if _FORBIDS.match(rest) and not self._opens_clause(sentence.text[: match.start()]):
            return
        if not entities and not self._cues.repeatable.search(rest):
            return
        if self._cues.passing_wish.match(rest) and not self._cues.standing.search(sentence.text):
            return
        confidence = PREFERENCE_WITH_ENTITY if entities else PREFERENCE
        yield self._plain(StatementKind.PREFERENCE, confidence, sentence, reading, match.start())

    def _told_of_others(self, before: str, cue: str) -> bool:
        """Whether somebody outside decided, or a label stands inside a sentence, where it names a field."""
        if cue.rstrip("*").endswith(":"):
            return bool(before.strip("*#_-0123456789.) "))
        return self._word_before(before) in self._cues.other_subjects

    def _opens_clause(self, before: str) -> bool:
        word = self._word_before(before)
        return not word or not word[-1].isalnum() or word in self._cues.clause_openers

    def _word_before(self, before: str) -> str:
        """The last word, folded, that is no adverb or auxiliary; "" at the beginning."""
        words = before.casefold().split()
        return next((word for word in reversed(words) if word not in self._cues.skipped_before), "")

    def _questions(self, sentence: Sentence, reading: Reading) -> Iterator[_Match]:
        if not sentence.question or len(sentence.text.split()) < MIN_QUESTION:
            return
        match = self._cues.question.search(sentence.text)
        if match is not None:
            yield self._plain(StatementKind.QUESTION, QUESTION, sentence, reading, match.start())

    def _problems(self, sentence: Sentence, reading: Reading) -> Iterator[_Match]:
        own = sentence.speaker == "user"
        cues = self._cues.problem if own else self._cues.problem_strong
        text = sentence.text
        if self._cues.no_problem.search(text) or text.rstrip("*_ ").endswith(":") or text[:3].casefold() == "if ":
            return
        if sentence.question and (not own or self._cues.asking.match(text)):
            return
        for match in (match for pattern in cues for match in pattern.finditer(text)):
            if not own and len(text[match.end() :].split()) < MIN_TOLD:
                continue
            yield self._plain(StatementKind.PROBLEM, PROBLEM, sentence, reading, match.start())


_FORBIDS = re.compile(r"(?:don['’]?t|do not|never) ", re.IGNORECASE)
_PLACEHOLDER = re.compile(r"\[[a-z][^\]]*\](?!\()", re.IGNORECASE)


def _quoted(text: str, place: int) -> bool:
    """Inside quotation marks, or in a template with places to fill in: somebody else's words, or nobody's."""
    return (
        text.count('"', 0, place) % 2 == 1
        or text.rfind("“", 0, place) > text.rfind("”", 0, place)
        or bool(_PLACEHOLDER.search(text))
    )


def _shown(text: str) -> str:
    return text.replace("**", "").strip("*_ ")[:MAX_TEXT]


def _half(sentence: Sentence, reading: Reading) -> tuple[int, int]:
    """The speaker's half of the text: windows never reach into the other's words."""
    return (0, reading.prompt_end) if sentence.speaker == "user" else (reading.prompt_end, len(reading.prose))


def decision_confidence(*, strong: bool, rationale: bool, alternatives: bool, entities: int, width: int) -> float:
    """The table of F-INTENT-4, clamped to [0.1, 0.99], two decimals."""
    value = BASE + STRONG * strong + RATIONALE * rationale + ALTERNATIVES * alternatives
    value += ENTITY * min(entities, 2) + (SHORT if width < SHORT_MATCH else 0.0)
    return round(min(HIGHEST, max(LOWEST, value)), 2)


def without_overlaps(found: list[_Match]) -> list[_Match]:
    """Of overlapping matches of one type the one of higher confidence, then the earlier, stays (F-INTENT-5)."""
    kept: list[_Match] = []
    for match in sorted(found, key=lambda item: (-item.statement.confidence, item.start)):
        if all(
            match.statement.kind is not other.statement.kind or match.end <= other.start or match.start >= other.end
            for other in kept
        ):
            kept.append(match)
    return sorted(kept, key=lambda item: (item.start, item.statement.kind))
