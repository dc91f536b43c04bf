"""Another Memory Fabric as a memory elsewhere, end to end: two data folders, our own server between them."""

from __future__ import annotations

import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from tests.federation.conftest import AGES

from memory_fabric import Fabric, Settings
from memory_fabric.model.nodes import Link, Node
from memory_fabric.model.query import Mode
from memory_fabric.sources.configured import McpServer, write
from memory_fabric.sources.trial import trial

ROOT = Path(__file__).resolve().parents[2]
RUN = "from memory_fabric.doors.cli import main; main()"


@pytest.fixture
def mine(tmp_path: Path) -> Settings:
    """A memory of ours that asks another one, which knows the ledger."""
    there = Settings(home=tmp_path / "there", embedder="none")
    with Fabric.open(there) as other:
        nodes = [Node("ledger", "service", ("It listens on port 7070", "It closes monthly")), Node("Envoy", "proxy")]
        other.knowledge.create_nodes(nodes)
        other.knowledge.create_links([Link("ledger", "depends_on", "Envoy")])
    home = tmp_path / "mine"
    command = (sys.executable, "-c", RUN, "--home", str(there.home), "mcp")
    write(home, [McpServer(name="other", command=command, deadline=AGES)])
    return Settings(home=home, embedder="none", deadline=AGES)


def test_a_question_is_answered_by_another_memory_fabric(mine: Settings) -> None:
    with Fabric.open(mine) as fabric:
        answer = fabric.search("which port does the ledger use")
        first = answer.results[0].candidate.memory
        assert first.id == "mcp:other:ledger"
        assert first.entities == ("ledger", "Envoy")
        assert first.text.startswith("ledger. It listens on port 7070")
        assert answer.outages == ()
        assert answer.counts["other"] >= 1
        assert fabric.search("which port does the ledger use", outside=False).results == ()
        assert fabric.search("which port does the ledger use", mode=Mode.TEXT).results == ()


def test_it_says_that_it_is_one(mine: Settings) -> None:
    from memory_fabric.sources.configured import read

    with Fabric.open(mine) as fabric:
        (entry,) = read(mine.home)
        tried = trial(entry, fabric.parsed("ledger"), fabric.surroundings)
    assert tried.probe.product.startswith("memory-fabric ")
    assert {"search_nodes", "open_nodes", "read_graph"} <= set(tried.probe.tools)
    assert [hit.raw for hit in tried.found.hits if hit.memory.origin.record == "ledger"] == [1.0]


def test_the_client_library_is_bound_to_its_major_version() -> None:
    """C-081: 2.0 had breaking changes; another one is taken up with its tests green."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "mcp>=2.3,<3" in project["dependencies"]
    assert version("mcp").startswith("2.")
