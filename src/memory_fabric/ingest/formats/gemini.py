"""Gemini CLI chats: one JSON document (old) or an event log (new) (formats.md §4, C-022)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_fabric.clock import parse_instant
from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.claude_text import without_own_output
from memory_fabric.ingest.formats.gemini_log import Chat, Message, replay
from memory_fabric.ingest.formats.head import HEAD_BYTES, objects, outline
from memory_fabric.ingest.formats.media import media_stub
from memory_fabric.ingest.formats.toolcalls import tool_calls
from memory_fabric.ingest.lines import decode_json, lines_of
from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import Role, SessionFacts, Tally, ToolCall, ToolKind, Turn
from memory_fabric.ports import Cursor

MAX_DOCUMENT = 256 * 1024 * 1024
"""Bytes of the largest one-document chat: such a file has to be read whole."""

INJECTED = ("<session_context>", "This is the Gemini CLI. We are setting up the context", "System: Please continue.")
"""Beginnings of user messages that no user wrote."""

_HOOK_CONTEXT = re.compile(r"<hook_context>.*?(?:</hook_context>|\Z)", re.DOTALL)
_MESSAGE_MARK = re.compile(rb'"type"\s*:\s*"(?:user|gemini|info|error|warning)"')
_SHOWN_SERVER = re.compile(r"\(([\w.-]+) MCP Server\)")
_OUTCOMES = {"success": True, "error": False, "cancelled": False}


class GeminiCli:
    """Chats of the Gemini CLI.  Record ids are the message ids, which the copy of a resumed chat keeps."""

    name = "gemini_cli"
    appends = False

    def claims(self, path: Path, head: bytes) -> bool:  # noqa: ARG002 (the name says nothing)
        """A line with ``sessionId`` and ``projectHash``, without ``type``; or a document with ``messages``."""
        keys = outline(head).keys
        if {"sessionId", "messages"} <= keys and not keys & {"type", "uuid", "role"}:
            return "projectHash" in keys or _MESSAGE_MARK.search(head) is not None
        return any(
            {"sessionId", "projectHash"} <= record.keys() and not record.keys() & {"type", "uuid", "payload"}
            for record in objects(head)
        )

    def read(self, path: Path, tally: Tally, start: Cursor = Cursor()) -> Iterator[Turn | SessionFacts]:  # noqa: ARG002
        """Turns of one chat, always from the beginning; what was rewound is kept and marked abandoned.

        Counts lines of an event log, messages of a document.

        Raises:
            MalformedFile: the document is cut, damaged or larger than 256 MB, or no line can be read.
            OSError: the file cannot be opened.
        """
        chat = _chat(path, tally)
        session = _session(chat, path)
        yield session.facts(chat)
        for message in _identified(chat.messages):
            turn = session.turn(message, tally)
            if turn is not None:
                yield turn


def _identified(messages: list[Message]) -> Iterator[Message]:
    """The messages in order, each with an id of its own: where two share one, the live one keeps it."""
    taken = {message.id for message in messages if not message.removed}
    for message in messages:
        if not message.removed:
            yield message
            continue
        own = f"{message.id}~{message.line}" if message.id in taken else message.id
        taken.add(own)
        yield replace(message, id=own)


def _chat(path: Path, tally: Tally) -> Chat:
    """The file's chat, whichever form it has; the name says nothing (documents lie under ``.jsonl`` names too)."""
    with path.open("rb") as stream:
        first = stream.readline(MAX_DOCUMENT)
    if _begins_document(first) and (chat := _document(path)) is not None:
        return chat
    with path.open("rb") as stream:
        cut = "messages" in outline(stream.read(HEAD_BYTES)).keys
    chat, readable = (Chat(), 0) if cut else replay(lines_of(path), tally)
    if cut or (tally.first_broken_line is not None and not readable):
        raise MalformedFile(f"{path.name}: a chat that is cut or damaged; nothing in it can be read")
    return chat


def _begins_document(first: bytes) -> bool:
    """Whether the first line is a whole document, or only the beginning of a value."""
    try:
        value = decode_json(first) if first.strip() else {}
    except ValueError:
        return True
    return isinstance(value, dict) and "messages" in value


def _document(path: Path) -> Chat | None:
    """The chat of a one-document file, or None if the file is no single JSON object."""
    if path.stat().st_size > MAX_DOCUMENT:
        raise MalformedFile(f"{path.name}: larger than {MAX_DOCUMENT // 2**20} MB in one document")
    try:
        value = decode_json(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))
    except ValueError:
        return None
    if not isinstance(value, dict):
        return None
    chat = Chat()
    chat.document(value)
    return chat


@dataclass(frozen=True, slots=True)
class _Session:
    """What all turns of a chat share."""

    id: SessionId
    parent: SessionId | None
    sidechain: bool
    cwd: str | None
    started: datetime | None

    def facts(self, chat: Chat) -> SessionFacts:
        title = chat.metadata.get("summary")
        return SessionFacts(
            self.id,
            cwd=self.cwd,
            title=title if isinstance(title, str) and title.strip() else None,
            parent=self.parent,
            at=self.started,
        )

    def turn(self, message: Message, tally: Tally) -> Turn | None:
        """The turn of a message, or None; counts it."""
        user = message.type == "user"
        text, tools = _said(message.record, user=user), () if user else _tools(message)
        reason = None
        if message.type not in ("user", "gemini"):
            reason = message.type
        elif not text and not tools:
            reason = "injected or empty" if user else "no text"
        if message.counted:
            tally.skip(reason) if reason else tally.use("user" if user else "assistant")
        if reason:
            return None
        at = parse_instant(message.record.get("timestamp"))
        model = message.record.get("model")
        return Turn(
            role=Role.USER if user else Role.ASSISTANT,
            text=text,
            session=self.id,
            record=message.id,
            at=at or self.started,
            at_source="record" if at else "file" if self.started else "none",
            first_line=message.line,
            last_line=message.last_line,
            tools=tools,
            cwd=self.cwd,
            model=model if isinstance(model, str) else None,
            sidechain=self.sidechain,
            abandoned=message.removed,
        )


def _session(chat: Chat, path: Path) -> _Session:
    metadata = chat.metadata
    given = metadata.get("sessionId")
    subagent = metadata.get("kind") == "subagent"
    parent = path.parent.name if path.parent.parent.name == "chats" else None
    return _Session(
        id=SessionId(given if isinstance(given, str) and given else path.name.partition(".")[0]),
        parent=SessionId(parent) if parent and parent != given else None,
        sidechain=subagent or parent is not None,
        cwd=_cwd(metadata, path),
        started=parse_instant(metadata.get("startTime")),
    )


def _cwd(metadata: Mapping[str, Any], path: Path) -> str | None:
    """The project's folder: from ``.project_root`` beside ``chats``, else of that hash, else the first directory."""
    for folder in path.parents[:4]:
        if folder.name == "chats":
            try:
                named = (folder.parent / ".project_root").read_text("utf-8", "replace").strip()
            except OSError:
                break
            if named:
                return named
            break
    listed = metadata.get("directories")
    folders = [name for name in listed if isinstance(name, str) and name] if isinstance(listed, list) else []
    for name in folders:
        if hashlib.sha256(name.encode("utf-8", "replace")).hexdigest() == metadata.get("projectHash"):
            return name
    return folders[0] if folders else None


def _said(record: Mapping[str, Any], *, user: bool) -> str:
    """A message's text: for users what they saw themselves typing, without ``@file`` expansions (formats.md §4)."""
    text = _text(record["displayContent"]) if user and record.get("displayContent") else _text(record.get("content"))
    if user:
        text = _HOOK_CONTEXT.sub("", text)
    text = without_own_output(text).strip()
    return "" if user and text.startswith(INJECTED) else text


def _text(content: object) -> str:
    """Text parts run on, as the CLI shows them; media stand apart."""
    parts = content if isinstance(content, list) else [content]
    return "".join(_part(part) for part in parts)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("thought") is True:
        return ""
    if isinstance(part.get("text"), str):
        return str(part["text"])
    for key in ("inlineData", "fileData"):
        media = part.get(key)
        if isinstance(media, Mapping):
            mime, data = _string(media.get("mimeType")), _string(media.get("data"))
            kind = mime.partition("/")[0] if mime and key == "inlineData" else "file"
            return f"\n\n{media_stub(kind, mime, data)}\n\n"
    return ""


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _tools(message: Message) -> tuple[ToolCall, ...]:
    listed = message.record.get("toolCalls")
    found: list[ToolCall] = []
    for call in listed if isinstance(listed, list) else ():
        if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
            continue
        arguments = call.get("args")
        given = arguments if isinstance(arguments, Mapping) else {}
        status = call.get("status")
        ok = _OUTCOMES.get(status) if isinstance(status, str) else None
        calls = tool_calls(call["name"], given, message.line)
        shown = call.get("displayName")
        if isinstance(shown, str) and (server := _SHOWN_SERVER.search(shown)):
            calls = (ToolCall(ToolKind.MCP, call["name"], server.group(1), message.line),)
        found += [replace(made, ok=ok) for made in calls]
    return tuple(found)
