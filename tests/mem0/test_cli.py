"""mem0 on the command line: ``search --mem0``, ``related``, ``paths``, ``mem0`` (F-MEM0-3, F-MEM0-6)."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.doors.conftest import Call, Called
from tests.doors.conftest import call as call  # noqa: PLC0414 - a fixture
from tests.doors.conftest import sampled as sampled  # noqa: PLC0414 - a fixture
from tests.mem0.server import KEY, Fault, Platform

from memory_fabric import Fabric, Settings
from memory_fabric.sources.configured import Configured, Mem0Cloud, Mem0Library, write

pytestmark = pytest.mark.sockets

ASKED = "pagination cursor"
AWS = "AKIAZ7QK3WJ5XR2MVT4P"


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
        from memory_fabric.sources.mem0_shape import slug

        return f"{slug(fabric.store.projects()[0].name)}-decisions"


def own(called: Called) -> list[Any]:
    return [result["id"] for result in called.data["results"] if result["origin"]["source"] != "mem0"]


# ── searching ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_configured_mem0_is_asked_with_every_question(
    call: Call, configure: Configure, home: Path, platform: Platform, key: None
) -> None:
    """F-SRC-2, F-SRC-4, F-NORM-2."""
    alone = call("search", ASKED, "--json")
    configure()
    record = platform.keep("Use cursor pagination for every list, agreed with the API team", user_id=user(home))
    both = call("search", ASKED, "--json")
    assert both.code == 0
    assert both.data["sources"]["mem0"] == 1
    (hit,) = [each for each in both.data["results"] if each["source"] == "mem0"]
    assert hit["id"] == f"mem0:mem0:{record}"
    assert 0 < hit["score"] <= 1
    assert (both.data["degraded"], both.data["outages"]) == (False, [])
    assert set(own(alone)) & set(own(both))


def test_asked_for_without_an_entry_it_is_the_platform(
    call: Call, home: Path, key: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key that is there goes to mem0's own address and to no other."""
    met: list[str] = []

    def resolve(host: str, *_: object, **__: object) -> None:
        met.append(host)
        raise socket.gaierror("no names here")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    found = call("search", ASKED, "--mem0", "--json")
    assert set(met) == {"api.mem0.ai"}
    assert (found.code, [each["source"] for each in found.data["outages"]]) == (0, ["mem0"])


def test_a_dead_mem0_leaves_everything_else_standing(call: Call, configure: Configure, home: Path, key: None) -> None:
    """F-ERR-1: graph only, fully functional."""
    alone = call("search", ASKED, "--json")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    configure(Mem0Cloud(name="mem0", host=f"http://127.0.0.1:{port}", deadline=1.0))
    both = call("search", ASKED, "--json")
    assert both.code == 0
    assert own(both) == own(alone)
    assert both.data["degraded"] is True
    (outage,) = both.data["outages"]
    assert outage["source"] == "mem0"
    assert "mem0" not in both.data["sources"]
    assert "note: mem0 did not answer" in both.err
    assert call("related", "Redis", "--all").code in (0, 1)
    assert call("load").code == 0


@pytest.mark.parametrize(
    "fault",
    [Fault(401), Fault(500), Fault(raw=b"<html>", kind="text/html"), Fault(raw=b"{"), Fault(silent=True)],
    ids=["refused", "failing", "html", "cut", "silent"],
)
def test_whatever_mem0_answers_our_own_results_are_shown(
    call: Call, configure: Configure, platform: Platform, key: None, fault: Fault
) -> None:
    """F-ERR-1."""
    alone = call("search", ASKED, "--json")
    configure(Mem0Cloud(name="mem0", host=platform.url, deadline=0.5))
    platform.faults.extend([fault] * 10)
    both = call("search", ASKED, "--json")
    assert (both.code, own(both)) == (0, own(alone))
    assert [each["source"] for each in both.data["outages"]] == ["mem0"]


def test_mem0_without_a_key_is_a_warning(call: Call, home: Path) -> None:
    """F-ERR-3, F-MEM0-3: the rest works; nothing is asked anywhere."""
    alone = call("search", ASKED, "--json")
    asked = call("search", ASKED, "--mem0", "--json")
    assert asked.code == 0
    assert own(asked) == own(alone)
    (outage,) = asked.data["outages"]
    assert (outage["source"], outage["reason"]) == ("mem0", "mem0: no key for mem0")
    assert "MEM0_API_KEY" in outage["remedy"]
    assert "note: mem0 did not answer: no key for mem0" in asked.err


def test_without_configuration_and_without_mem0_nothing_is_asked(
    call: Call, home: Path, key: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-MEM0-4, C-118: a key alone is no consent."""

    def refuse(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    found = call("search", ASKED, "--json")
    assert (found.code, found.data["outages"]) == (0, [])


def test_a_disabled_mem0_is_asked_only_with_mem0(
    call: Call, configure: Configure, home: Path, platform: Platform, key: None
) -> None:
    configure(Mem0Cloud(name="work", host=platform.url, enabled=False))
    platform.keep("Use cursor pagination", user_id=user(home))
    assert call("search", ASKED, "--json").data["sources"].get("work") is None
    assert platform.asked == []
    assert call("search", ASKED, "--mem0", "--json").data["sources"]["work"] == 1


def test_a_configured_mem0_is_not_asked_twice(call: Call, configure: Configure, platform: Platform, key: None) -> None:
    configure()
    call("search", ASKED, "--mem0")
    assert platform.paths() == ["POST /v3/memories/search/"]


def test_mem0_and_a_mode_that_asks_nobody_exclude_each_other(call: Call, home: Path) -> None:
    refused = call("search", ASKED, "--mem0", "--mode", "text", "--json")
    assert (refused.code, refused.data["error"]["code"]) == (2, "usage")


def test_with_the_graph_enabled_the_answer_lists_what_relates(
    call: Call, configure: Configure, home: Path, platform: Platform, key: None
) -> None:
    """F-MEM0-2, F-TRAV-5."""
    configure()
    platform.graph = True
    platform.relations = [{"source": "api team", "relationship": "recommends", "target": "cursor pagination"}]
    platform.keep("The API team wants cursor pagination", user_id=user(home))
    found = call("search", ASKED, "--mem0", "--enable-graph", "--json").data
    (hit,) = [each for each in found["results"] if each["source"] == "mem0"]
    told = {"from": "api team", "relation": "recommends", "to": "cursor pagination"}
    assert told in found["relations"]
    assert hit["related_via"] == hit["graph_relations"] == [told]
    assert found["graph_enabled"] is True
    summary = found["relationship_summary"]
    assert summary["total_relations"] == len(found["relations"]) == sum(summary["relation_types"].values())
    assert summary["by_source"]["mem0"] == 1


def test_where_mem0_keeps_no_graph_it_is_said(
    call: Call, configure: Configure, home: Path, platform: Platform, key: None
) -> None:
    """F-MEM0-2: relations come from our own graph, and mem0 stands with none."""
    configure()
    platform.keep("The API team wants cursor pagination", user_id=user(home))
    found = call("search", ASKED, "--mem0", "--enable-graph", "--json").data
    assert found["relationship_summary"]["by_source"]["mem0"] == 0


def test_no_secret_of_mem0s_is_shown_or_sent(
    call: Call, configure: Configure, home: Path, platform: Platform, key: None
) -> None:
    """F-MEM0-4, C-112."""
    configure()
    platform.keep(f"cursor pagination key {AWS}", user_id=user(home))
    found = call("search", ASKED, "--json")
    assert "cursor pagination key" in found.out
    assert AWS not in found.out
    call("search", f"{ASKED} {AWS}")
    assert platform.asked[-1].body["query"].startswith(ASKED)
    assert AWS not in repr(platform.asked)


def test_the_library_answers_too(call: Call, configure: Configure, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """F-MEM0-1: the other form of the same source, offline."""
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "hashed")
    configure(Mem0Library(name="local", deadline=60.0))
    monkeypatch.setenv("MEMORY_FABRIC_DEADLINE", "60")
    added = call("mem0", "add", "Use cursor pagination for lists", "--user-id", user(home))
    assert added.code == 0, added.err
    found = call("search", ASKED, "--json")
    assert found.data["sources"]["local"] == 1, found.data["outages"]


# ── from memory to memory ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def three(platform: Platform, home: Path) -> list[str]:
    """Memories of mem0 of which each shares a name with the next."""
    texts = ("PostgreSQL keeps orders", "PostgreSQL feeds Kafka", "Kafka feeds Redis")
    return [platform.keep(text, user_id=user(home)) for text in texts]


def test_memories_related_to_one_of_mem0s(call: Call, configure: Configure, three: list[str], key: None) -> None:
    """F-TRAV-2: the shape, with depth and type."""
    configure()
    found = call("related", f"mem0:{three[0]}", "--depth", "2", "--json").data
    assert {name: found[name] for name in ("memory_id", "depth", "relation_type", "count")} == {
        "memory_id": f"mem0:{three[0]}", "depth": 2, "relation_type": None, "count": 2,
    }  # fmt: skip
    assert [(each["memory"]["text"], each["depth"]) for each in found["related_memories"]] == [
        ("PostgreSQL feeds Kafka", 1), ("Kafka feeds Redis", 2),
    ]  # fmt: skip
    relation = found["related_memories"][0]["relation"]
    assert (relation["type"], relation["source_id"], relation["target_id"]) == (
        "shares_entity", f"mem0:mem0:{three[0]}", f"mem0:mem0:{three[1]}",
    )  # fmt: skip
    assert 0 < relation["strength"] <= 1
    assert call("related", f"mem0:{three[0]}", "--relation", "uses", "--json").code == 1
    shown = call("related", f"mem0:mem0:{three[0]}")
    assert "PostgreSQL feeds Kafka" in shown.out
    assert "shares_entity" in shown.out


def test_ways_from_one_of_mem0s(call: Call, configure: Configure, three: list[str], key: None) -> None:
    """F-TRAV-3: the shape; to another memory, or to whatever is near."""
    configure()
    found = call("paths", f"mem0:{three[0]}", f"mem0:{three[2]}", "--json").data
    assert found["path_count"] == 1
    (way,) = found["paths"]
    assert way["depth"] == 2
    assert [(step["memory"]["text"], step["depth"], "relation" in step) for step in way["path"]] == [
        ("PostgreSQL keeps orders", 0, False), ("PostgreSQL feeds Kafka", 1, True), ("Kafka feeds Redis", 2, True),
    ]  # fmt: skip
    assert call("paths", f"mem0:{three[0]}", "--depth", "1", "--json").data["path_count"] == 1
    assert "Kafka feeds Redis" in call("paths", f"mem0:{three[0]}").out


def test_memories_related_to_one_of_ours(call: Call, home: Path) -> None:
    """F-TRAV-2 over our own store, beside the entities that were shown before."""
    ours = call("search", ASKED, "--all", "--json").data["results"]
    shapes = [call("related", each["id"], "--all", "--json") for each in ours]
    found = [shape.data for shape in shapes if shape.code == 0]
    assert found
    assert any(each["count"] for each in found)
    for each in found:
        assert each["count"] == len(each["related_memories"])
        assert each["connections"]
        assert {"memory_id", "depth", "relation_type"} <= set(each)
    ways = [call("paths", each["id"], "--all", "--json") for each in ours]
    assert any(way.code == 0 and way.data["path_count"] for way in ways)


def test_a_memory_of_mem0s_without_a_key_cannot_be_opened(call: Call, home: Path) -> None:
    refused = call("related", "mem0:abc", "--json")
    assert (refused.code, refused.data["error"]["code"]) == (3, "source_unavailable")


def test_one_end_is_enough_only_for_a_memory(call: Call, home: Path) -> None:
    assert call("paths", "Redis", "--json").data["error"]["message"] == "paths need two ends"


# ── the mem0 commands ────────────────────────────────────────────────────────────────────────────────────────────


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
    from memory_fabric.sources.configured import McpServer

    configure(McpServer(name="notes", command=("true",)))
    assert "is no mem0" in call("mem0", "--source", "notes", "verify").err
    assert "no source is called" in call("mem0", "--source", "none", "verify").err


def test_no_key_is_ever_printed(call: Call, configure: Configure, platform: Platform) -> None:
    configure()
    platform.faults.append(Fault(400, json.dumps({"detail": f"bad {KEY}"}).encode()))
    said = [call("mem0", "--api-key", KEY, "verify"), call("mem0", "--api-key", KEY, "verify")]
    assert [each.code for each in said] == [1, 0]
    assert KEY not in "".join(each.out + each.err for each in said)
