"""Remembering on purpose: a person's or an agent's own words, kept as given (F-CMD-1 to F-CMD-6, F-MCP-3).

    words ─redact→ ─judge→ ─split→ Memory… ─extract→ Entity…, Relation… ─look around→ one Batch ─save→ store

What is refused is refused in ``_judged``: a gate on the quality of statements (F-EXTR-15) has its place there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from memory_fabric.curate.lesson import lesson_of
from memory_fabric.curate.note import SOURCE, Means, Outcome, Remembered, Status, Wish
from memory_fabric.errors import UsageError
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation
from memory_fabric.model.memory import (
    Memory,
    MemoryId,
    MemoryKind,
    Origin,
    Session,
    SessionId,
    Statement,
    StatementKind,
)
from memory_fabric.ports import Batch, Extraction, Record, Store
from memory_fabric.text import clean, split_long, text_hash

PART = 2000
"""Characters above which a note is kept in parts (F-ERR-7)."""

MAX_STATEMENT = 300
"""Characters of a statement (F-INTENT-3)."""

CERTAIN = 0.99
"""Confidence of what somebody asked to remember: the highest there is (F-INTENT-4)."""

_MARK = r"\[redacted:[a-z0-9-]+\]"
_NAMED_MARK = re.compile(
    rf"(?:\b(?:export|set)\s+)?[\"']?(?:[\w.-]+[\"']?\s*[:=]\s*)?(?:(?:bearer|basic)\s+)?[\"']?{_MARK}", re.IGNORECASE
)
"""A secret that was taken out, with the name it was given: ``export API_KEY="…"``, ``Authorization: Bearer …``."""

_KINDS = {"preference": StatementKind.PREFERENCE, "blocker": StatementKind.PROBLEM}
"""What a note of a category states; any other decides."""


def remember(wish: Wish, means: Means, at: datetime, *, confirmed: bool = False) -> Remembered:
    """Keep what is asked, whole, and say what that made of the memory.

    ``confirmed`` stores it also against a note with the opposite outcome.  The same words with the same outcome are
    one note in each project, also when several processes write them at once: its id is made of them (C-062).

    Raises:
        UsageError: the text is empty or nothing but a secret; the category is not known; a lesson without a failure.
        StoreUnavailable: the store failed; nothing was written.
    """
    redacted: dict[str, int] = {}
    safe = _judged(wish, means, redacted)
    parts = _parts(safe, at)
    found = [means.extract(part, wish.project) for part in parts]
    parts = [replace(part, entities=_named(each)) for part, each in zip(parts, found, strict=True)]
    around = means.look_around(parts[0])
    said = Remembered(
        Status.STORED,
        parts[0],
        ids=tuple(part.id for part in parts),
        characters=len(safe.text),
        project=wish.project,
        redacted=redacted,
        similar=around.similar,
        contrary=around.contrary,
    )
    there = means.store.get(said.ids)
    if len(there) == len(parts):
        said = replace(said, status=Status.DUPLICATE, memory=there[0])
        _observe(means.store, there, at)
        return _counted(said, means.store, found)
    if around.contrary and not confirmed:
        return replace(said, status=Status.CONTRARY, ids=())
    named = means.store.entities([entity.id for each in found for entity in each.entities])
    means.store.save(_batch(parts, found, safe, at))
    _observe(means.store, parts, at)
    waiting = means.embed(parts)
    return _counted(said, means.store, found, frozenset(named), waiting)


def _judged(wish: Wish, means: Means, redacted: dict[str, int]) -> Wish:
    """The wish without secrets and with all that was left to be found out."""

    def safe(text: str) -> str:
        result = means.redact(clean(text).strip())
        for kind, count in result.counts.items():
            redacted[kind] = redacted.get(kind, 0) + count
        return result.text

    text = safe(wish.text)
    if not text:
        raise UsageError("there is nothing to remember: the text is empty", "say what to remember")
    if redacted and not re.search(r"\w", _NAMED_MARK.sub("", text)):
        kinds = ", ".join(redacted)
        raise UsageError(
            f"the text is nothing but a secret ({kinds})", "secrets belong in a keyring; nothing was stored"
        )
    category = wish.category or means.lexicon.category_of(text)
    known = _categories(means.lexicon)
    if category not in known:
        raise UsageError(f"category {category!r} is not known", f"choose one of: {', '.join(known)}")
    lesson = safe(wish.lesson) if wish.lesson else None
    if lesson and wish.outcome is not Outcome.FAILED:
        raise UsageError(
            "a lesson says what to do instead of what failed", "say that it failed, or leave out the lesson"
        )
    if lesson and lesson not in text:
        text = f"{text}\n\nInstead: {lesson}"
    if wish.outcome is Outcome.FAILED:
        lesson = lesson or lesson_of(text, means.lexicon)
    agent = safe(wish.agent) if wish.agent else None
    return replace(wish, text=text, category=category, lesson=lesson, agent=agent or None, source=safe(wish.source))


def _categories(lexicon: Lexicon) -> list[str]:
    groups = lexicon.categories
    return list(dict.fromkeys([*(name for name, _ in groups.order), *sorted(groups.remember | groups.mem0)]))


def note_id(text: str, project: str | None, outcome: Outcome | None, part: int = 0) -> MemoryId:
    """The id of a note, the same for the same words (folded) with the same outcome in the same project."""
    key = "\0".join((SOURCE, project or "", outcome or "", text_hash(text), str(part)))
    return MemoryId("m_" + hashlib.sha256(key.encode()).hexdigest()[:20])


def _parts(wish: Wish, at: datetime) -> list[Memory]:
    project = wish.project.id if wish.project else None
    texts = list(split_long(wish.text, PART))
    first = note_id(wish.text, project, wish.outcome)
    facts = {
        "category": wish.category,
        "outcome": wish.outcome.value if wish.outcome else None,
        "lesson": wish.lesson,
        "agent": wish.agent,
        "source": wish.source or SOURCE,
    }
    metadata: dict[str, object] = {key: value for key, value in facts.items() if value is not None}
    return [
        Memory(
            id=note_id(wish.text, project, wish.outcome, number),
            text=text,
            kind=MemoryKind.NOTE,
            project=project,
            at=at,
            origin=Origin(SOURCE, SessionId(f"{SOURCE}:{first}"), record=first),
            metadata=metadata | ({"part": number, "parts": len(texts)} if len(texts) > 1 else {}),
        )
        for number, text in enumerate(texts)
    ]


def _named(found: Extraction) -> tuple[str, ...]:
    """Display names of what is mentioned, each once, in order."""
    names = {entity.id: entity.name for entity in found.entities}
    return tuple(dict.fromkeys(names[mention.entity] for mention in found.mentions if mention.entity in names))


def _batch(parts: Sequence[Memory], found: Sequence[Extraction], wish: Wish, at: datetime) -> Batch:
    """Everything as one transaction; it is meant, so what was forgotten of it lives again."""
    session = Session(parts[0].origin.session, SOURCE, parts[0].project, started_at=at, ended_at=at)
    entities: dict[EntityId, Entity] = {}
    relations: dict[Relation, None] = {}
    mentions: dict[Mention, None] = {}
    for each in found:
        for entity in each.entities:
            entities.setdefault(entity.id, entity)
        relations.update(dict.fromkeys(each.relations))
        mentions.update(dict.fromkeys(each.mentions))
    return Batch(
        projects=(wish.project,) if wish.project else (),
        sessions=(session,),
        records=tuple(
            Record(part, 0, number, _statements(part, each, whole=number == 0))
            for number, (part, each) in enumerate(zip(parts, found, strict=True))
        ),
        entities=tuple(entities.values()),
        relations=tuple(relations),
        mentions=tuple(mentions),
        explicit=True,
    )


def _statements(part: Memory, found: Extraction, *, whole: bool) -> tuple[Statement, ...]:
    """What the part states under the note's category; the note itself is a statement where its words show none."""
    category = str(part.metadata["category"])
    if found.statements or not whole:
        return tuple(replace(statement, category=category) for statement in found.statements)
    kind = _KINDS.get(category, StatementKind.DECISION)
    text = " ".join(part.text.split())[:MAX_STATEMENT]
    return (Statement(kind, text, CERTAIN, category=category, entities=part.entities),)


def _observe(store: Store, parts: Sequence[Memory], at: datetime) -> None:
    """The words as an observation of what they name; said again, it completes what an interrupted call began."""
    for part in parts:
        if part.entities:
            store.observe(part.id, part.entities, part.text, at)


def _counted(
    said: Remembered,
    store: Store,
    found: Sequence[Extraction],
    known: frozenset[EntityId] | None = None,
    waiting: str | None = None,
) -> Remembered:
    """With the entities and relations of the note and the totals; ``known``: entities from before, None for all."""
    entities = {entity.id: entity for each in found for entity in each.entities}
    old = entities.keys() if known is None else known
    census = store.census()
    return replace(
        said,
        new_entities=tuple(entity for id_, entity in entities.items() if id_ not in old),
        known_entities=tuple(entity for id_, entity in entities.items() if id_ in old),
        relations=tuple(dict.fromkeys(relation for each in found for relation in each.relations)),
        entities_total=sum(census.entities.values()),
        relations_total=sum(census.relations.values()),
        notes=(*_notes(said), *([waiting] if waiting else [])),
    )


def _notes(said: Remembered) -> tuple[str, ...]:
    notes = []
    if said.redacted:
        kinds = ", ".join(f"{kind} {count}" for kind, count in said.redacted.items())
        notes.append(f"secrets were taken out before storing: {kinds}")
    if len(said.ids) > 1:
        notes.append(f"the text has {said.characters:,} characters: stored whole, in {len(said.ids)} parts")
    return tuple(notes)
