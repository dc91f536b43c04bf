"""One lexicon for all tests of this directory, and an empty store for each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.search.builders import NOW

from memory_fabric import lexicon as lexicons
from memory_fabric.lexicon import Lexicon
from memory_fabric.store.sqlite import SqliteStore


@pytest.fixture(scope="session")
def lexicon() -> Lexicon:
    return lexicons.load()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "memory.db", now=lambda: NOW)
    yield opened
    opened.close()
