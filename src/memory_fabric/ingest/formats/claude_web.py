"""Sessions of Claude Code on the web, saved as one document: ``{"loglines": [record, …]}``.

The records are those of the command line's transcripts without an envelope: no ``uuid``, no ``sessionId``.  Each is
given the place in the list as its id and the file's name as its session, and is then read as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.claude_chain import survey
from memory_fabric.ingest.formats.claude_records import decode_record
from memory_fabric.ingest.formats.claude_turns import TurnReader
from memory_fabric.ingest.lines import Line, decode_json
from memory_fabric.model.transcript import SessionFacts, Tally, Turn
from memory_fabric.ports import Cursor

MAX_DOCUMENT = 256 * 1024 * 1024
"""Bytes of the largest document that is read whole."""

_MARK = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"loglines"\s*:\s*\[')


class ClaudeWeb:
    """Reads saved web sessions; the tally counts records, and lines of origins are their places in the list."""

    name = "claude_web"
    appends = False

    def claims(self, path: Path, head: bytes) -> bool:  # noqa: ARG002
        """Whether the document begins with its only key."""
        return _MARK.match(head) is not None

    def read(self, path: Path, tally: Tally, start: Cursor = Cursor()) -> Iterator[Turn | SessionFacts]:  # noqa: ARG002
        """Turns and facts, in the order of the list.

        Raises:
            MalformedFile: the document is cut, too large, or no list of records.
            OSError: the file cannot be opened or read.
        """
        lines = _lines(path, _records(path))
        reader = TurnReader(path, tally, survey(lines))
        for line in lines:
            record = decode_record(line.raw)
            if record is None:
                tally.skip("not an object")
            else:
                yield from reader.take(record, line)
        yield from reader.finish()


def _records(path: Path) -> list[Any]:
    if path.stat().st_size > MAX_DOCUMENT:
        raise MalformedFile(f"{path.name}: larger than {MAX_DOCUMENT >> 20} MB, too large for one document")
    try:
        document = decode_json(path.read_bytes())
    except ValueError as error:
        raise MalformedFile(f"{path.name}: not a whole JSON document: {error}", "save the session again") from error
    records = document.get("loglines") if isinstance(document, dict) else None
    if not isinstance(records, list):
        raise MalformedFile(f"{path.name}: `loglines` is no list", "save the session again")
    return records


def _lines(path: Path, records: list[Any]) -> list[Line]:
    """Each record with the envelope that it lacks; what it has stays."""
    lines = []
    for number, record in enumerate(records, 1):
        envelope = {
            "uuid": f"logline:{number}",
            "parentUuid": f"logline:{number - 1}" if number > 1 else None,
            "sessionId": path.stem,
        }
        whole = envelope | record if isinstance(record, dict) else record
        lines.append(Line(number, 0, msgspec.json.encode(whole), terminated=True))
    return lines
