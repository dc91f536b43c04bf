"""Transcripts written by the test, the store they are read into, and short ways to what it holds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.formats.claude_records import reply, user

from memory_fabric.ingest.extract import extractors
from memory_fabric.ingest.formats import format_named, formats
from memory_fabric.ingest.pipeline import Seams, ingest
from memory_fabric.ingest.report import IngestReport
from memory_fabric.lexicon import load
from memory_fabric.model.memory import Memory
from memory_fabric.model.query import Scope
from memory_fabric.model.transcript import Role, Turn
from memory_fabric.ports import Batch, LedgerEntry, Saved
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.text import split_exchange

S1 = "11111111-1111-4111-8111-111111111111"
S2 = "00000000-2222-4222-8222-222222222222"
"""Sorts before ``S1``, though it begins later."""

LEXICON = load()


def uid(number: int) -> str:
    """A record's uuid."""
    return f"{number:08x}-0000-4000-8000-000000000000"


def exchange(number: int, prompt: str, answer: str, **more: Any) -> list[dict[str, Any]]:
    """A prompt and its answer, half a minute after the exchange before it; the hour has room for 120."""
    asked, answered = uid(2 * number), uid(2 * number + 1)
    before = uid(2 * number - 1) if number else None
    return [
        user(asked, prompt, before, 30 * number, **more),
        reply(answered, answer, asked, 30 * number + 5, **more),
    ]


def exchanges(count: int, first: int = 0, **more: Any) -> list[dict[str, Any]]:
    """That many exchanges, with a word of its own in each: ``word0``, ``word1``, …"""
    numbers = range(first, first + count)
    return [record for n in numbers for record in exchange(n, f"Ask word{n}", f"Tell word{n}", **more)]


def lines(records: Iterable[Any]) -> bytes:
    """Records as they lie in a file; bytes and texts as they are."""
    return b"".join(record if isinstance(record, bytes) else json.dumps(record).encode() + b"\n" for record in records)


def turn(role: Role, text: str, record: str, **more: Any) -> Turn:
    """A turn of the session ``s`` unless said otherwise."""
    return Turn(role, text, more.pop("session", "s"), record, **more)


class FailingStore(SqliteStore):
    """A store whose saves fail from the chosen one on, as when the disk is full."""

    fails_at: int = 0
    saves: int = 0
    failure: Callable[[], Exception]

    def save(self, batch: Batch) -> Saved:
        """Fails before anything is written."""
        self.saves += 1
        if self.fails_at and self.saves >= self.fails_at:
            raise self.failure()
        return super().save(batch)


class World:
    """A folder of transcripts beside a store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "transcripts"
        self.folder.mkdir()
        self.database = folder / "memory" / "memory.db"
        self.store = FailingStore.open(self.database)

    def close(self) -> None:
        """Releases the store."""
        self.store.close()

    def write(self, name: str, records: Iterable[Any]) -> Path:
        """A transcript, in place of the one of that name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lines(records))
        return path

    def append(self, name: str, records: Iterable[Any]) -> Path:
        """Lets a transcript grow."""
        path = self.folder / name
        with path.open("ab") as stream:
            stream.write(lines(records))
        return path

    def ingest(self, *paths: Path, only: str | None = None, dry_run: bool = False, **seams: Any) -> IngestReport:
        """Reads the given files, or the whole folder."""
        chosen = Seams(self.store, formats(), extractors(LEXICON), **seams)
        return ingest(paths or [self.folder], chosen, only=format_named(only) if only else None, dry_run=dry_run)

    def memories(self) -> list[Memory]:
        """Everything kept, by time."""
        return sorted(self.store.recent(Scope(), 100_000), key=lambda memory: (str(memory.at), memory.id))

    def prompts(self) -> list[str]:
        """What users said, by time."""
        return [split_exchange(memory.text)[0] for memory in self.memories()]

    def owners(self) -> dict[str, str]:
        """Prompt → session."""
        return {split_exchange(memory.text)[0]: memory.origin.session for memory in self.memories()}

    def everything(self) -> list[str]:
        """The whole store, in an order that does not depend on how it was filled."""
        return sorted(json.dumps(row, sort_keys=True, default=str) for row in self.store.dump())

    def kept(self) -> list[str]:
        """The memories, entities and relations, wherever their files lie."""
        rows = [row for row in self.store.dump() if row["type"] in {"memory", "entity", "relation", "session"}]
        texts = [json.dumps({**row, "digest": "", "recorded_at": ""}, sort_keys=True, default=str) for row in rows]
        return sorted(text.replace(str(self.folder), "") for text in texts)

    def entry(self, name: str) -> LedgerEntry:
        """How far a transcript has been read."""
        found = self.store.entry(str((self.folder / name).resolve()))
        assert found is not None
        return found
