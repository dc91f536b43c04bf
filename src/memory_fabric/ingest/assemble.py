"""Exchanges to memories: redacted, split, named so that reading again gives the same ids."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from memory_fabric import clock
from memory_fabric.ingest.redact import redact
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, ProjectId
from memory_fabric.model.transcript import Exchange
from memory_fabric.text import PROMPT_LABEL, REPLY_LABEL, exchange_text, split_long

CHUNK_CHARACTERS = 6000
"""Exchanges above this many characters are split (F-ING-4)."""

MAX_TOOLS = 400
"""Different tool targets that one exchange keeps; an agent that touches more is walking the tree."""

_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def memory_id(source: str, session: str, record: str, part: int) -> MemoryId:
    """An id that a record keeps wherever it is copied.

    A UUID names its record in every file (a resumed session repeats it, C-016); any other record id means something
    inside its session only.
    """
    scope = "" if _UUID.fullmatch(record) else session
    key = "\0".join((source, scope, record.lower(), str(part)))
    return MemoryId("m_" + hashlib.sha256(key.encode()).hexdigest()[:20])


def dated(exchange: Exchange, written: datetime | None) -> Exchange:
    """The exchange; one that nothing in its file dates takes its file's last change, and says so (C-138)."""
    if exchange.at is not None or written is None:
        return exchange
    return replace(exchange, at=written, at_source="mtime")


def redact_exchange(exchange: Exchange, redacted: Counter[str]) -> Exchange:
    """The exchange without secrets, before it is cut, so that no cut divides one (F-PRIV-1, C-110)."""

    def safe(text: str) -> str:
        result = redact(text)
        redacted.update(result.counts)
        return result.text

    return replace(
        exchange,
        prompt=safe(exchange.prompt),
        reply=safe(exchange.reply),
        tools=tuple(replace(tool, target=safe(tool.target)) for tool in exchange.tools),
    )


def memories(
    exchange: Exchange, source: str, file: str, project: ProjectId | None, limit: int = CHUNK_CHARACTERS
) -> Iterator[Memory]:
    """The memories of one redacted exchange: one, or numbered parts of at most ``limit`` characters.

    An exchange in which nobody said anything (tool calls alone) gives none.
    """
    parts = _parts(exchange, limit)
    origin = Origin(source, exchange.session, file, exchange.first_line, exchange.last_line, exchange.record)
    shared = _metadata(exchange)
    for number, part in enumerate(parts):
        yield Memory(
            id=memory_id(source, exchange.session, exchange.record, number),
            text=part,
            kind=MemoryKind.SUMMARY if exchange.derived else MemoryKind.EXCHANGE,
            project=project,
            at=exchange.at,
            origin=origin,
            metadata=shared | ({"part": number, "parts": len(parts)} if len(parts) > 1 else {}),
        )


def _parts(exchange: Exchange, limit: int) -> list[str]:
    """The text in parts; each says whose words it begins with, so that none is taken for the other's."""
    if exchange.derived:
        return list(split_long(exchange.reply, limit))
    text = exchange_text(exchange.prompt, exchange.reply)
    if len(text) <= limit:
        return [text] if text else []
    parts = [PROMPT_LABEL + part for part in split_long(exchange.prompt, limit - len(PROMPT_LABEL))]
    reply = exchange.reply
    room = limit - len(parts[-1]) - len("\n\n" + REPLY_LABEL) if parts else 0
    if reply and room > limit // 4:
        head = next(split_long(reply, room), "")
        parts[-1] = f"{parts[-1]}\n\n{REPLY_LABEL}{head}"
        reply = reply[reply.index(head) + len(head) :].lstrip()
    return parts + [REPLY_LABEL + part for part in split_long(reply, limit - len(REPLY_LABEL))]


def _metadata(exchange: Exchange) -> dict[str, object]:
    facts: dict[str, object] = {}
    if exchange.branch:
        facts["branch"] = exchange.branch
    if exchange.models:
        facts["models"] = list(exchange.models)
    if exchange.ended_at and exchange.ended_at != exchange.at:
        facts["ended_at"] = clock.to_millis(exchange.ended_at)
    if exchange.at_source != "record":
        facts["at_source"] = exchange.at_source
    for flag in ("sidechain", "abandoned"):
        if getattr(exchange, flag):
            facts[flag] = True
    tools = list(dict.fromkeys((tool.kind.value, tool.name, tool.target) for tool in exchange.tools if tool.target))
    if tools:
        facts["tools"] = [{"kind": kind, "name": name, "target": target} for kind, name, target in tools[:MAX_TOOLS]]
    if len(tools) > MAX_TOOLS:
        facts["tools_left_out"] = len(tools) - MAX_TOOLS
    return facts


def without_tools(exchange: Exchange) -> Exchange:
    """The exchange without its tool calls, as its later parts see it: they belong to part 0 (``ports.Extractor``)."""
    return replace(exchange, tools=()) if exchange.tools else exchange
