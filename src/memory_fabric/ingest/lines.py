"""Lines of a transcript file as JSON objects: one boundary for every oddity of the bytes (formats.md §0).

Splits on newline bytes only, decodes afterwards, repairs what would break later, holds one line at a time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from memory_fabric import text
from memory_fabric.ports import Cursor

MAX_LINE = 64 * 1024 * 1024
"""Bytes of the longest line that is parsed; a longer one is counted as too long and passed over (C-013)."""

_decoder = msgspec.json.Decoder()
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file."""

    number: int
    """1-based."""
    offset: int
    """Of its first byte in the file."""
    raw: bytes
    """Without its newline, carriage return and byte order mark."""
    terminated: bool
    """False for bytes after the last newline: perhaps not yet a whole record (formats.md §0 rule 2)."""
    too_long: bool = False
    """Longer than ``MAX_LINE``: ``raw`` is empty."""


def read_lines(stream: BinaryIO, start: Cursor = Cursor()) -> Iterator[Line]:
    """Every line from the cursor on; the stream must stand at the cursor's offset."""
    number, offset = start.line, start.offset
    while raw := stream.readline(MAX_LINE):
        size = len(raw)
        too_long = size == MAX_LINE and not raw.endswith(b"\n")
        while too_long and (more := stream.readline(MAX_LINE)):
            size += len(more)
            raw = more
            if more.endswith(b"\n"):
                break
        terminated = raw.endswith(b"\n")
        body = b"" if too_long else raw.rstrip(b"\r\n")
        yield Line(number, offset, body.removeprefix(_BOM) if number == 1 else body, terminated, too_long)
        number += 1
        offset += size


def lines_of(path: Path, start: Cursor = Cursor()) -> Iterator[Line]:
    """Every line of a file from the cursor on.

    Raises:
        OSError: the file cannot be opened or read.
    """
    with path.open("rb") as stream:
        stream.seek(start.offset)
        yield from read_lines(stream, start)


def decode_json(raw: bytes) -> Any:
    """The JSON value of some bytes, with lone surrogates and NUL repaired in every string.

    Invalid UTF-8 becomes U+FFFD, ``NaN`` and ``Infinity`` become None.

    Raises:
        ValueError: not JSON, or nested too deeply.
    """
    try:
        try:
            value = _decoder.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return _repair(json.loads(raw.decode("utf-8", "replace"), parse_constant=lambda _: None, strict=False))
        return _repair(value) if b"\\u" in raw else value
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _repair(value: Any) -> Any:
    if isinstance(value, str):
        return text.clean(value)
    if isinstance(value, list):
        return [_repair(item) for item in value]
    if isinstance(value, dict):
        return {text.clean(key): _repair(item) for key, item in value.items()}
    return value
