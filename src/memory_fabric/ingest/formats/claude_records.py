"""One line of a Claude Code transcript as a typed record (formats.md §1.2 to §1.4).

Only the fields named here are built; tool results, patches and progress payloads are passed over while decoding, which
is what keeps reading fast and small (C-013).
"""

from __future__ import annotations

from typing import Any

import msgspec

from memory_fabric.ingest.lines import decode_json


class Source(msgspec.Struct, gc=False):
    """Where an image or a document comes from."""

    type: str | None = None
    media_type: str | None = None
    data: str | None = None
    url: str | None = None
    file_id: str | None = None


class Block(msgspec.Struct):
    """One content block; the content of a ``tool_result`` is not kept."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | str | None = None
    tool_use_id: str | None = None
    is_error: bool | None = None
    title: str | None = None
    source: Source | None = None


Content = str | Block | list[Block | None] | None


class Message(msgspec.Struct):
    """The ``message`` of a user or assistant record."""

    id: str | None = None
    model: str | None = None
    content: Content = None


class Fork(msgspec.Struct, rename="camel", gc=False):
    """The record that a forked copy was made of."""

    session_id: str | None = None
    message_uuid: str | None = None


class Attachment(msgspec.Struct):
    """The payload of an ``attachment`` record; only a queued command's prompt is kept."""

    type: str | None = None
    prompt: Content = None


class Record(msgspec.Struct, rename="camel"):
    """The envelope and the payloads that are read."""

    type: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    session_id: str | None = None
    timestamp: str | int | float | None = None
    cwd: str | None = None
    git_branch: str | None = None
    agent_id: str | None = None
    request_id: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    forked_from: Fork | None = None
    message: Message | None = None
    tool_use_result: msgspec.Raw = msgspec.Raw()
    attachment: Attachment | None = None
    subtype: str | None = None
    operation: str | None = None
    content: Content = None
    summary: str | None = None
    leaf_uuid: str | None = None
    ai_title: str | None = None
    custom_title: str | None = None

    @property
    def identity(self) -> str | None:
        """The record's stable id: the original's for a forked copy (C-017), else its own uuid."""
        if self.forked_from is not None and self.forked_from.message_uuid:
            return self.forked_from.message_uuid
        return self.uuid

    @property
    def result_failed(self) -> bool:
        """Whether the structured tool result beside the message tells of a failure."""
        raw = bytes(self.tool_use_result)
        if raw.startswith(b'"'):
            return raw.startswith((b'"Error', b'"Exit code', b'"User rejected'))
        return b'"interrupted"' in raw and _interrupted(raw)


class _Outcome(msgspec.Struct, gc=False):
    interrupted: bool | None = None


_records = msgspec.json.Decoder(Record)
_outcomes = msgspec.json.Decoder(_Outcome)
_NOT_STRICT = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def _interrupted(raw: bytes) -> bool:
    try:
        return bool(_outcomes.decode(raw).interrupted)
    except _NOT_STRICT:
        return False


def decode_record(raw: bytes) -> Record | None:
    """The record of one line; None for JSON that is no object.

    Lines that the strict decoder refuses (a field of another type, lone surrogates, ``NaN``, invalid UTF-8) and lines
    with NUL are read leniently: what has an unexpected type counts as absent.

    Raises:
        ValueError: not JSON, or nested too deeply.
    """
    if b"\\u0000" not in raw:
        try:
            return _records.decode(raw)
        except _NOT_STRICT:
            pass
    value = decode_json(raw)
    return _lenient(value) if isinstance(value, dict) else None


_STRINGS = (
    "type uuid parentUuid sessionId cwd gitBranch agentId requestId subtype operation summary leafUuid aiTitle "
    "customTitle"
).split()
_FLAGS = "isSidechain isMeta isCompactSummary isApiErrorMessage".split()
_ATTRIBUTES = dict(zip(Record.__struct_encode_fields__, Record.__struct_fields__, strict=True))


def _lenient(value: dict[str, Any]) -> Record:
    fields: dict[str, Any] = {_ATTRIBUTES[key]: _text(value.get(key)) for key in _STRINGS}
    fields |= {_ATTRIBUTES[key]: value.get(key) is True for key in _FLAGS}
    stamp = value.get("timestamp")
    fields["timestamp"] = stamp if isinstance(stamp, str | int | float) else None
    fields["content"] = _content(value.get("content"))
    if isinstance(fork := value.get("forkedFrom"), dict):
        fields["forked_from"] = Fork(_text(fork.get("sessionId")), _text(fork.get("messageUuid")))
    message = value.get("message")
    if isinstance(message, dict):
        fields["message"] = Message(
            _text(message.get("id")), _text(message.get("model")), _content(message.get("content"))
        )
    elif isinstance(message, str):
        fields["message"] = Message(content=message)
    if isinstance(attached := value.get("attachment"), dict):
        fields["attachment"] = Attachment(_text(attached.get("type")), _content(attached.get("prompt")))
    if (result := value.get("toolUseResult")) is not None:
        fields["tool_use_result"] = msgspec.Raw(msgspec.json.encode(result))
    return Record(**fields)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _content(value: object) -> Content:
    if isinstance(value, list):
        return [_block(item) for item in value]
    if isinstance(value, dict):
        return _block(value)
    return _text(value)


def _block(value: object) -> Block | None:
    if isinstance(value, str):
        return Block(type="text", text=value)
    if not isinstance(value, dict):
        return None
    given, source = value.get("input"), value.get("source")
    return Block(
        **{key: _text(value.get(key)) for key in ("type", "text", "id", "name", "tool_use_id", "title")},
        input=given if isinstance(given, dict | str) else None,
        is_error=value.get("is_error") is True,
        source=Source(**{key: _text(source.get(key)) for key in Source.__struct_fields__})
        if isinstance(source, dict)
        else None,
    )


def blocks_of(content: Content) -> list[Block]:
    """Content of any shape as blocks: text, a list, one block, or nothing (C-011)."""
    if isinstance(content, str):
        return [Block(type="text", text=content)]
    if isinstance(content, Block):
        return [content]
    return [block for block in content or () if block is not None]
