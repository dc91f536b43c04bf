"""Transcripts of Claude Code: ``<root>/projects/<directory>/<session>.jsonl`` and their sub-agents' (formats.md §1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.claude_chain import survey
from memory_fabric.ingest.formats.claude_records import decode_record
from memory_fabric.ingest.formats.claude_turns import METADATA, TurnReader
from memory_fabric.ingest.lines import Line, decode_json, lines_of
from memory_fabric.model.transcript import SessionFacts, Tally, Turn
from memory_fabric.ports import Cursor

HEAD_LINES = 50
"""Lines in which a positive mark is looked for (formats.md §9)."""

_CHAINED = frozenset({"user", "assistant", "system", "attachment", "progress"})
_CODEX = frozenset(
    {
        "session_meta",
        "turn_context",
        "response_item",
        "event_msg",
        "compacted",
        "world_state",
        "inter_agent_communication",
    }
)
_CUT_RECORD = re.compile(
    rb'\{(?=.*?"(?:parentUuid|uuid)"\s*:)(?=.*?"sessionId"\s*:\s*")'
    rb'(?=.*?"type"\s*:\s*"(?:user|assistant|system|attachment|progress)")',
    re.DOTALL,
)


class ClaudeCode:
    """Reads Claude Code transcripts.

    Turn ids: the record's uuid (the original's for a forked copy), so that copies by ``--resume``, ``--fork-session``
    and ``/branch`` share their ids across files.  A ``/btw`` file repeats trunk replies under new uuids after a prompt
    with its own uuid; its turns belong to a sidechain session, so exchanges keyed by their prompt's id never replace
    the trunk's.

    Turns come in file order within one session; a reply is held back until its session goes on, so that its calls know
    how they ended, and turns of a sidechain written meanwhile come before it.

    From a cursor on, nothing before it is known: duplicates of earlier records are left to the store, rewinds to a
    point before it are not noticed, and a ``summary`` line whose leaf stands before it counts as another session's.
    """

    name = "claude_code"
    appends = True

    def claims(self, path: Path, head: bytes) -> bool:  # noqa: ARG002
        """Whether any of the first 50 lines is one of our records and none is another format's."""
        lines = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", HEAD_LINES)[:HEAD_LINES]
        found = False
        for raw in lines:
            try:
                value = decode_json(raw.strip()) if raw.strip() else None
            except ValueError:
                found = found or _is_cut_record(raw)
                continue
            if not isinstance(value, dict):
                continue
            if _is_foreign(value):
                return False
            found = found or _is_record(value)
        return found

    def read(self, path: Path, tally: Tally, start: Cursor = Cursor()) -> Iterator[Turn | SessionFacts]:
        """Turns and facts; reads the file twice, since a rewind shows only later.

        Raises:
            MalformedFile: whole lines were read, and none of them is JSON.
            OSError: the file cannot be opened or read.
        """
        reader = TurnReader(path, tally, survey(lines_of(path, start)))
        readable = broken = 0
        for line in lines_of(path, start):
            try:
                record = decode_record(line.raw) if line.raw.strip() else None
            except ValueError:
                tally.broken(line.number, "broken json" if line.terminated else "cut last line")
                broken += line.terminated
                continue
            if record is not None:
                readable += 1
                yield from reader.take(record, line)
            else:
                _count_other(tally, line)
        yield from reader.finish()
        if broken and not readable and not start.offset:
            raise MalformedFile(
                f"{path.name}: none of its {broken} lines is JSON", "the file may be damaged or not a transcript"
            )


def _count_other(tally: Tally, line: Line) -> None:
    """Count a line that holds no record."""
    if line.too_long:
        tally.broken(line.number, "too long")
    elif not line.raw.strip():
        tally.skip("blank")
    else:
        tally.skip("not an object")


def _is_record(value: dict[str, object]) -> bool:
    kind = value.get("type")
    if kind == "summary":
        return isinstance(value.get("leafUuid"), str)
    if kind == "file-history-snapshot":
        return "snapshot" in value
    if not isinstance(value.get("sessionId"), str) or not isinstance(kind, str):
        return False
    return kind in METADATA or (kind in _CHAINED and isinstance(value.get("uuid"), str))


def _is_foreign(value: dict[str, object]) -> bool:
    """Whether a record is another format's.

    Codex wraps in ``payload``, Gemini names a project hash, others write ``parts`` where we write ``content``.
    """
    message = value.get("message")
    return (
        ("payload" in value and value.get("type") in _CODEX)
        or ("projectHash" in value and "sessionId" in value)
        or (isinstance(message, dict) and "parts" in message and "content" not in message)
    )


def _is_cut_record(raw: bytes) -> bool:
    """Whether a line that ends with the head is the beginning of a record: its envelope comes first."""
    return _CUT_RECORD.match(raw[:4096].lstrip()) is not None and not any(
        mark in raw[:4096] for mark in (b'"projectHash"', b'"payload"')
    )
