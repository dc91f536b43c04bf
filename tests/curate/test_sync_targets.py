"""What arrives, at the official memory server from npm and in mem0's library (F-SRC-8, F-MEM0-1, F-MEM0-4)."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.curate.shelf import START, Clock, batch, decided, entity, exchange, note

from memory_fabric.clock import Deadline
from memory_fabric.curate.sync import Synced, sync
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import SourceError
from memory_fabric.ingest.redact import redact_value
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.nodes import Link, Node
from memory_fabric.ports import Claimed, Parcel
from memory_fabric.sources.configured import McpServer
from memory_fabric.sources.mcp.memory import McpMemory
from memory_fabric.sources.mcp.target import McpTarget
from memory_fabric.sources.mem0.backend import Who
from memory_fabric.sources.mem0.library import LibraryMem0
from memory_fabric.sources.mem0.shape import Users
from memory_fabric.sources.mem0.target import Mem0Target, user_of
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.text import text_hash

OFFICIAL = Path(__file__).parents[1] / "peers/node_modules/@modelcontextprotocol/server-memory/dist/index.js"
KEY = "sk-ant-api03-" + 40 * "A"
LONG = Deadline.after(600.0)
LENGTHY = "we decided to keep every price as an integer number of cents because floats lost money in two audits already"

needs_official = pytest.mark.skipif(
    shutil.which("node") is None or not OFFICIAL.exists(), reason="needs Node.js and tests/peers/node_modules"
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(tmp_path / "memory" / "memory.db") as opened:
        opened.save(
            batch(
                exchange("m1", decided("we chose Redis over Memcached", "Redis")),
                exchange("m2", decided(LENGTHY), day=1),
                note("n1", "Redis is for sessions", "Redis", day=2, project="p_shop", category="pattern"),
                note("n2", f"never paste {KEY}", day=3, category="constraint"),
                entities=(entity("Redis"),),
            )
        )
        opened.observe(MemoryId("n1"), ["Redis"], "Redis is for sessions", START)
        opened.create_nodes([Node("build", "topic", ("uses pnpm",))], START)
        opened.create_links([Link("build", "runs_in", "ci")], START)
        yield opened


def run(store: SqliteStore, target: McpTarget | Mem0Target, **more: Any) -> Synced:
    return sync(store, [target], redact_value, Clock(), **more)


# ── the official memory server ───────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "official.jsonl"


@pytest.fixture
def official(file: Path) -> Iterator[McpTarget]:
    entry = McpServer(name="official", command=("node", str(OFFICIAL)), env=("MEMORY_FILE_PATH",), push=True)
    environment = {"PATH": str(Path(shutil.which("node") or "").parent), "MEMORY_FILE_PATH": str(file)}
    target = McpTarget("official", McpMemory(entry, environment, redact_value).connection, 30.0)
    yield target
    target.close()


def graph(file: Path) -> tuple[dict[str, dict[str, Any]], set[tuple[str, str, str]]]:
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    entities = {row["name"]: row for row in rows if row["type"] == "entity"}
    assert len(entities) == sum(row["type"] == "entity" for row in rows), "every entity once"
    relations = [(row["from"], row["relationType"], row["to"]) for row in rows if row["type"] == "relation"]
    assert len(relations) == len(set(relations)), "every relation once"
    return entities, set(relations)


@needs_official
def test_the_official_server_keeps_it_as_a_graph(store: SqliteStore, official: McpTarget, file: Path) -> None:
    """Entities, observations, relations; decisions and notes as entities of their own (formats.md §10)."""
    assert run(store, official).complete
    entities, relations = graph(file)
    title = next(name for name in entities if name.startswith("we decided to keep every price"))
    assert set(entities) == {
        "Redis",
        "build",
        "we chose Redis over Memcached",
        title,
        "never paste [redacted:anthropic-key]",
    }
    assert entities["Redis"]["observations"] == ["Redis is for sessions"]
    assert entities["build"] == {
        "type": "entity",
        "name": "build",
        "entityType": "topic",
        "observations": ["uses pnpm"],
    }
    assert entities["we chose Redis over Memcached"]["entityType"] == "decision"
    assert entities[title]["observations"] == [LENGTHY, "said on 2026-03-02 in Shop"]
    assert len(title) <= 92
    assert relations == {("build", "runs_in", "ci"), ("we chose Redis over Memcached", "about", "Redis")}
    assert "sk-ant" not in file.read_text(encoding="utf-8")


@needs_official
def test_pushing_again_changes_nothing_there(store: SqliteStore, official: McpTarget, file: Path) -> None:
    """Idempotent, also without our own record of it: another machine, a restored backup, a killed run."""
    run(store, official)
    first = file.read_text(encoding="utf-8")
    assert run(store, official, force=True).complete
    assert file.read_text(encoding="utf-8") == first


@needs_official
def test_what_is_there_stays_and_gets_what_is_new(store: SqliteStore, official: McpTarget, file: Path) -> None:
    """Nothing is overwritten: the type and the words that somebody else gave stand (newest wins, nothing is lost)."""
    theirs = {"type": "entity", "name": "Redis", "entityType": "database", "observations": ["their own words"]}
    file.write_text(json.dumps(theirs) + "\n", encoding="utf-8")
    run(store, official)
    entities, _ = graph(file)
    assert entities["Redis"]["entityType"] == "database"
    assert entities["Redis"]["observations"] == ["their own words", "Redis is for sessions"]


@needs_official
def test_what_the_official_server_refuses_is_that_parcel_alone(official: McpTarget) -> None:
    """C-154: an observation of an entity that is not there is refused in its own words; the next one gets through."""
    lost = Parcel("official", "observation:x", "observation", {"entity": "nowhere", "text": "x"})
    with pytest.raises(SourceError, match=r"official: add_observations was refused: .*nowhere not found") as raised:
        official.push(Claimed(1, lost, 0))
    assert type(raised.value) is SourceError
    node = Parcel("official", "node:x", "node", {"name": "x", "entityType": "y"})
    assert official.push(Claimed(2, node, 0)) == "x"


# ── a memory of our own kind ─────────────────────────────────────────────────────────────────────────────────────────


def test_another_memory_fabric_takes_it_too(store: SqliteStore, tmp_path: Path) -> None:
    """Over its own MCP server; a long note goes in observations that every memory server takes (F-HOOK-15)."""
    long = "\n\n".join(f"{place}. " + "a rule about releases " * 20 for place in range(4))
    store.save(batch(note("n3", long.strip(), day=4, category="workflow")))
    home = tmp_path / "theirs"
    program = "from memory_fabric.doors.cli import main; main()"
    entry = McpServer(
        name="theirs",
        command=(sys.executable, "-c", program, "mcp"),
        env=("MEMORY_FABRIC_HOME", "MEMORY_FABRIC_EMBEDDER"),
    )
    environment = {"PATH": "", "MEMORY_FABRIC_HOME": str(home), "MEMORY_FABRIC_EMBEDDER": "none"}
    target = McpTarget("theirs", McpMemory(entry, environment, redact_value).connection, 60.0)
    try:
        done = run(store, target)
        assert done.complete, done.targets
        assert run(store, target, force=True).complete
    finally:
        target.close()
    with SqliteStore.open(home / "memory.db") as theirs:
        nodes = {node.name: node for node in theirs.written_nodes()}
        assert nodes["Redis"].observations == ("Redis is for sessions",)
        assert nodes["we chose Redis over Memcached"].type == "decision"
        (title,) = (name for name in nodes if name.startswith("0. a rule"))
        assert max(map(len, nodes[title].observations)) <= 1000
        known = store.pushed("theirs", [text_hash(text) for text in nodes[title].observations[:-1]])
        assert len(known) == len(nodes[title].observations) - 1 > 1, "each piece is known when it comes back"


# ── mem0's library ───────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def library(tmp_path: Path) -> LibraryMem0:
    if importlib.util.find_spec("mem0") is None:
        pytest.skip("needs the extra mem0")
    return LibraryMem0("work", tmp_path / "mem0", HashedEmbedder())


@pytest.fixture
def mem0(library: LibraryMem0) -> Mem0Target:
    return Mem0Target("work", library, Users(), 60.0)


def kept(library: LibraryMem0, user: str) -> dict[str, dict[str, Any]]:
    items = library.listed(Who((user,)), 100, LONG)
    assert len({item["memory"] for item in items}) == len(items), "every text once"
    return {str(item["memory"]): dict(item["metadata"]) for item in items}


def test_mem0_keeps_texts_under_the_scope_ids(store: SqliteStore, library: LibraryMem0, mem0: Mem0Target) -> None:
    """F-SRC-8, F-MEM0-4: whose they are, what is known of them, no secret."""
    assert run(store, mem0).complete
    decisions = kept(library, "shop-decisions")
    assert set(decisions) == {"we chose Redis over Memcached", LENGTHY}
    about = decisions["we chose Redis over Memcached"]
    assert about["memory_id"] == "m1"
    assert about["project_id"] == "p_shop"
    assert (about["source"], about["category"], about["confidence"]) == ("user", "database", 0.8)
    assert about["timestamp"] == "2026-03-01T12:00:00+00:00"
    assert set(kept(library, "shop-patterns")) == {"Redis is for sessions"}
    assert set(kept(library, "orchestkit-global-decisions")) == {
        "never paste [redacted:anthropic-key]",
        "build: uses pnpm",
        "build runs in ci",
    }


def test_pushing_to_mem0_again_adds_nothing(store: SqliteStore, library: LibraryMem0, mem0: Mem0Target) -> None:
    """Idempotent by our own key, also without our own record of it."""
    run(store, mem0)
    first = kept(library, "shop-decisions")
    assert run(store, mem0, force=True).complete
    assert kept(library, "shop-decisions") == first


@pytest.mark.parametrize(
    ("later", "text"), [(timedelta(0), "as we know it"), (timedelta(seconds=1), "as they know it")]
)
def test_the_newest_wins(library: LibraryMem0, mem0: Mem0Target, later: timedelta, text: str) -> None:
    """memorySyncConfig ``newest_wins``: what was said later under the same key stands."""

    def parcel(words: str, at: datetime) -> Claimed:
        payload = {"text": words, "timestamp": at.isoformat(), "project": "Shop", "kind": "note"}
        return Claimed(1, Parcel("work", "note:n1", "memory", payload), 0)

    first = mem0.push(parcel("as they know it", START + later))
    assert mem0.push(parcel("as we know it", START)) == first
    assert set(kept(library, "shop-decisions")) == {text}


@pytest.mark.parametrize(
    ("payload", "user"),
    [
        ({"project": "Web Shop!", "kind": "decision", "category": "database"}, "web-shop-decisions"),
        ({"project": "Shop", "category": "pattern"}, "shop-patterns"),
        ({"project": "Shop", "category": "preference"}, "shop-best-practices"),
        ({"project": "Shop", "category": "api", "outcome": "failed"}, "shop-best-practices"),
        ({"project": "Shop", "category": "api", "agent": "database-engineer"}, "shop-agents"),
        ({"project": None, "category": "api"}, "orchestkit-global-decisions"),
        ({"project": None, "category": "pattern"}, "orchestkit-global-best-practices"),
        ({"project": None, "category": "api", "agent": "database-engineer"}, "orchestkit-global-decisions"),
        ({"from": "a", "to": "b", "relationType": "uses"}, "orchestkit-global-decisions"),
    ],
)
def test_whose_it_is(payload: dict[str, Any], user: str) -> None:
    """F-SRC-8, F-SRC-9."""
    assert user_of(Users(), payload) == user


def test_an_entry_may_name_whose_it_is() -> None:
    assert user_of(replace(Users(), templates=("me",)), {"project": "Shop", "category": "pattern"}) == "me"
