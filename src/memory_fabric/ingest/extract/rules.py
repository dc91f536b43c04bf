"""Relations that somebody states in prose, by phrase patterns; precision before recall (F-EXTR-1 to F-EXTR-5)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from memory_fabric.ingest.extract.naming import entity_id, project_entity_id, refusal
from memory_fabric.ingest.extract.phrases import ALONE, PHRASES, VERSION, WE, Phrase
from memory_fabric.ingest.extract.prose import Sentence, read
from memory_fabric.ingest.extract.reality import CONDITIONAL, is_unreal
from memory_fabric.lexicon import Lexicon, Spotted
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation, RelationOrigin
from memory_fabric.model.memory import Memory, Project
from memory_fabric.model.transcript import Exchange
from memory_fabric.model.vocabulary import CanonicalPredicate, Kind, Predicate, predicate_of
from memory_fabric.ports import Extraction

MAX_MENTIONS = 60
"""Entities that one memory may mention: more is a list, not a subject."""

MAX_ALIASES = 8

_MARK = re.compile(r"⟨(\d+|w)⟩")
_NAME_THEN_VERB = re.compile(
    r"(?:^|(?<=[\s(]))([^\W\d_A-Za-z]\S{1,40})(?=\s+(?:uses|prefers|recommends|chose|decided)\s)"
)
_PROJECT_WORD = "w"


@dataclass(frozen=True, slots=True)
class _End:
    """One end of a relation, as it stands in a sentence."""

    entity: Entity
    start: int
    end: int


class Rules:
    """The extractor of stated relations and of the mentions of known names.

    Both ends must be accepted names: a spotted technology, pattern or agent, the project by name, or "we / our / the
    project" for the project.  Negated, hypothetical and asking sentences state nothing; code, quotations, tables and
    pasted logs are not read.  Subject and object are stored in the canonical direction of the predicate, the label
    stays as said (``model.graph.as_stated`` turns it back).
    """

    name = "rules"

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon

    def extract(self, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:
        """Mentions of the memory's known names and the relations between them that its sentences state."""
        reading = read(memory.text, self._lexicon)
        found = _Found(memory, project)
        for spotted in reading.spotted:
            found.mention(spotted, self._lexicon)
        if exchange.derived:
            return found.extraction()
        starts = [spotted.start for spotted in reading.spotted]
        for sentence in reading.sentences:
            low = bisect_left(starts, sentence.start)
            high = bisect_left(starts, sentence.start + len(sentence.text))
            self._sentence(sentence, reading.spotted[low:high], found)
        return found.extraction()

    def _sentence(self, sentence: Sentence, spotted: tuple[Spotted, ...], found: _Found) -> None:
        if not spotted:
            return
        ends = [*self._ends(sentence, spotted, found), *_foreign_names(sentence)]
        ends.extend(_project_names(sentence, found.project, ends))
        if len(ends) < 2 or sentence.question or CONDITIONAL.search(sentence.text):
            return
        ends.sort(key=lambda end: end.start)
        skeleton = _skeleton(sentence.text, ends)
        for phrase in PHRASES:
            for match in phrase.pattern.finditer(skeleton):
                if is_unreal(skeleton, *match.span()):
                    continue
                for subject in _MARK.findall(match["s"]):
                    for target in _MARK.findall(match["o"]):
                        found.relate(phrase, subject, target, ends)

    def _ends(self, sentence: Sentence, spotted: tuple[Spotted, ...], found: _Found) -> Iterator[_End]:
        for name in spotted:
            start, end = name.start - sentence.start, name.end - sentence.start
            blanked = sentence.text[start:end] != name.name
            if found.accepted(name) and not blanked and not _is_part_of_word(sentence.text, start, end):
                yield _End(_entity(name), start, end)


def _entity(spotted: Spotted) -> Entity:
    return Entity(entity_id(spotted.kind, spotted.canonical), spotted.display, spotted.kind, (), spotted.label)


def _is_part_of_word(text: str, start: int, end: int) -> bool:
    """Part of a path, an identifier, or an adjective: ``redis.conf``, ``Git-based``, ``docs/react``."""
    before, after = text[max(0, start - 1) : start], text[end : end + 2]
    if before and before in "/\\._-@#$":
        return True
    return after[:1] in {"/", "\\", "_", "-", ".", "(", ":"} and after[1:].isalnum()


def _foreign_names(sentence: Sentence) -> Iterator[_End]:
    """Names in scripts without Latin letters that do something here: they are people (C-057)."""
    if sentence.text.isascii():
        return
    for match in _NAME_THEN_VERB.finditer(sentence.text):
        if not any(sign.isascii() and sign.isalpha() for sign in match[1]):
            name = match[1]
            yield _End(
                Entity(entity_id(Kind.PERSON, name), name, Kind.PERSON, label="person"), match.start(1), match.end(1)
            )


def _project_names(sentence: Sentence, project: Project | None, taken: list[_End]) -> Iterator[_End]:
    if project is None:
        return
    home = Entity(project_entity_id(project), project.name, Kind.PROJECT, label="project")
    speakers = (WE, ALONE) if sentence.speaker == "user" else (WE,)
    spans = [match.span() for speaker in speakers for match in speaker.finditer(sentence.text)]
    if len(project.name) > 2:
        named = re.compile(rf"(?<![\w./-]){re.escape(project.name)}(?![\w/-]|\.\w)", re.IGNORECASE)
        spans += [match.span() for match in named.finditer(sentence.text)]
    for start, end in spans:
        if all(end <= other.start or start >= other.end for other in taken):
            yield _End(home, start, end)


def _skeleton(text: str, ends: list[_End]) -> str:
    """The sentence with a mark for every name, emphasis and back-ticks removed."""
    parts: list[str] = []
    place = 0
    for number, end in enumerate(ends):
        mark = _PROJECT_WORD if end.entity.kind is Kind.PROJECT else str(number)
        parts += [text[place : end.start], f"⟨{mark}⟩"]
        place = end.end
    bare = re.sub(r"[*`\"“”]|(?<=⟩)['’](?=\s)", "", "".join([*parts, text[place:]])).replace("’", "'")
    return VERSION.sub("", bare)


@dataclass(slots=True)
class _Found:
    memory: Memory
    project: Project | None
    entities: dict[EntityId, Entity] = field(default_factory=dict)
    mentions: dict[EntityId, None] = field(default_factory=dict)
    relations: dict[tuple[EntityId, str, EntityId], Relation] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)

    def mention(self, spotted: Spotted, lexicon: Lexicon) -> None:
        entity = _entity(spotted)
        reason = refusal(entity.name, lexicon)
        if reason is None and len(self.mentions) >= MAX_MENTIONS and entity.id not in self.mentions:
            reason = "too many mentions"
        if reason is not None:
            self.dropped[reason] += 1
            return
        self.mentions.setdefault(entity.id)
        known = self.entities.setdefault(entity.id, entity)
        alias = " ".join(spotted.name.split())
        if alias != known.name and alias not in known.aliases and len(known.aliases) < MAX_ALIASES:
            self.entities[entity.id] = Entity(known.id, known.name, known.kind, (*known.aliases, alias), known.label)

    def accepted(self, spotted: Spotted) -> bool:
        return entity_id(spotted.kind, spotted.canonical) in self.mentions

    def relate(self, phrase: Phrase, subject_mark: str, object_mark: str, ends: list[_End]) -> None:
        subject, target = self._end(subject_mark, ends), self._end(object_mark, ends)
        if phrase.objects and target.kind is not None and target.kind.value[0] not in phrase.objects:
            return
        label = phrase.label
        if subject_mark == _PROJECT_WORD:
            label = phrase.project_label
            if not label:
                return
        canonical = predicate_of(label)
        reason = _refused(canonical, subject, target)
        if canonical is None or reason is not None:
            self.dropped[reason or "unknown predicate"] += 1
            return
        if canonical.inverted:
            subject, target = target, subject
        for end in (subject, target):
            self.entities.setdefault(end.id, end)
        relation = Relation(
            subject=subject.id, predicate=canonical.predicate, object=target.id, label=label,
            origin=RelationOrigin.STATED, project=self.memory.project, valid_from=self.memory.at,
            evidence=self.memory.id,
        )  # fmt: skip
        self.relations.setdefault((subject.id, label, target.id), relation)

    def _end(self, mark: str, ends: list[_End]) -> Entity:
        if mark == _PROJECT_WORD:
            return next(end.entity for end in ends if end.entity.kind is Kind.PROJECT)
        return ends[int(mark)].entity

    def extraction(self) -> Extraction:
        mentioned = [*self.mentions, *(entity for entity in self.entities if entity not in self.mentions)]
        return Extraction(
            entities=tuple(self.entities.values()),
            relations=tuple(self.relations.values()),
            mentions=tuple(Mention(self.memory.id, entity) for entity in mentioned),
            dropped=dict(self.dropped),
        )


_PERSONAL: Mapping[Predicate, str] = {Predicate.DECIDED: "decided needs a person"}


def _refused(canonical: CanonicalPredicate | None, subject: Entity, target: Entity) -> str | None:
    if canonical is None:
        return "unknown predicate"
    if subject.id == target.id:
        return "same ends"
    if subject.kind is not Kind.PERSON:
        return _PERSONAL.get(canonical.predicate)
    if (
        canonical.predicate in {Predicate.CAUSES, Predicate.FIXES, Predicate.PART_OF, Predicate.REPLACES}
        and target.kind is not Kind.PERSON
    ):
        return "a person is no subject of this"
    return None
