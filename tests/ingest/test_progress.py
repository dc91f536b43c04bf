"""How far a file has been read, and what has happened to it since."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from memory_fabric.ingest.formats import format_named
from memory_fabric.ingest.progress import HEAD, Look, Resume, head_hash, look
from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import Exchange
from memory_fabric.ports import Cursor, LedgerEntry

CURSOR = Cursor(6, 3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "a.jsonl"
    made.write_bytes(b"1\n2\n3\n4\n")
    return made


def entry_of(path: Path, error: str | None = None) -> LedgerEntry:
    stat = path.stat()
    head = hashlib.sha256(path.read_bytes()[: CURSOR.offset]).hexdigest()
    facts = (stat.st_size, stat.st_mtime_ns, stat.st_ino, head)
    return LedgerEntry(str(path), "claude_code", *facts, CURSOR, SessionId("s"), 41, error=error)


def test_a_file_that_was_never_read_is_read_from_the_start(path: Path) -> None:
    seen = look(path, None, None)
    assert (seen.status, seen.start, seen.last_seq, seen.size) == ("read", Cursor(), -1, 8)


def test_a_file_as_it_was_is_not_opened(path: Path) -> None:
    entry = entry_of(path)
    if os.name == "posix":
        path.chmod(0)
    assert look(path, entry, None).status == "unchanged"


def test_a_file_that_grew_is_read_from_its_cursor(path: Path) -> None:
    """F-ING-7."""
    entry = entry_of(path)
    path.open("ab").close()
    with path.open("ab") as stream:
        stream.write(b"5\n")
    seen = look(path, entry, None)
    assert (seen.status, seen.start, seen.last_seq) == ("grown", CURSOR, 41)


@pytest.mark.parametrize("content", [b"1\n2\n3\n", b"", b"x\n2\n3\n4\n5\n", b"1\n2\nx\n4\n5\n"])
def test_a_file_that_shrank_or_begins_otherwise_is_read_from_the_start(path: Path, content: bytes) -> None:
    """formats.md §0 rule 2."""
    entry = entry_of(path)
    path.write_bytes(content)
    assert look(path, entry, None).status == "read"


def test_a_change_behind_the_cursor_is_a_file_that_grew(path: Path) -> None:
    """What stands there is read again anyway."""
    entry = entry_of(path)
    path.write_bytes(b"1\n2\n3\nx\n5\n")
    assert look(path, entry, None).status == "grown"


def test_another_inode_is_read_from_the_start(path: Path, tmp_path: Path) -> None:
    entry = entry_of(path)
    other = tmp_path / "b"
    other.write_bytes(path.read_bytes() + b"5\n")
    other.replace(path)
    assert look(path, entry, None).status == "read"


def test_an_entry_with_an_error_or_of_another_format_is_read_from_the_start(path: Path) -> None:
    assert look(path, entry_of(path, error="damaged"), None).status == "read"
    assert look(path, entry_of(path), format_named("codex")).status == "read"
    assert look(path, entry_of(path), format_named("claude_code")).status == "unchanged"


def test_a_format_that_rewrites_its_files_is_read_from_the_start(path: Path) -> None:
    entry = entry_of(path)
    whole = LedgerEntry(entry.path, "gemini_cli", *(getattr(entry, n) for n in LedgerEntry.__slots__[2:]))
    with path.open("ab") as stream:
        stream.write(b"5\n")
    reader = format_named("gemini_cli")
    assert look(path, whole, reader).status == ("grown" if reader.appends else "read")


def test_a_file_that_is_gone_raises(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="gone"):
        look(tmp_path / "gone", None, None)


@pytest.mark.parametrize("limit", [0, 1, HEAD - 1, HEAD, HEAD + 1])
def test_the_head_is_of_the_bytes_before_the_cursor_up_to_four_kilobytes(tmp_path: Path, limit: int) -> None:
    """formats.md §0 rule 2: what follows the cursor may change."""
    assert HEAD == 4096
    path = tmp_path / "a"
    data = os.urandom(HEAD + 100)
    path.write_bytes(data)
    assert head_hash(path, limit) == hashlib.sha256(data[: min(limit, HEAD)]).hexdigest()


def at(offset: int | None, *, sidechain: bool = False) -> Exchange:
    return Exchange(SessionId("s"), f"r{offset}", "Q", "A", offset=offset, first_line=offset, sidechain=sidechain)


def test_reading_goes_on_at_the_last_exchange_with_the_number_before_it() -> None:
    resume = Resume(Cursor(), -1)
    assert (resume.cursor, resume.last_seq) == (Cursor(), -1)
    resume.pass_by(at(10), 7)
    assert (resume.cursor, resume.last_seq) == (Cursor(10, 10), -1)
    resume.pass_by(at(20), 8)
    assert (resume.cursor, resume.last_seq) == (Cursor(20, 20), 7)


def test_reading_that_went_on_and_found_nothing_stays_where_it_was() -> None:
    resume = Resume(CURSOR, 41)
    assert (resume.cursor, resume.last_seq) == (CURSOR, 41)
    resume.pass_by(at(CURSOR.offset), 42)
    assert resume.last_seq == 41


def test_a_sub_agents_exchange_neither_moves_the_cursor_nor_takes_a_number_behind_it() -> None:
    """What is read again after the cursor gets its number again, so that reading on changes nothing."""
    resume = Resume(Cursor(), -1)
    resume.pass_by(at(10), 7)
    resume.pass_by(at(25, sidechain=True), 8)
    assert resume.cursor == Cursor(10, 10)
    resume.pass_by(at(20), 9)
    assert (resume.cursor, resume.last_seq) == (Cursor(20, 20), 7)
    resume.pass_by(at(30), 10)
    assert resume.last_seq == 9


def test_an_exchange_without_a_place_in_the_file_moves_nothing() -> None:
    """Compressed files are always read whole."""
    resume = Resume(Cursor(), -1)
    resume.pass_by(at(None), 7)
    assert (resume.cursor, resume.last_seq) == (Cursor(), -1)


def test_a_look_is_a_value(path: Path) -> None:
    assert look(path, None, None) == look(path, None, None)
    assert isinstance(look(path, None, None), Look)
