"""``search``, ``related`` and ``paths`` with mem0, and without it (F-ERR-1, F-ERR-3, F-MEM0-2, F-MEM0-3)."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest
from tests.doors.conftest import Call, Called
from tests.mem0.conftest import Configure, user
from tests.mem0.server import Fault, Platform

from memory_fabric.sources.configured import Mem0Cloud, Mem0Library

pytestmark = pytest.mark.sockets

ASKED = "pagination cursor"
AWS = "AKIAZ7QK3WJ5XR2MVT4P"


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
