"""Which harness wrote a file, and what refusals say (formats.md §9)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from backports import zstd

from memory_fabric.errors import AmbiguousFormat, UnknownFormat
from memory_fabric.ingest.formats import formats
from memory_fabric.ingest.formats.head import HEAD_BYTES, HEAD_LINES
from memory_fabric.ingest.identify import identify

CODEX = {"timestamp": "2026-05-01T10:00:00Z", "type": "session_meta", "payload": {"id": "s"}}
GEMINI = {"sessionId": "g", "projectHash": "h"}
CLAUDE = {
    "uuid": "u",
    "parentUuid": None,
    "sessionId": "s",
    "type": "user",
    "message": {"role": "user", "content": "x"},
}


def lines(*records: object) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def written(folder: Path, data: bytes, name: str = "x.jsonl") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (lines(CODEX), "codex"),
        (zstd.compress(lines(CODEX)), "codex"),
        (lines(CODEX)[:-1], "codex"),
        (b"\xef\xbb\xbf" + lines(CODEX), "codex"),
        (lines({"id": "s", "timestamp": "2025-07-01T08:00:00Z", "instructions": None}), "codex"),
        (lines({**CODEX, "payload": {"id": "s", "base_instructions": "x" * HEAD_BYTES}}), "codex"),
        (lines(GEMINI), "gemini_cli"),
        (json.dumps({**GEMINI, "messages": []}, indent=2).encode(), "gemini_cli"),
        (json.dumps({**GEMINI, "messages": ["x" * HEAD_BYTES]}).encode(), "gemini_cli"),
        (lines({"sessionId": "g", "messages": [{"type": "gemini"}]}), "gemini_cli"),
        (lines(CLAUDE), "claude_code"),
    ],
)
def test_a_positive_mark_tells_the_format(tmp_path: Path, data: bytes, name: str) -> None:
    """formats.md §9."""
    assert identify(written(tmp_path, data), formats()).name == name


@pytest.mark.parametrize(("before", "found"), [(HEAD_LINES - 2, True), (HEAD_LINES - 1, True), (HEAD_LINES, False)])
def test_the_mark_may_stand_on_any_of_the_first_fifty_lines(tmp_path: Path, before: int, found: bool) -> None:
    """C-002: the first line may be anything."""
    path = written(tmp_path, b"null\n" * before + lines(GEMINI))
    if found:
        assert identify(path, formats()).name == "gemini_cli"
    else:
        with pytest.raises(UnknownFormat):
            identify(path, formats())


EXPORTED = {"title": "x", "mapping": {}}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty file"),
        (b" \n\n", "empty file"),
        (b"SQLite format 3\0....", "SQLite database"),
        (b"PK\x03\x04....", "zip archive"),
        (b"\x1f\x8b....", "gzip"),
        (b"\x28\xb5\x2f\xfd....", "without a Codex rollout"),
        (zstd.compress(lines({"role": "user", "content": "x"})), "without a Codex rollout"),
        (b"\x7fELF\0\0", "binary"),
        (b"# Notes\n\ntext", "Markdown"),
        (b"just words", "plain text"),
        (lines({"role": "user", "content": "hi"}), "bare role/content log"),
        (json.dumps([{"role": "user", "content": "hi"}], indent=1).encode(), "bare role/content log"),
        (lines({"type": "thread.started", "thread_id": "t"}), "codex exec --json"),
        (lines({"type": "item.completed", "item": {}}), "codex exec --json"),
        (lines({"session_id": "s", "ts": 1, "text": "hi"}), "a prompt log (Codex history), not a transcript"),
        (lines({"id": "s", "thread_name": "x", "updated_at": "y"}), "index of Codex session names"),
        (lines({"display": "hi", "project": "/w", "timestamp": 1}), "prompt log (Claude Code"),
        (
            json.dumps([{"sessionId": "g", "messageId": 0, "type": "user", "message": "x"}]).encode(),
            "prompt log (Gemini",
        ),
        (json.dumps([{"role": "user", "parts": []}], indent=2).encode(), "saved chat of Gemini"),
        (lines({"type": "entity", "name": "x"}), "memory server"),
        (json.dumps([EXPORTED]).encode(), "ChatGPT"),
        (json.dumps([{"uuid": "u", "chat_messages": []}]).encode(), "Claude.ai"),
        (json.dumps({"a": "secret"}).encode(), "JSON of an unknown shape"),
        (lines({"a": 1}, {"b": "secret"}), "JSON lines of an unknown shape"),
        (json.dumps({"trajectory": [], "history": []}).encode(), "SWE-agent"),
        (json.dumps({"history": []}).encode(), "saved chat"),
        (b"{broken", "cut or broken"),
        (b"[1, 2]", "holds no object"),
    ],
)
def test_a_refusal_says_what_the_file_looks_like(tmp_path: Path, data: bytes, reason: str) -> None:
    """formats.md §9, §0 rule 3: the shape is named, the content never."""
    with pytest.raises(UnknownFormat) as raised:
        identify(written(tmp_path, data), formats())
    assert reason in raised.value.message
    assert raised.value.message.startswith("x.jsonl: ")
    assert "\n" not in raised.value.message
    assert "secret" not in raised.value.message
    assert raised.value.hint


def test_markdown_is_told_by_its_name_too(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="Markdown"):
        identify(written(tmp_path, b"plain words", "notes.md"), formats())


def test_two_claims_are_an_error_that_names_both(tmp_path: Path) -> None:
    """Never a guess."""
    path = written(tmp_path, lines(CODEX))
    codex = identify(path, formats())
    with pytest.raises(AmbiguousFormat, match="codex, codex"):
        identify(path, (codex, codex))


def test_a_file_that_cannot_be_opened_is_an_os_error(tmp_path: Path) -> None:
    """C-040: the caller reports it and goes on."""
    with pytest.raises(FileNotFoundError):
        identify(tmp_path / "gone.jsonl", formats())
