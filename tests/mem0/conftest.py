"""A platform of the test's own, and mem0 in both of its forms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.mem0.server import KEY, Platform, running

from memory_fabric import lexicon
from memory_fabric.clock import Deadline
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.ingest.redact import redact_value
from memory_fabric.model.memory import ProjectId
from memory_fabric.sources.mem0 import Mem0Source, Seams
from memory_fabric.sources.mem0_cloud import CloudMem0
from memory_fabric.sources.mem0_http import Access, Transport
from memory_fabric.sources.mem0_library import LibraryMem0
from memory_fabric.sources.mem0_memory import Mem0Memory

PROJECTS = ((ProjectId("p-shop"), "Shop"), (ProjectId("p-blog"), "Blog"))
LONG = Deadline.after(600.0)

_words = lexicon.load()


def names(text: str) -> list[str]:
    return list(dict.fromkeys(found.name for found in _words.spot(text)))


SEAMS = Seams(redact_value, names, lambda: PROJECTS)

Pauses = list[float]


@pytest.fixture
def platform(monkeypatch: pytest.MonkeyPatch) -> Iterator[Platform]:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with running() as found:
        yield found


@pytest.fixture
def pauses() -> Pauses:
    """What was waited between attempts, without waiting."""
    return []


@pytest.fixture
def cloud(platform: Platform, pauses: Pauses) -> Iterator[CloudMem0]:
    backend = CloudMem0(Transport("mem0", Access(KEY, platform.url), pauses.append))
    yield backend
    backend.close()


@pytest.fixture
def library(tmp_path: Path) -> LibraryMem0:
    return LibraryMem0("mem0", tmp_path / "mem0", HashedEmbedder())


@pytest.fixture
def source(cloud: CloudMem0) -> Mem0Source:
    return Mem0Source("mem0", cloud, SEAMS)


@pytest.fixture
def memory(source: Mem0Source) -> Mem0Memory:
    return source.memory()


Say = Callable[..., Any]
