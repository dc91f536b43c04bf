"""The suite ``commits``: which session made this commit?  Queries are commit subjects, gold is the commit's trailer.

Shapes: ``commit-to-session`` of the evaluation data.  ``DIR`` holds one ``queries_*.json`` ({commit, date, query,
gold_sessions, verbatim_in_text}) and ``sessions.json`` or ``sessions.json.gz`` ({session_id, file, first_timestamp,
last_timestamp}); the transcripts lie in a folder of their own.  Only the subject is asked, never the file names; the
suite ``commits-dated`` says the commit's date beside it, as whoever looks for the session of a commit would.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from memory_fabric.clock import parse_instant
from memory_fabric.errors import UsageError
from memory_fabric.model.memory import Memory

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Question:
    """One commit."""

    id: str
    text: str
    gold: frozenset[str]
    verbatim: bool
    """The subject stands word for word in the gold session's text."""
    around: datetime | None = None
    """The commit's date, where it is asked with."""

    @property
    def categories(self) -> tuple[str, ...]:
        """``not_verbatim`` for all but those: the figure without them is given too."""
        return () if self.verbatim else ("not_verbatim",)

    @property
    def group(self) -> str:
        """Empty: every commit stands for itself."""
        return ""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One file of the corpus: the item that is ranked."""

    id: str
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, slots=True)
class Commits:
    """The suite's data."""

    questions: tuple[Question, ...]
    transcripts: Mapping[str, tuple[Transcript, ...]]
    """Session as its records name it → the files it lies in: a session continued on another day has two."""
    left_out: int = 0
    """Questions without gold."""

    def ranking(self, memories: Iterable[Memory]) -> list[str]:
        """Files in the order in which their first memory was found, each once.

        A memory of a session with several files stands in each whose time includes it: the later file repeats the
        earlier one's records.
        """
        ranked: dict[str, None] = {}
        for memory in memories:
            own = Path(memory.origin.file or "").stem
            files = self.transcripts.get(_session_key(own), ())
            including = [each.id for each in files if _includes(each, memory.at)] if len(files) > 1 else []
            ranked.update(dict.fromkeys(sorted(including, key=lambda id_: id_ != own) or [own]))
        return list(ranked)


def _includes(file: Transcript, at: datetime | None) -> bool:
    return at is not None and file.first is not None and file.last is not None and file.first <= at <= file.last


def _session_key(stem: str) -> str:
    """The session's UUID: files are named by it, with a date before it where there are several."""
    return stem[-36:]


def read_commits(data: Path, transcripts: Path | None = None, *, dated: bool = False) -> Commits:
    """The suite's data from its folder; the list of sessions may lie beside the transcripts instead.

    Questions without gold are left out and counted.  ``dated`` ones carry their commit's date, which each must have.

    Raises:
        UsageError: a file is missing, is there twice, or is not of the documented shape; there is no question, or one
            is there twice.
    """
    queries = sorted(data.glob("queries_*.json"))
    if len(queries) != 1:
        raise UsageError(f"{data}: {len(queries)} files match queries_*.json", "give a folder that holds exactly one")
    read = _shaped(queries[0], lambda path: tuple(_question(row, dated) for row in json.loads(path.read_bytes())))
    questions = tuple(each for each in read if each.gold)
    if not questions:
        raise UsageError(f"{queries[0]}: it holds no question", "see docs/commands.md")
    twice = next((id_ for id_, count in Counter(each.id for each in questions).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"{queries[0]}: the commit {twice} is there twice", "leave one out")
    sessions = _shaped(_sessions(data, transcripts or data), lambda path: _transcripts(_rows(path)))
    return Commits(questions, sessions, len(read) - len(questions))


def _shaped(path: Path, read: Callable[[Path], T]) -> T:
    """What ``read`` makes of a file, or a ``UsageError`` that names it."""
    try:
        return read(path)
    except (KeyError, TypeError, ValueError, OSError, EOFError, zlib.error) as error:
        raise UsageError(f"{path}: not of the shape of this suite: {error!r}", "see docs/commands.md") from error


def _question(row: Mapping[str, object], dated: bool) -> Question:
    id_, text, gold = row["commit"], row["query"], row["gold_sessions"]
    if not (isinstance(id_, str) and isinstance(text, str) and isinstance(gold, list)):
        raise TypeError(f"{row!r:.200}")
    around = parse_instant(row["date"]) if dated else None
    if dated and around is None:
        raise ValueError(f"the date of the commit {id_}: {row['date']!r:.200}")
    return Question(id_, text, frozenset(map(str, gold)), bool(row.get("verbatim_in_text")), around)


def _sessions(*folders: Path) -> Path:
    names = ("sessions.json", "sessions.json.gz")
    found = next((path for folder in folders for name in names if (path := folder / name).exists()), None)
    if found is None:
        raise UsageError(
            f"{folders[0]}: no sessions.json or sessions.json.gz", "unpack the set's files into this folder"
        )
    return found


def _rows(path: Path) -> Sequence[Mapping[str, str]]:
    content = path.read_bytes()
    return list(json.loads(gzip.decompress(content) if path.suffix == ".gz" else content))


def _transcripts(rows: Sequence[Mapping[str, str]]) -> dict[str, tuple[Transcript, ...]]:
    grouped: dict[str, tuple[Transcript, ...]] = {}
    for row in rows:
        file = Transcript(
            row["session_id"], parse_instant(row.get("first_timestamp")), parse_instant(row.get("last_timestamp"))
        )
        key = _session_key(file.id)
        grouped[key] = (*grouped.get(key, ()), file)
    return grouped
