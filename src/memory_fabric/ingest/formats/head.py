"""The first bytes of a file as JSON: what format identification looks at (formats.md §9)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from memory_fabric.ingest.lines import decode_json

HEAD_BYTES = 64 * 1024
"""Bytes of a file that its format is told by."""

HEAD_LINES = 50
"""Lines of a file that its format is told by (formats.md §9)."""

_BOM = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*\\?(?:"|\Z)|[{}\[\]:]', re.DOTALL)


def objects(head: bytes, limit: int = HEAD_LINES) -> list[dict[str, Any]]:
    """The JSON objects among the first lines, in order; broken lines, other values and a cut last line are left out."""
    found = []
    for raw in head.removeprefix(_BOM).split(b"\n")[:limit]:
        try:
            value = decode_json(raw) if raw.strip() else None
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


@dataclass(frozen=True, slots=True)
class Outline:
    """The first JSON value of a file, seen from above."""

    container: str
    """``{``, ``[``, or empty for anything else."""
    keys: frozenset[str]
    """Keys of the object, or of the first object in the list, as far as the head reaches."""


def outline(head: bytes) -> Outline:
    """The outline of the first JSON value, which may go on beyond the head.  Never raises."""
    body = head.removeprefix(_BOM).lstrip()
    container = body[:1].decode("latin-1")
    if container not in ("{", "["):
        return Outline("", frozenset())
    wanted = 1 if container == "{" else 2
    depth, text, keys = 0, b"", set()
    for match in _TOKEN.finditer(body):
        token = match.group()
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
            if depth < wanted:
                break
        elif token == b":":
            if depth == wanted:
                keys.add(text.decode("utf-8", "replace"))
        else:
            text = token[1:-1]
    return Outline(container, frozenset(keys))
