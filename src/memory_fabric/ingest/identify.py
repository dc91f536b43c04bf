"""Which harness wrote a file: a positive mark decides, never a guess (formats.md §9)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memory_fabric.errors import AmbiguousFormat, UnknownFormat
from memory_fabric.ingest.formats.head import HEAD_BYTES
from memory_fabric.ingest.lookalikes import describe
from memory_fabric.ports import Format


def identify(path: Path, formats: Sequence[Format]) -> Format:
    """The one format that claims this file, told by its first 64 KiB.

    Raises:
        UnknownFormat: none claims it; the message says what the file looks like.
        AmbiguousFormat: more than one claims it; the message names them.
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
    claimed = [reader for reader in formats if reader.claims(path, head)]
    if len(claimed) == 1:
        return claimed[0]
    if claimed:
        names = ", ".join(reader.name for reader in claimed)
        raise AmbiguousFormat(f"{path.name}: claimed by {names}", hint="name the format with --format")
    looks = describe(path, head)
    raise UnknownFormat(f"{path.name}: {looks.what}", hint=looks.remedy or f"formats read: {_names(formats)}")


def _names(formats: Sequence[Format]) -> str:
    return ", ".join(reader.name for reader in formats)
