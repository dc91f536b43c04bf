"""A memory of its own for every test, and servers on it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mcp.talking import Client, Raw, beside, raw


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a memory that is not there yet."""
    return tmp_path / "memory"


@pytest.fixture
def client(home: Path) -> Iterator[Client]:
    """The official client, connected to a server in this process on an empty memory."""
    with beside(home) as connection:
        yield connection


@pytest.fixture
def wire(home: Path) -> Iterator[Raw]:
    """A server that was told nothing yet."""
    with raw(home) as process:
        yield process
