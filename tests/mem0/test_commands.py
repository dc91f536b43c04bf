"""The ``mem0`` commands, on its cloud and on its library (F-MEM0-6, F-MEM0-7)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.doors.conftest import Call, Called
from tests.mem0.conftest import Configure, user
from tests.mem0.server import KEY, Fault, Platform

from memory_fabric.sources.configured import McpServer, Mem0Library

pytestmark = pytest.mark.sockets

AWS = "AKIAZ7QK3WJ5XR2MVT4P"


@pytest.fixture(params=["cloud", "library"])
def mem0(
    request: pytest.FixtureRequest,
    call: Call,
    configure: Configure,
    platform: Platform,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., Called]]:
    """The ``mem0`` commands on either form; those of the cloud get the key as an argument."""
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "hashed")
    if request.param == "cloud":
        configure()
        yield lambda *words: call("mem0", "--api-key", KEY, *words)
    else:
        configure(Mem0Library(name="local"))
        yield lambda *words: call("mem0", "--source", "local", *words)


def test_every_command_says_success_on_stdout(mem0: Callable[..., Called], tmp_path: Path) -> None:
    """F-MEM0-6, F-MEM0-7."""
    added = mem0("add", "PostgreSQL keeps orders", "--user-id", "u", "--metadata", '{"kind": "db"}')
    assert (added.code, added.data["success"], added.err) == (0, True, "")
    record = added.data["memory_id"]
    assert added.data["result"]["memory"] == "PostgreSQL keeps orders"
    other = mem0("add", "PostgreSQL feeds Kafka", "--user-id", "u").data["memory_id"]
    assert mem0("search", "orders", "--user-id", "u", "--limit", "1").data["results"][0]["id"] == record
    assert mem0("list", "--user-id", "u").data["count"] == 2
    assert mem0("get", f"mem0:{record}").data["memory"]["id"] == record
    assert mem0("update", record, "--text", "PostgreSQL keeps all").data["memory"]["memory"] == "PostgreSQL keeps all"
    assert [row["event"] for row in mem0("history", record).data["history"]] == ["ADD", "UPDATE"]
    assert mem0("users").data["users"] == [{"type": "user", "name": "u", "total_memories": 2}]
    assert mem0("export", "--user-id", "u", "--user-id", "nobody").data["count"] == 2
    assert mem0("validate", "--user-id", "u").data["wrong"] == 0
    assert "mem0" in mem0("verify").data["product"]
    rows = tmp_path / "rows.json"
    rows.write_text(json.dumps([{"memory_id": other, "text": "PostgreSQL fills Kafka"}]), "utf-8")
    assert mem0("batch-update", rows).data["items"] == [{"memory_id": other, "status": "ok", "reason": ""}]
    partly = mem0("batch-delete", other, "00000000-0000-0000-0000-000000000000")
    assert (partly.code, partly.data["success"], partly.data["failed"]) == (1, False, 1)
    assert [item["status"] for item in partly.data["items"]] == ["ok", "failed"]
    assert mem0("delete", record).data["deleted"] is True
    assert mem0("delete", record).data["deleted"] is False
    assert mem0("list", "--user-id", "u").data["memories"] == []


def test_failure_is_told_on_stderr_and_ends_with_1(mem0: Callable[..., Called]) -> None:
    """F-MEM0-6."""
    for words in (
        ("get", "00000000-0000-0000-0000-000000000000"),
        ("add", "x", "--user-id", "u", "--metadata", "[]"),
        ("update", "m"),
        ("batch-update", "no-such-file.json"),
    ):
        failed = mem0(*words)
        assert (failed.code, failed.out) == (1, ""), words
        told = json.loads(failed.err)
        assert told["error"]
        assert told["type"] in ("NotThere", "UsageError")


def test_walks_of_the_mem0_commands(mem0: Callable[..., Called], request: pytest.FixtureRequest) -> None:
    """``get-related-memories`` (depth 1) and ``traverse-graph`` (depth 2) of F-MEM0-7."""
    whose = user(request.getfixturevalue("home"))
    texts = ("PostgreSQL keeps orders", "PostgreSQL feeds Kafka", "Kafka feeds Redis")
    records = [mem0("add", text, "--user-id", whose).data["memory_id"] for text in texts]
    found = mem0("related", records[0]).data
    assert (found["success"], found["depth"], found["count"]) == (True, 1, 1)
    ways = mem0("traverse", records[0]).data
    assert [way["depth"] for way in ways["paths"]] == [1, 2]
    assert mem0("traverse", records[0], "--relation-type", "uses").data["path_count"] == 0


def test_what_only_the_cloud_has(
    call: Call, configure: Configure, platform: Platform, key: None, tmp_path: Path
) -> None:
    configure()
    schema = tmp_path / "schema.json"
    schema.write_text('{"type": "object"}', "utf-8")
    call("mem0", "add", f"PostgreSQL keeps orders {AWS}", "--user-id", "u")
    platform.keep(f"raw {AWS}", user_id="u")
    assert [event["status"] for event in call("mem0", "events").data["events"]] == ["SUCCEEDED"]
    assert call("mem0", "summary", "--user-id", "u").data["summary"] == {"summary": "2 memories"}
    export = call("mem0", "export", "--user-id", "u", "--schema", schema).data["export_id"]
    fetched = call("mem0", "get-export", export)
    assert len(fetched.data["data"]["memories"]) == 2
    assert AWS not in fetched.out
    configure(Mem0Library(name="local"))
    refused = call("mem0", "events")
    assert json.loads(refused.err)["error"] == "mem0's library has no events"


def test_a_key_is_found_in_a_file_here_or_at_home(
    call: Call, configure: Configure, platform: Platform, clean_environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-MEM0-6: ``.env`` here, of the project root, then ``~/.mem0.env``."""
    configure()
    (clean_environment / ".mem0.env").write_text("MEM0_API_KEY=wrong", "utf-8")
    assert "401" in json.loads(call("mem0", "verify").err)["error"]
    root = clean_environment / "project"
    (root / ".git").mkdir(parents=True)
    (root / "deep" / "er").mkdir(parents=True)
    (root / ".env").write_text(f"MEM0_API_KEY={KEY}", "utf-8")
    monkeypatch.chdir(root / "deep" / "er")
    assert call("mem0", "verify").data["success"] is True
    (root / "deep" / "er" / ".env").write_text("MEM0_API_KEY=other", "utf-8")
    assert "401" in json.loads(call("mem0", "verify").err)["error"]


def test_organisation_and_project_may_be_arguments(call: Call, configure: Configure, platform: Platform) -> None:
    configure()
    fine = call("mem0", "--api-key", KEY, "--org-id", "org-shop", "--project-id", "proj-shop", "verify")
    assert fine.data["product"] == "mem0 platform (org_id org-shop, project_id proj-shop)"
    assert call("mem0", "--api-key", KEY, "--org-id", "org-other", "verify").code == 1


def test_a_source_that_is_no_mem0_is_refused(call: Call, configure: Configure) -> None:
    configure(McpServer(name="notes", command=("true",)))
    assert "is no mem0" in call("mem0", "--source", "notes", "verify").err
    assert "no source is called" in call("mem0", "--source", "none", "verify").err


def test_no_key_is_ever_printed(call: Call, configure: Configure, platform: Platform) -> None:
    configure()
    platform.faults.append(Fault(400, json.dumps({"detail": f"bad {KEY}"}).encode()))
    said = [call("mem0", "--api-key", KEY, "verify"), call("mem0", "--api-key", KEY, "verify")]
    assert [each.code for each in said] == [1, 0]
    assert KEY not in "".join(each.out + each.err for each in said)
