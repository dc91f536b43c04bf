"""The Claude Code reader on whole files (formats.md §1.8), and which files it claims (§9)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.ingest.formats.claude_code import ClaudeCode
from memory_fabric.ingest.formats.claude_records import Record, blocks_of, decode_record
from memory_fabric.model.transcript import Tally

from . import golden

FOLDER = Path(__file__).parent / "claude_code"
RECORD = {"uuid": "u1", "sessionId": "S", "type": "user", "message": {"role": "user", "content": "hi"}}


@pytest.mark.parametrize("source", golden.inputs(FOLDER), ids=golden.name_of)
def test_golden(source: Path) -> None:
    golden.check(ClaudeCode(), source)


def test_golden_files_are_complete() -> None:
    assert golden.unpaired(FOLDER) == []


@pytest.mark.parametrize("source", golden.inputs(FOLDER), ids=golden.name_of)
def test_every_physical_line_is_counted_once(source: Path) -> None:
    """F-ING-10."""
    tally = Tally()
    list(ClaudeCode().read(source, tally))
    assert tally.lines == len(source.read_bytes().removesuffix(b"\n").split(b"\n"))


@pytest.mark.parametrize("source", golden.inputs(FOLDER), ids=golden.name_of)
def test_every_golden_input_is_claimed(source: Path) -> None:
    assert ClaudeCode().claims(source, source.read_bytes()[:65536])


@pytest.mark.parametrize("source", golden.inputs(FOLDER), ids=golden.name_of)
def test_the_lenient_reading_of_a_record_says_the_same_as_the_strict_one(source: Path) -> None:
    """Any line may take either way; a field that only one of them knew would be lost on damaged lines."""
    for raw in source.read_bytes().removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        if b'"uuid"' in raw and (b'"message"' in raw or b'"attachment"' in raw) and raw.rstrip().endswith(b"}"):
            strict = decode_record(raw)
            damaged = decode_record(raw.rstrip()[:-1] + b', "isMeta": 3, "note": "\\u0000"}')
            assert strict is not None
            assert damaged is not None
            assert _said(strict) == _said(damaged)


def _said(record: Record) -> list[object]:
    ids = [record.type, record.uuid, record.parent_uuid, record.session_id, record.timestamp, record.cwd]
    more = [bool(record.is_sidechain), bool(record.is_compact_summary), record.forked_from, record.result_failed]
    message = record.message
    said = [message.id, message.model] if message else [None, None]
    blocks = blocks_of(message.content) if message else []
    return [*ids, *more, *said, *((b.type, b.text, b.id, b.input, b.source, bool(b.is_error)) for b in blocks)]


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@pytest.mark.parametrize(
    "head",
    [
        lines(RECORD),
        lines({"type": "mode", "sessionId": "S"}),
        lines({"type": "summary", "summary": "x", "leafUuid": "u"}),
        lines({"type": "brand-new"}, None, RECORD),
        b"\xef\xbb\xbf" + lines(RECORD).replace(b"\n", b"\r\n"),
        lines({"parentUuid": None, **RECORD, "message": {"content": "x" * 70_000}})[:65536],
        b'{"broken\n' + lines(RECORD),
        lines(*[{"type": "brand-new"}] * 49, RECORD),
        lines({"type": "brand-new", "payload": {}, "sessionId": "S"}, RECORD),
    ],
)
def test_our_files_are_claimed(head: bytes) -> None:
    """C-002, formats.md §9."""
    assert ClaudeCode().claims(Path("x.jsonl"), head)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"SQLite format 3\x00",
        b"[" * 65536,
        lines({"timestamp": "t", "type": "session_meta", "payload": {"id": "x"}}),
        lines({"sessionId": "g", "projectHash": "h", "startTime": "t"}, {"id": "1", "type": "user", "content": "hi"}),
        json.dumps({"sessionId": "g", "projectHash": "h", "messages": [RECORD]}, indent=2).encode(),
        lines({"sessionId": "g", "projectHash": "h", "messages": [RECORD]}),
        lines({"sessionId": "g", "projectHash": "h", "messages": [{"x": "x" * 70_000}, RECORD]})[:65536],
        lines({"uuid": "u", "sessionId": "S", "type": "user", "message": {"role": "user", "parts": [{"text": "hi"}]}}),
        lines({"type": "entity", "name": "x"}),
        lines({"role": "user", "content": "hi"}),
        lines({"display": "hi", "project": "/w", "timestamp": 1, "sessionId": "S"}),
        lines({"type": "user", "uuid": "u"}, {"type": "user", "sessionId": "S"}),
        lines(*[{"type": "brand-new"}] * 50, RECORD),
    ],
)
def test_other_files_are_not_claimed(head: bytes) -> None:
    """formats.md §9: only a positive mark counts, and only in the first 50 lines."""
    assert not ClaudeCode().claims(Path("x.jsonl"), head)


@given(st.binary(max_size=300))
def test_claiming_never_raises(head: bytes) -> None:
    ClaudeCode().claims(Path("x.jsonl"), head)
