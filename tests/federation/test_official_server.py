"""The real memory server of the MCP project, from npm, started by the test."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from tests.federation.conftest import AGES, Outside, ask, names

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceUnavailable
from memory_fabric.sources.mcp.memory import McpMemory

SERVER = Path(__file__).resolve().parents[1] / "peers/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
NODE = shutil.which("node")
pytestmark = [
    pytest.mark.skipif(NODE is None, reason="Node.js is not installed"),
    pytest.mark.skipif(not SERVER.exists(), reason="npm peers are not installed: scripts/test does it"),
]

NOTES = [
    {"type": "entity", "name": "Orders database", "entityType": "decision",
     "observations": ["We chose Postgres over MySQL because of transactional DDL"]},
    {"type": "entity", "name": "cursor pagination", "entityType": "pattern",
     "observations": ["Pages stay stable while rows arrive", "Replaces offset pagination"]},
    {"type": "entity", "name": "Grüße 世界", "entityType": "note", "observations": ["Unicode is kept: ✓"]},
    {"type": "relation", "from": "cursor pagination", "to": "Orders database", "relationType": "used_by"},
]  # fmt: skip


@pytest.fixture
def official(tmp_path: Path, outside: Outside) -> tuple[McpMemory, Path]:
    file = tmp_path / "memory.jsonl"
    file.write_text("\n".join(map(json.dumps, NOTES)), encoding="utf-8")
    environment = {**os.environ, "MEMORY_FILE_PATH": str(file)}
    return outside([str(NODE), str(SERVER)], environment, env=("MEMORY_FILE_PATH",)), file


def test_a_question_of_several_words_finds_its_node(official: tuple[McpMemory, Path]) -> None:
    """Its own search finds nothing for two words that do not stand together."""
    source, _ = official
    found = ask(source, "why did we choose Postgres for transactional orders")
    assert names(found)[0] == "Orders database"
    assert found.hits[0].memory.text == "Orders database. We chose Postgres over MySQL because of transactional DDL"


def test_relations_come_with_the_node(official: tuple[McpMemory, Path]) -> None:
    source, _ = official
    (hit,) = [hit for hit in ask(source, "cursor pagination").hits if hit.memory.origin.record == "cursor pagination"]
    assert hit.raw == 1.0
    assert hit.memory.entities == ("cursor pagination", "Orders database")
    assert hit.memory.metadata["relations"] == [
        {"from": "cursor pagination", "to": "Orders database", "relationType": "used_by"}
    ]


def test_every_script_comes_as_it_is(official: tuple[McpMemory, Path]) -> None:
    source, _ = official
    (hit,) = ask(source, "世界").hits
    assert hit.memory.text == "Grüße 世界. Unicode is kept: ✓"


def test_it_says_what_it_is(official: tuple[McpMemory, Path]) -> None:
    source, _ = official
    probe = source.probe(Deadline.after(AGES))
    assert probe.product.startswith("memory-server ")
    assert len(probe.tools) == 9


def test_what_is_written_meanwhile_is_found(official: tuple[McpMemory, Path]) -> None:
    source, file = official
    assert ask(source, "kafka").hits == ()
    added = {"type": "entity", "name": "Kafka", "entityType": "technology", "observations": ["Carries the events"]}
    file.write_text("\n".join(map(json.dumps, [*NOTES, added])), encoding="utf-8")
    assert names(ask(source, "kafka")) == ["Kafka"]


def test_a_file_that_it_cannot_read_is_an_outage(official: tuple[McpMemory, Path]) -> None:
    """formats.md §10: truncated lines are seen in the wild; the server answers them with an error."""
    source, file = official
    file.write_text('{"type": "entity", "na', encoding="utf-8")
    with pytest.raises(SourceUnavailable, match="notes: search_nodes failed"):
        ask(source, "postgres")
