"""Gemini CLI chats as messages: the event log replayed, or the old document (formats.md §4, C-022)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_fabric.ingest.lines import Line, decode_json
from memory_fabric.model.transcript import Tally

MESSAGE_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})


@dataclass(slots=True)
class Message:
    """One message with its last content and its first position."""

    id: str
    record: Mapping[str, Any]
    line: int | None
    """Of its first record; None in documents."""
    last_line: int | None
    removed: bool = False
    """Taken back by ``$rewindTo``, or left out of a checkpoint."""
    counted: bool = True
    """False for a message that a checkpoint brought in: it has no line of its own to count."""

    @property
    def type(self) -> str:
        """``user``, ``gemini``, ``info``, ``error``, ``warning``, or something unknown."""
        kind = self.record.get("type")
        return kind if isinstance(kind, str) and kind in MESSAGE_TYPES else "unknown type"


@dataclass(slots=True)
class Chat:
    """One chat, replayed."""

    metadata: dict[str, Any] = field(default_factory=dict)
    messages: list[Message] = field(default_factory=list)
    """All that ever stood in it, in the order of first appearance."""
    _live: list[Message] = field(default_factory=list)

    def document(self, value: Mapping[str, Any]) -> None:
        """Take over a whole document."""
        self.metadata.update((key, held) for key, held in value.items() if key != "messages")
        listed = value.get("messages")
        for record in listed if isinstance(listed, list) else ():
            if isinstance(record, Mapping):
                self._put(record, None, Tally())

    def apply(self, record: Mapping[str, Any], line: int, tally: Tally) -> None:
        """Replay one line; messages are counted by whoever reads them, all other lines here."""
        if "$rewindTo" in record:
            tally.use("rewind")
            self._rewind(record["$rewindTo"])
        elif isinstance(record.get("$set"), Mapping):
            tally.use("metadata")
            self._set(record["$set"], line)
        elif "type" in record or "content" in record:
            self._put(record, line, tally)
        elif "sessionId" in record:
            tally.use("session")
            for key, value in record.items():
                self.metadata.setdefault(key, value)
        else:
            tally.skip("unknown type")

    def _put(self, record: Mapping[str, Any], line: int | None, tally: Tally) -> None:
        """A message; one with a known id replaces it in its place, and the earlier record is counted as replaced."""
        given = record.get("id")
        place = line if line is not None else len(self.messages) + 1
        identifier = given if isinstance(given, str) and given else f"line:{place}"
        for message in reversed(self._live):
            if message.id == identifier:
                message.record, message.last_line = _slim(record), line
                if message.counted:
                    tally.skip("replaced later")
                message.counted = True
                return
        message = Message(identifier, _slim(record), line, line)
        self.messages.append(message)
        self._live.append(message)

    def _rewind(self, identifier: object) -> None:
        ids = [message.id for message in self._live]
        first = ids.index(identifier) if isinstance(identifier, str) and identifier in ids else 0
        for message in self._live[first:]:
            message.removed = True
        del self._live[first:]

    def _set(self, values: Mapping[str, Any], line: int) -> None:
        self.metadata.update((key, value) for key, value in values.items() if key != "messages")
        listed = values.get("messages")
        if not isinstance(listed, list):
            return
        before = {message.id: message for message in self._live}
        after: dict[str, Message] = {}
        for number, record in enumerate(listed):
            if isinstance(record, Mapping):
                given = record.get("id")
                identifier = given if isinstance(given, str) and given else f"line:{line}.{number}"
                known = before.pop(identifier, None) or after.get(identifier)
                if known is None:
                    known = Message(identifier, record, line, line, counted=False)
                    self.messages.append(known)
                known.record, known.last_line = _slim(record), line
                after[identifier] = known
        self._live = list(after.values())
        for message in before.values():
            message.removed = True


_KEPT = ("type", "timestamp", "content", "displayContent", "model")
_KEPT_OF_CALLS = ("name", "args", "status", "displayName")


def _slim(record: Mapping[str, Any]) -> dict[str, Any]:
    """What a turn needs of a message: a chat is held whole, its tool results and thoughts are not."""
    kept = {key: record[key] for key in _KEPT if key in record}
    calls = record.get("toolCalls")
    if isinstance(calls, list):
        kept["toolCalls"] = [
            {key: call[key] for key in _KEPT_OF_CALLS if key in call} for call in calls if isinstance(call, Mapping)
        ]
    return kept


def replay(lines: Iterable[Line], tally: Tally) -> tuple[Chat, int]:
    """The chat of an event log, and how many lines could be read; counts every line that is no message."""
    chat, readable = Chat(), 0
    for line in lines:
        if line.too_long:
            tally.broken(line.number, "line too long")
            continue
        if not line.raw.strip():
            tally.skip("blank")
            continue
        try:
            value = decode_json(line.raw)
        except ValueError:
            tally.broken(line.number, "broken json" if line.terminated else "cut last line")
            continue
        readable += 1
        if isinstance(value, dict):
            chat.apply(value, line.number, tally)
        else:
            tally.skip("not an object")
    return chat, readable
