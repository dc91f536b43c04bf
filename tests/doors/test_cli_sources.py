"""``sources`` from end to end, and ``search`` with a memory elsewhere."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from tests.doors.conftest import Call

PEER = Path(__file__).parents[1] / "federation" / "peer.py"
REDIS = {"name": "Redis", "entityType": "technology", "observations": ["Sessions live in its cache", "Port 6379"]}


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """A server that knows of Redis."""
    path = tmp_path / "graph.json"
    path.write_text(json.dumps({"entities": [REDIS], "relations": []}), encoding="utf-8")
    return [sys.executable, "-I", str(PEER), str(path)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "memory" / "sources.json"


def test_none_is_configured_at_first(call: Call, file: Path) -> None:
    ended = call("sources", "list")
    assert (ended.code, ended.out) == (1, "")
    assert str(file) in ended.err
    assert call("sources", "list", "--json").data == {"file": str(file), "sources": []}
    assert not file.exists()


def test_one_is_added_listed_and_removed(call: Call, command: list[str], file: Path) -> None:
    added = call("sources", "add", "notes", "--env", "MEMORY_FILE_PATH", "--deadline", "2.5", "--push", "--", *command)
    assert added.code == 0
    assert "memory-fabric sources test notes" in added.out
    data = call("sources", "list", "--json").data
    assert [entry["name"] for entry in data["sources"]] == ["notes"]
    assert data["sources"][0]["command"] == command
    assert data["sources"][0]["env"] == ["MEMORY_FILE_PATH"]
    shown = call("sources", "list").out
    assert shown.startswith("notes  mcp  ")
    assert "(2.5 s, pushed to)" in shown
    assert call("sources", "remove", "notes").code == 0
    assert call("sources", "list", "--json").data["sources"] == []
    assert file.exists()


def test_mem0_and_addresses_are_sources_too(call: Call) -> None:
    assert call("sources", "add", "team", "--url", "https://memory.example/mcp", "--token-env", "TEAM_TOKEN").code == 0
    assert call("sources", "add", "cloud", "--type", "mem0", "--user-id", "me", "--graph", "--disabled").code == 0
    assert call("sources", "add", "local", "--type", "mem0_library").code == 0
    entries = call("sources", "list", "--json").data["sources"]
    assert [(entry["name"], entry["type"], entry["enabled"]) for entry in entries] == [
        ("team", "mcp", True),
        ("cloud", "mem0", False),
        ("local", "mem0_library", True),
    ]
    assert "not asked" in call("sources", "list").out


@pytest.mark.parametrize(
    "words",
    [
        ["x", "--url", "https://memory.example/mcp", "--token-env", "sk-ant-api03-" + "A" * 40],
        ["x", "--", "server", "--token", "ghp_" + "a" * 36],
        ["x", "--", "server", "--api-key=sk-ant-api03-" + "A" * 40],
        ["x", "--url", "https://me:hunter2hunter2@memory.example/mcp"],
        ["x", "--type", "mem0", "--user-id", "ghp_" + "a" * 36],
    ],
)
def test_a_secret_is_refused_not_repeated_and_told_where_to_go(call: Call, file: Path, words: list[str]) -> None:
    """C-110: secrets only in the environment or the OS keyring."""
    ended = call("sources", "add", *words, "--json") if "--" not in words else call("--json", "sources", "add", *words)
    assert ended.code == 2
    for secret in ("AAAA", "aaaa", "hunter2"):
        assert secret not in ended.out + ended.err
    assert not file.exists()
    shown = ended.data["error"] if ended.out else {"hint": ended.err}
    assert "variable" in shown["hint"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["text", "--", "x"], "our own sources"),
        (["x"], "command or an address"),
        (["x", "--url", "gopher://y"], "http"),
        (["x", "--type", "mem0", "--url", "https://y"], "--url means nothing for type mem0"),
        (["x", "--type", "redis", "--", "y"], "redis"),
        (["x", "--deadline", "0", "--", "y"], "deadline"),
    ],
)
def test_what_cannot_be_meant_is_the_users_mistake(call: Call, file: Path, words: list[str], said: str) -> None:
    ended = call("sources", "add", *words)
    assert ended.code == 2
    assert said in ended.err
    assert not file.exists()


def test_a_test_shows_what_it_is_and_what_it_answers(call: Call, command: list[str]) -> None:
    call("sources", "add", "notes", "--deadline", "60", "--", *command)
    ended = call("sources", "test", "notes", "which port has redis")
    assert ended.code == 0
    assert ended.out.startswith("notes: peer 7\n")
    for said in ("connected", "1 hit for “which port has redis”", "search_nodes", "1.00  Redis. Sessions live in"):
        assert said in ended.out
    data = call("sources", "test", "notes", "redis", "--json").data
    assert data["product"] == "peer 7"
    assert data["tools"] == ["open_nodes", "read_graph", "search_nodes"]
    assert [hit["id"] for hit in data["hits"]] == ["mcp:notes:Redis"]
    assert data["seconds"]["connect"] > 0


def test_a_test_of_one_that_is_down_is_not_available(call: Call) -> None:
    """Exit code 3."""
    call("sources", "add", "notes", "--", "/nowhere/at-all")
    ended = call("sources", "test", "notes", "--json")
    assert ended.code == 3
    assert ended.data["error"]["code"] == "source_unavailable"
    assert "notes: /nowhere/at-all" in ended.data["error"]["message"]
    assert call("sources", "test", "others").code == 2


def test_a_broken_file_is_a_mistake_that_names_it(call: Call, file: Path) -> None:
    file.parent.mkdir()
    file.write_text("[{]", encoding="utf-8")
    for words in (["list"], ["add", "x", "--", "y"], ["remove", "x"], ["test", "x"]):
        ended = call("sources", *words)
        assert ended.code == 2
        assert str(file) in ended.err
    assert file.read_text(encoding="utf-8") == "[{]"


def test_search_shows_what_is_kept_elsewhere(call: Call, command: list[str]) -> None:
    """F-NORM-2, F-RES-3, and the origin for people."""
    call("remember", "The invoice form was renamed", "--global")
    call("sources", "add", "notes", "--deadline", "60", "--", *command)
    call("sources", "add", "gone", "--", "/nowhere/at-all")
    ended = call("search", "which port has the redis cache", "--json")
    data = ended.data
    assert ended.code == 0
    first = data["results"][0]
    assert (first["id"], first["source"], first["origin"]["source"]) == ("mcp:notes:Redis", "notes", "notes")
    assert first["metadata"]["entityType"] == "technology"
    assert data["sources"]["notes"] == 1
    assert data["degraded"] is True
    assert [outage["source"] for outage in data["outages"]] == ["gone"]
    shown = call("search", "which port has the redis cache")
    assert "source  notes" in shown.out
    assert "gone did not answer: /nowhere/at-all is not there" in shown.err
