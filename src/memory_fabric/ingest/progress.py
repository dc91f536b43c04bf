"""How far a file has been read: what makes a second run read only what grew (F-ING-7, C-037, C-131)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import Exchange, Tally
from memory_fabric.ports import Cursor, Format, LedgerEntry

HEAD = 4096
"""Bytes whose hash tells a file that grew from one that was replaced (formats.md §0 rule 2)."""


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a file, before it is read."""

    path: Path
    size: int
    mtime_ns: int
    inode: int
    status: str
    """``read`` (never read, or replaced), ``grown`` or ``unchanged``."""
    start: Cursor
    """Where to start reading."""
    last_seq: int
    """Sequence number of the last exchange before ``start``; -1 for none."""


def look(path: Path, entry: LedgerEntry | None, reader: Format | None) -> Look:
    """What has happened to a file since its entry was written.

    Raises:
        OSError: the file is gone or cannot be read.
    """
    stat = path.stat()
    facts = (path, stat.st_size, stat.st_mtime_ns, stat.st_ino)
    if entry is None or entry.error or (reader is not None and reader.name != entry.format):
        return Look(*facts, "read", Cursor(), -1)
    same = (entry.size, entry.mtime_ns, entry.inode) == facts[1:]
    if same:
        return Look(*facts, "unchanged", entry.cursor, entry.last_seq)
    appended = stat.st_size >= entry.size and stat.st_ino == entry.inode
    if appended and (reader is None or reader.appends) and head_hash(path, entry.cursor.offset) == entry.head_hash:
        return Look(*facts, "grown", entry.cursor, entry.last_seq)
    return Look(*facts, "read", Cursor(), -1)


class Resume:
    """Where the next reading of a file should start: at its last exchange, which may still grow.

    Sub-agents' exchanges are passed by: theirs may still be open when their parent's last one begins.
    """

    def __init__(self, start: Cursor, last_seq: int) -> None:
        self.cursor = start
        self._before = last_seq
        self._seqs: list[tuple[int, int]] = []

    def pass_by(self, exchange: Exchange, seq: int) -> None:
        """Note one exchange and its sequence number."""
        if exchange.offset is None:
            return
        self._seqs.append((exchange.offset, seq))
        if not exchange.sidechain:
            self.cursor = Cursor(exchange.offset, exchange.first_line or 1)

    @property
    def last_seq(self) -> int:
        """The highest sequence number before the cursor: what is read again after it gets its number again."""
        return max((seq for offset, seq in self._seqs if offset < self.cursor.offset), default=self._before)


def head_hash(path: Path, limit: int) -> str:
    """SHA-256 of the first ``min(HEAD, limit)`` bytes: bytes before the cursor, which growing does not change."""
    with path.open("rb") as stream:
        return hashlib.sha256(stream.read(min(HEAD, limit))).hexdigest()


def entry_of(
    seen: Look,
    reader: Format,
    tally: Tally,
    resume: Resume | None,
    session: SessionId | None = None,
    error: str | None = None,
) -> LedgerEntry:
    """How far a file was read, and what of it; or, with an ``error``, why it could not be (it is tried again)."""
    cursor = resume.cursor if resume else Cursor()
    return LedgerEntry(
        path=str(seen.path),
        format=reader.name,
        size=seen.size,
        mtime_ns=seen.mtime_ns,
        inode=seen.inode,
        head_hash=head_hash(seen.path, cursor.offset),
        cursor=cursor,
        session=session,
        last_seq=resume.last_seq if resume else -1,
        used=dict(tally.used),
        skipped=dict(tally.skipped),
        error=error,
    )
