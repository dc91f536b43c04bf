"""A memory to write into: two projects that are folders, a frozen clock, no model unless one is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.app import Fabric
from memory_fabric.settings import Settings

OpenFabric = Callable[..., Fabric]


@pytest.fixture
def open_fabric(tmp_path: Path) -> Iterator[OpenFabric]:
    """Opens the memory of this test, with any settings; opened twice it is the same memory."""
    opened: list[Fabric] = []

    def open_one(home: str = "home", **chosen: Any) -> Fabric:
        opened.append(Fabric.open(Settings(**{"home": tmp_path / home, "embedder": "none", **chosen})))
        return opened[-1]

    yield open_one
    for fabric in opened:
        fabric.close()


@pytest.fixture
def fabric(open_fabric: OpenFabric) -> Fabric:
    return open_fabric()


@pytest.fixture
def shop(tmp_path: Path) -> str:
    """The folder of a project."""
    return _repository(tmp_path / "work" / "shop")


@pytest.fixture
def other(tmp_path: Path) -> str:
    """The folder of another project."""
    return _repository(tmp_path / "work" / "other")


def _repository(folder: Path) -> str:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    return str(folder)
