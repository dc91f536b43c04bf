"""Outside memories for the tests: small servers that are started for one test and end with it."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.search.builders import NOW, question

from memory_fabric.clock import Deadline
from memory_fabric.ingest.redact import redact_value
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found
from memory_fabric.sources.configured import McpServer
from memory_fabric.sources.mcp.memory import McpMemory
from memory_fabric.store.sqlite import SqliteStore

PEER = Path(__file__).with_name("peer.py")
AGES = 60.0
"""Seconds that no test waits for."""

REDIS: dict[str, Any] = {
    "name": "Redis",
    "entityType": "technology",
    "observations": ["We use it as a cache", "It listens on 6379"],
}
GATEWAY: dict[str, Any] = {
    "name": "payment gateway",
    "entityType": "service",
    "observations": ["It retries with backoff"],
}
USES = {"from": "payment gateway", "to": "Redis", "relationType": "uses"}
GRAPH: dict[str, list[dict[str, Any]]] = {"entities": [REDIS, GATEWAY], "relations": [USES]}


@dataclass
class Peer:
    """A server's graph, and how to reach it."""

    path: Path
    command: tuple[str, ...]

    @property
    def calls(self) -> list[dict[str, Any]]:
        """What it was asked so far."""
        log = self.path.with_suffix(".calls")
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    @property
    def pids(self) -> list[int]:
        """Processes that were started of it, with the fault ``pid``."""
        return [int(line) for line in self.path.with_suffix(".pids").read_text().split()]


MakePeer = Callable[..., Peer]
Outside = Callable[..., McpMemory]


@pytest.fixture
def peer(tmp_path: Path) -> MakePeer:
    """Makes a server of a graph, with faults."""

    def make(*faults: str, graph: Mapping[str, Any] = GRAPH, name: str = "graph") -> Peer:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(graph), encoding="utf-8")
        return Peer(path, (sys.executable, "-I", str(PEER), str(path), *faults))

    return make


@pytest.fixture
def outside() -> Iterator[Outside]:
    """Makes sources, and closes them after the test."""
    opened: list[McpMemory] = []

    def make(command: Sequence[str], environment: Mapping[str, str] | None = None, **more: Any) -> McpMemory:
        entry = McpServer(**{"name": "notes", "deadline": AGES, "command": tuple(command), **more})
        opened.append(McpMemory(entry, os.environ if environment is None else environment, redact_value))
        return opened[-1]

    yield make
    for source in opened:
        source.close()


def ask(source: McpMemory, text: str | Query, limit: int = 20, seconds: float = AGES) -> Found:
    asked = question(text) if isinstance(text, str) else text
    return source.find(asked, limit, Deadline.after(seconds))


def asked(text: str, *hints: str, **scope: Any) -> Query:
    made = question(text, hints=hints)
    return replace(made, scope=replace(made.scope, **scope))


def names(found: Found) -> list[str]:
    return [str(hit.memory.origin.record) for hit in found.hits]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore.open(tmp_path / "memory.db", now=lambda: NOW)
    yield opened
    opened.close()
