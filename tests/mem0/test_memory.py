"""mem0 read and written: redacted both ways, once for each key, a status for each of a batch (F-MEM0-4, F-MEM0-7)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from tests.mem0.conftest import LONG, SEAMS
from tests.mem0.server import Fault, Platform

from memory_fabric.errors import SourceUnavailable, UsageError
from memory_fabric.sources.mem0.backend import MOST_BATCH, Change, Who
from memory_fabric.sources.mem0.cloud import CloudMem0
from memory_fabric.sources.mem0.http import NotThere
from memory_fabric.sources.mem0.memory import Mem0Memory, complaints, summary_of
from memory_fabric.sources.mem0.shape import FABRIC_KEY
from memory_fabric.sources.mem0.source import Mem0Source

pytestmark = pytest.mark.sockets

AWS = "AKIAZ7QK3WJ5XR2MVT4P"
USER = "shop-decisions"
SHOP = Who((USER,))


@pytest.fixture(params=["cloud", "library"])
def mem0(request: pytest.FixtureRequest) -> Mem0Memory:
    """mem0 in either form."""
    return Mem0Source("mem0", request.getfixturevalue(request.param), SEAMS).memory()


def texts(items: list[Any]) -> list[str]:
    return sorted(str(item["memory"]) for item in items)


def test_what_is_added_is_read_listed_found_changed_and_forgotten(mem0: Mem0Memory) -> None:
    """The functions of F-MEM0-7, whichever mem0 it is."""
    record = mem0.add("We keep sessions in Redis", USER, {"category": "database"}, LONG)
    mem0.add("We page with cursors", USER, {}, LONG)
    item = mem0.get(record, LONG)
    assert (item["memory"], item["user_id"], item["metadata"]["category"]) == (
        "We keep sessions in Redis", USER, "database",
    )  # fmt: skip
    assert texts(mem0.listed(LONG, who=SHOP)) == ["We keep sessions in Redis", "We page with cursors"]
    found = mem0.search("sessions redis", LONG, who=SHOP, limit=1)
    assert (found["count"], found["results"][0]["id"]) == (1, record)
    assert 0 < found["results"][0]["score"] <= 1
    assert mem0.update(Change(record, "Sessions are in Valkey"), LONG)["memory"] == "Sessions are in Valkey"
    assert mem0.get(record, LONG)["metadata"]["category"] == "database"
    assert [(row["event"], row["new_memory"]) for row in mem0.history(record, LONG)] == [
        ("ADD", "We keep sessions in Redis"), ("UPDATE", "Sessions are in Valkey"),
    ]  # fmt: skip
    assert mem0.users(LONG) == [{"type": "user", "name": USER, "total_memories": 2}]
    assert mem0.delete(record, LONG) is True
    assert mem0.delete(record, LONG) is False
    with pytest.raises(NotThere):
        mem0.get(record, LONG)
    assert texts(mem0.listed(LONG, who=SHOP)) == ["We page with cursors"]


def test_what_is_kept_again_under_its_key_is_kept_once(mem0: Mem0Memory) -> None:
    first = mem0.add("We page with offsets", USER, {FABRIC_KEY: "k1", "category": "api"}, LONG)
    assert mem0.add("We page with offsets", USER, {FABRIC_KEY: "k1"}, LONG) == first
    assert len(mem0.history(first, LONG)) == 1
    assert mem0.add("We page with cursors", USER, {FABRIC_KEY: "k1"}, LONG) == first
    mem0.add("Another", USER, {FABRIC_KEY: "k2"}, LONG)
    assert texts(mem0.listed(LONG, who=SHOP)) == ["Another", "We page with cursors"]
    assert mem0.get(first, LONG)["metadata"] | {"category": "api"} == mem0.get(first, LONG)["metadata"]


def test_the_same_key_of_another_user_is_another_memory(mem0: Mem0Memory) -> None:
    one = mem0.add("Text", USER, {FABRIC_KEY: "k"}, LONG)
    assert mem0.add("Text", "blog-decisions", {FABRIC_KEY: "k"}, LONG) != one


def test_it_is_dated_by_when_it_was_said(mem0: Mem0Memory) -> None:
    """F-NORM-6."""
    at = datetime(2025, 4, 5, 6, 7, 8, tzinfo=UTC)
    record = mem0.add("We page with cursors", USER, {}, LONG, at=at)
    assert datetime.fromisoformat(mem0.get(record, LONG)["created_at"]) == at


def test_no_secret_is_put_there(mem0: Mem0Memory) -> None:
    """F-MEM0-4, C-112."""
    record = mem0.add(f"key {AWS}", USER, {"note": f"see {AWS}"}, LONG)
    mem0.update(Change(record, f"new key {AWS}", {"note": AWS}), LONG)
    mem0.batch_update([Change(record, f"newer key {AWS}")], LONG)
    raw = [mem0.backend.get(record, LONG), *mem0.backend.history(record, LONG)]
    assert AWS not in repr(raw)
    assert "newer key [redacted:" in repr(raw)


def test_no_secret_that_is_there_comes_out(mem0: Mem0Memory) -> None:
    """mem0#6817."""
    record = mem0.backend.add(f"sessions key {AWS}", USER, {"note": AWS}, LONG)
    shown = [
        mem0.get(record, LONG), mem0.listed(LONG, who=SHOP), mem0.search("sessions key", LONG, who=SHOP),
        mem0.history(record, LONG), mem0.export([USER], LONG),
    ]  # fmt: skip
    assert "sessions key" in repr(shown[0])
    assert AWS not in repr(shown)


def test_nothing_is_sent_of_a_question_that_is_secret(memory: Mem0Memory, platform: Platform) -> None:
    memory.search(f"what is {AWS}", LONG, who=SHOP)
    assert "what is" in platform.asked[0].body["query"]
    assert AWS not in repr(platform.asked)


@pytest.mark.parametrize("there", [[0, 1, 2], [0, 2], []])
def test_of_a_batch_each_item_has_its_status(mem0: Mem0Memory, there: list[int]) -> None:
    """F-ERR-14, C-154: those that are there are changed, whatever the others are."""
    records = [mem0.add(f"Decision {number}", USER, {}, LONG) for number in range(3)]
    for number in {0, 1, 2} - set(there):
        mem0.delete(records[number], LONG)
    done = mem0.batch_update([Change(record, f"Changed {number}") for number, record in enumerate(records)], LONG)
    assert [(each.id, each.done) for each in done] == [(record, n in there) for n, record in enumerate(records)]
    assert all(each.reason for each in done if not each.done)
    assert texts(mem0.listed(LONG, who=SHOP)) == [f"Changed {number}" for number in there]
    gone = mem0.batch_delete(records, LONG)
    assert [each.done for each in gone] == [n in there for n in range(3)]
    assert mem0.listed(LONG, who=SHOP) == []


@pytest.mark.parametrize("many", [0, 1, MOST_BATCH, MOST_BATCH + 1])
def test_a_batch_holds_1_to_1000(memory: Mem0Memory, platform: Platform, many: int) -> None:
    records = [platform.keep(f"Decision {number}", user_id=USER) for number in range(many)]
    calls: list[Callable[[], Any]] = [
        lambda: memory.batch_update([Change(record, "x") for record in records], LONG),
        lambda: memory.batch_delete(records, LONG),
    ]
    for call in calls:
        if 1 <= many <= MOST_BATCH:
            assert [each.done for each in call()] == [True] * many
        else:
            with pytest.raises(UsageError):
                call()
    assert len(platform.memories) == (many if many > MOST_BATCH else 0)


def test_a_batch_that_does_not_reach_the_server_is_an_outage_and_not_many_failures(
    memory: Mem0Memory, platform: Platform
) -> None:
    platform.faults.extend([Fault(500)] * 10)
    with pytest.raises(SourceUnavailable, match="500"):
        memory.batch_delete(["a", "b"], LONG)


def test_with_a_graph_the_answer_says_what_relates(cloud: CloudMem0, memory: Mem0Memory, platform: Platform) -> None:
    """F-MEM0-2, F-TRAV-5."""
    platform.graph = True
    platform.relations = [
        {"source": "shop", "relationship": "uses", "target": "redis", "score": 0.8},
        {"source": "redis", "relationship": "uses", "target": "lua"},
    ]
    platform.keep("the shop keeps sessions", user_id=USER)
    found = memory.search("sessions", LONG, who=SHOP, graph=True)
    uses = {"type": "uses", "source_id": "shop", "target_id": "redis", "strength": 0.8, "description": ""}
    assert found["graph_enabled"] is True
    assert found["relations"][0] == uses
    assert found["relationship_summary"] == {"total_relations": 2, "relation_types": {"uses": 2}}
    assert found["results"][0]["related_via"] == [uses]


def test_where_mem0_keeps_no_graph_it_is_said_and_not_made_up(mem0: Mem0Memory, platform: Platform) -> None:
    """F-MEM0-2: the platform answers without relations since version 3, the library dropped its graph."""
    mem0.add("the shop keeps sessions", USER, {}, LONG)
    found = mem0.search("sessions", LONG, who=SHOP, graph=True)
    assert found["count"] == 1
    assert (found["graph_enabled"], found["relations"], found["results"][0]["related_via"]) == (False, [], [])
    assert summary_of(()) == found["relationship_summary"] == {"total_relations": 0, "relation_types": {}}


@pytest.mark.parametrize("limit", [0, 1, 100, 101])
def test_a_search_gives_1_to_100(memory: Mem0Memory, limit: int) -> None:
    """F-SRC-10."""
    if 1 <= limit <= 100:
        assert memory.search("sessions", LONG, who=SHOP, limit=limit)["count"] == 0
    else:
        with pytest.raises(UsageError, match=f"limit {limit} is out of range"):
            memory.search("sessions", LONG, who=SHOP, limit=limit)


@pytest.mark.parametrize(
    "call",
    [
        lambda mem0: mem0.search("  ", LONG),
        lambda mem0: mem0.add(" ", USER, {}, LONG),
        lambda mem0: mem0.update(Change("m1"), LONG),
        lambda mem0: mem0.update(Change("m1", "  "), LONG),
        lambda mem0: mem0.batch_update([Change("m1")], LONG),
        lambda mem0: Mem0Memory("mem0", mem0.backend, mem0.redact).search("x", LONG),
    ],
)
def test_what_cannot_be_meant_is_refused_before_anything_is_sent(
    memory: Mem0Memory, platform: Platform, call: Callable[[Mem0Memory], Any]
) -> None:
    with pytest.raises(UsageError):
        call(memory)
    assert platform.asked == []


def test_of_an_export_each_user_has_a_status(memory: Mem0Memory, platform: Platform) -> None:
    """``bulk-export``; F-ERR-14."""
    platform.keep("One", user_id="a")
    platform.keep("Three", user_id="c")
    platform.faults.append(Fault(raw=b'{"count": 1, "next": null, "results": []}'))
    platform.faults.append(Fault(403))
    found = memory.export(["z", "b", "a"], LONG)
    assert (found["count"], found["failed"]) == (1, 1)
    assert {user: each["status"] for user, each in found["users"].items()} == {"z": "ok", "b": "failed", "a": "ok"}
    assert texts(found["users"]["a"]["data"]) == ["One"]
    assert "403" in found["users"]["b"]["reason"]


def test_a_metadata_key_gets_another_name_where_it_stands(mem0: Mem0Memory) -> None:
    """``migrate-metadata``."""
    one = mem0.add("One", USER, {"kind": "a"}, LONG)
    two = mem0.add("Two", USER, {"kind": "b", "type": "kept"}, LONG)
    assert [each.id for each in mem0.rename_metadata("kind", "type", LONG, dry_run=True)] == [one]
    assert mem0.get(one, LONG)["metadata"].get("kind") == "a"
    assert [(each.id, each.done) for each in mem0.rename_metadata("kind", "type", LONG)] == [(one, True)]
    assert mem0.get(one, LONG)["metadata"]["type"] == "a"
    assert mem0.get(two, LONG)["metadata"]["type"] == "kept"


def test_what_is_wrong_with_memories_is_named() -> None:
    """``validate-data``."""
    fine = {"id": "1", "memory": "x", "user_id": "u", "created_at": "2026-01-01", "linked_memory_ids": ["2"]}
    bare = {"id": "2", "metadata": "text", "linked_memory_ids": ["9"]}
    assert complaints([fine, bare]) == [
        {"id": "2", "wrong": ["no text", "no owner", "no time", "metadata is no object", "dangling link"]}
    ]
