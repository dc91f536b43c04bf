"""A store in a folder of its own, and short batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite import SqliteStore

AT = datetime(2026, 3, 1, tzinfo=UTC)

MakeBatch = Callable[..., Batch]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "memory.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(path) as opened:
        yield opened


@pytest.fixture
def batch() -> MakeBatch:
    def make(*ids: str, text: str = "fix the date parser") -> Batch:
        return Batch(
            records=tuple(
                Record(
                    Memory(MemoryId(key), f"{text} {key}", MemoryKind.NOTE, None, AT, Origin("note", SessionId("s1"))),
                    number,
                )
                for number, key in enumerate(ids)
            )
        )

    return make
