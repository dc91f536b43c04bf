"""Our own JSON Lines: everything a memory holds but its vectors, one object a line after a header.

Secrets are redacted on the way out as well, so that a memory written before a rule existed leaves clean (C-112).
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from memory_fabric.errors import MalformedFile, UsageError
from memory_fabric.ingest.redact import redact_value
from memory_fabric.private import FILE_MODE

TYPE, VERSION = "memory-fabric", 1
HEADER = {"type": TYPE, "version": VERSION}


def lines_of(rows: Iterable[Mapping[str, Any]], counts: Counter[str], redacted: Counter[str]) -> Iterator[str]:
    """The header, then one line a row; ``counts`` gets the rows by type, ``redacted`` the secrets by kind."""
    yield json.dumps(HEADER)
    for row in rows:
        counts[str(row.get("type"))] += 1
        yield json.dumps(redact_value(row, redacted), ensure_ascii=False, separators=(",", ":"))


def rows_of(lines: Iterable[str], name: str) -> Iterator[dict[str, Any]]:
    """The rows of an exported file, its header checked first; blank lines are passed over.

    Raises:
        MalformedFile: it is not ours, of a newer version, or a line cannot be read; file and line are named.
    """
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    header = next(numbered, None)
    if header is None:
        raise MalformedFile(f"{name}: empty", "give a file that `memory-fabric export` wrote")
    first = _object(header[1], name, header[0])
    if first.get("type") != TYPE:
        raise MalformedFile(
            f"{name}: not an export of Memory Fabric",
            "transcripts are read with `memory-fabric ingest`",
        )
    version = first.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise MalformedFile(f"{name}: version {version!r} is newer than {VERSION}", "upgrade memory-fabric")
    for number, line in numbered:
        yield _object(line, name, number)


def is_header(line: str) -> bool:
    """Whether a file that begins with this line is of our form, whatever its version."""
    try:
        value = json.loads(line)
    except ValueError:
        return False
    return isinstance(value, dict) and value.get("type") == TYPE


def _object(line: str, name: str, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError:
        raise MalformedFile(f"{name}:{number}: not JSON", "export it again; nothing was written") from None
    if not isinstance(value, dict):
        raise MalformedFile(f"{name}:{number}: not an object", "export it again; nothing was written")
    return value


@contextmanager
def written(path: Path, force: bool) -> Iterator[TextIO]:
    """A new file that only its owner may read, in place once it is whole.

    Raises:
        UsageError: the file is there (without ``force``), or cannot be written.
    """
    if not force and path.exists():
        raise UsageError(f"{path}: exists already", "choose another name, or --force to replace it")
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}", "choose another place") from error
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as stream:  # noqa: PTH123 - made with its mode
            yield stream
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
