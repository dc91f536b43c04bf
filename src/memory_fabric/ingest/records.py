"""Conversations and documents that a program hands in become memories: each turn one, each document one.

    Conversation | Document ─redact→ ─split→ Memory… ─extract→ Entity…, Relation… ─→ Batch ─save→ store

One transaction a conversation, and one for some documents.  Handing the same in again changes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from memory_fabric.errors import UsageError
from memory_fabric.ingest.assemble import memory_id
from memory_fabric.ingest.extract import extract_all
from memory_fabric.ingest.gather import Gathered
from memory_fabric.ingest.pipeline import Seams
from memory_fabric.ingest.redact import redact
from memory_fabric.ingest.report import IngestReport
from memory_fabric.model.graph import Entity, EntityId, Mention
from memory_fabric.model.memory import (
    AGENT_NAMES,
    SPEAKER,
    TITLE,
    USER_NAMES,
    Memory,
    MemoryKind,
    Origin,
    Project,
    Session,
    SessionId,
)
from memory_fabric.model.record import Conversation, Document, Said
from memory_fabric.model.transcript import Exchange
from memory_fabric.ports import Extraction
from memory_fabric.text import clean, entity_key, exchange_text, name_words, split_long

CONVERSATION, DOCUMENT = "conversation", "document"
"""Source systems of what is handed in."""

TOGETHER = 200
"""Documents that one transaction writes."""

_QUALIFIED = re.compile(r"\s*\([^()]*\)\s*$")
"""What tells two pages of one name apart: ``Mercury (planet)``."""


def take(items: Iterable[Conversation | Document], seams: Seams, project: Project | None = None) -> IngestReport:
    """Keep conversations and documents, of one project or of none.

    Empty turns and documents are left out and counted.

    Raises:
        UsageError: two turns of a conversation have one id; what came before it is kept.
        StoreUnavailable: the store failed; what came before is kept.
    """
    report = IngestReport()
    waiting: list[Document] = []
    for item in items:
        if isinstance(item, Conversation):
            _keep(report, seams, [_conversation(item, seams, project, report)], project)
            continue
        waiting.append(item)
        if len(waiting) == TOGETHER:
            _keep(report, seams, [_document(each, seams, project, report) for each in waiting], project)
            waiting.clear()
    _keep(report, seams, [_document(each, seams, project, report) for each in waiting], project)
    return report


Part = tuple[Session, list[Memory]]
"""A session and its memories in order."""


def _keep(report: IngestReport, seams: Seams, parts: Sequence[Part], project: Project | None) -> None:
    gathered = Gathered()
    for session, memories in parts:
        report.sessions.add(session.id)
        for number, memory in enumerate(memories):
            found = extract_all(seams.extractors, memory, _as_exchange(memory), project)
            report.dropped.update(found.dropped)
            gathered.add(memory, number, 0, _titled(memory, found) if number == 0 else found)
    if parts:
        report.saved(seams.store.save(gathered.batch([project] if project else [], [each for each, _ in parts])))


def _conversation(said: Conversation, seams: Seams, project: Project | None, report: IngestReport) -> Part:
    """Each turn as a memory; a long one in parts."""
    names = [turn.id or str(number) for number, turn in enumerate(said.turns, 1)]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"conversation {said.id}: two turns have the id {twice}", "give each turn an id of its own")
    session = SessionId(f"{CONVERSATION}:{said.id}")
    memories: list[Memory] = []
    times = [at for turn in said.turns if (at := turn.at or said.at) is not None]
    for name, turn in zip(names, said.turns, strict=True):
        text = _safe(turn.text, report)
        origin = Origin(CONVERSATION, session, record=name)
        at = turn.at or said.at
        found = [_of_speaker(each, turn) for each in _memories(text, MemoryKind.EXCHANGE, origin, at, project, seams)]
        report.used["turn"] += bool(found)
        report.skipped["empty turn"] += not found
        memories += found
    return _session(session, CONVERSATION, said.title, times, project, report), memories


def _document(page: Document, seams: Seams, project: Project | None, report: IngestReport) -> Part:
    session = SessionId(f"{DOCUMENT}:{page.id}")
    title = _safe(page.title, report)
    text = "\n".join(filter(None, (title, _safe(page.text, report))))
    origin = Origin(DOCUMENT, session, record=page.id)
    found = _memories(text, MemoryKind.NOTE, origin, page.at, project, seams)
    memories = [replace(each, metadata={**each.metadata, TITLE: title}) if title else each for each in found]
    report.used["document"] += bool(memories)
    report.skipped["empty document"] += not memories
    times = [page.at] if page.at else []
    return _session(session, DOCUMENT, title or None, times, project, report), memories


def _of_speaker(memory: Memory, turn: Said) -> Memory:
    """With who said it: a role by its label, as in an exchange, a person by name."""
    role = turn.speaker.casefold()
    if role in USER_NAMES:
        text = exchange_text(memory.text, "")
    else:
        text = exchange_text("", memory.text) if role in AGENT_NAMES else f"{turn.speaker}: {memory.text}"
    return replace(memory, text=text, metadata={**memory.metadata, SPEAKER: turn.speaker})


def _memories(
    text: str, kind: MemoryKind, origin: Origin, at: datetime | None, project: Project | None, seams: Seams
) -> Iterator[Memory]:
    parts = list(split_long(text, seams.chunk_characters)) if text.strip() else []
    for number, part in enumerate(parts):
        yield Memory(
            id=memory_id(origin.source, origin.session, str(origin.record), number),
            text=part,
            kind=kind,
            project=project.id if project else None,
            at=at,
            origin=origin,
            metadata={"part": number, "parts": len(parts)} if len(parts) > 1 else {},
        )


def _titled(memory: Memory, found: Extraction) -> Extraction:
    """With the title of a page as an entity, which only the page itself mentions: what it is about."""
    title = str(memory.metadata.get(TITLE, ""))
    if not title or not entity_key(title):
        return found
    short = _QUALIFIED.sub("", title).strip()
    spellings = (short, *(" ".join(name_words(name)) for name in (title, short)))
    aliases = tuple(dict.fromkeys(name for name in spellings if name and name != title))
    entity = Entity(EntityId(f"{TITLE}:{entity_key(title)}"), title, None, aliases, TITLE)
    mention = Mention(memory.id, entity.id)
    return replace(found, entities=(entity, *found.entities), mentions=(mention, *found.mentions))


def _session(
    id_: SessionId,
    source: str,
    title: str | None,
    times: Sequence[datetime],
    project: Project | None,
    report: IngestReport,
) -> Session:
    return Session(
        id_,
        source,
        project=project.id if project else None,
        title=_safe(title, report) if title else None,
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
    )


def _as_exchange(memory: Memory) -> Exchange:
    """What extractors are given beside the memory: nobody's tool calls."""
    return Exchange(memory.origin.session, str(memory.origin.record), memory.text, "", at=memory.at)


def _safe(text: str, report: IngestReport) -> str:
    found = redact(clean(text))
    report.redacted.update(found.counts)
    return found.text
