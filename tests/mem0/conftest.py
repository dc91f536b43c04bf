"""A platform of the test's own, mem0 in both of its forms, and the program beside it."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.doors.conftest import call as call  # noqa: PLC0414 - a fixture
from tests.doors.conftest import sampled as sampled  # noqa: PLC0414 - a fixture
from tests.mem0.server import KEY, Platform, running

from memory_fabric import Fabric, Settings, lexicon
from memory_fabric.clock import Deadline
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.ingest.redact import redact_value
from memory_fabric.model.memory import ProjectId
from memory_fabric.sources.configured import Configured, Mem0Cloud, write
from memory_fabric.sources.mem0.cloud import CloudMem0
from memory_fabric.sources.mem0.http import Access, Transport
from memory_fabric.sources.mem0.library import LibraryMem0
from memory_fabric.sources.mem0.memory import Mem0Memory
from memory_fabric.sources.mem0.shape import slug
from memory_fabric.sources.mem0.source import Mem0Source, Seams

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


# ── the program ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def home(sampled: Path, tmp_path: Path, clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memory of the sample to change; a current folder without a project."""
    folder = tmp_path / "memory"
    shutil.copytree(sampled, folder)
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(folder))
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "none")
    monkeypatch.chdir(clean_environment)
    return folder


Configure = Callable[..., None]


@pytest.fixture
def configure(home: Path, platform: Platform) -> Configure:
    """Puts entries into the file of sources."""

    def put(*entries: Configured) -> None:
        write(home, list(entries) or [Mem0Cloud(name="mem0", host=platform.url)])

    return put


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEM0_API_KEY", KEY)


def user(home: Path) -> str:
    """A user id that a question from here sees."""
    with Fabric.open(Settings(home=home, embedder="none"), read_only=True) as fabric:
        return f"{slug(fabric.store.projects()[0].name)}-decisions"
