"""The test's platform against mem0's own client: the same calls, the same results as ours (F-MEM0-1, F-MEM0-7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.mem0.conftest import LONG
from tests.mem0.server import KEY, Platform

from memory_fabric.sources.mem0.backend import Change, Who
from memory_fabric.sources.mem0.cloud import CloudMem0
from memory_fabric.sources.mem0.library import imported

pytestmark = pytest.mark.sockets

SHOP = Who(("shop-decisions",))
MINE = {"user_id": "shop-decisions"}


@pytest.fixture
def official(platform: Platform, tmp_path: Path) -> Iterator[Any]:
    """mem0's own client; imported as we import it, so that it does not call home."""
    client = imported(tmp_path / "mem0").MemoryClient(api_key=KEY, host=platform.url)
    yield client
    client.client.close()


def said(items: Any) -> list[tuple[str, str]]:
    return sorted((str(item["id"]), str(item["memory"])) for item in items)


def test_their_key_is_checked_as_ours_is(official: Any, cloud: CloudMem0) -> None:
    assert (official.org_id, official.project_id) == ("org-shop", "proj-shop")
    assert cloud.product(LONG) == "mem0 platform (org_id org-shop, project_id proj-shop)"


def test_a_wrong_key_opens_nothing(platform: Platform, tmp_path: Path) -> None:
    with httpx.Client() as connection, pytest.raises(ValueError, match="Invalid API key"):
        imported(tmp_path / "mem0").MemoryClient(api_key="m0-other", host=platform.url, client=connection)


def test_what_either_adds_both_find_list_and_read(official: Any, cloud: CloudMem0) -> None:
    official.add("We keep sessions in Redis", user_id="shop-decisions", infer=False, metadata={"category": "database"})
    ours = cloud.add("We page with cursors", "shop-decisions", {"category": "pagination"}, LONG)
    cloud.add("Not for the shop", "blog-decisions", {}, LONG)

    assert said(official.get_all(filters=MINE)["results"]) == said(cloud.listed(SHOP, 100, LONG))
    assert len(cloud.listed(SHOP, 100, LONG)) == 2
    theirs = official.search("cursors for pages", filters=MINE, top_k=5)["results"]
    assert theirs == list(cloud.search("cursors for pages", SHOP, 5, LONG).items)
    assert [item["memory"] for item in theirs] == ["We page with cursors"]
    assert official.get(ours) == cloud.get(ours, LONG)
    assert official.get(ours)["metadata"] == {"category": "pagination"}


def test_what_either_changes_both_see_in_its_history(official: Any, cloud: CloudMem0) -> None:
    record = cloud.add("We page with offsets", "shop-decisions", {}, LONG)
    official.update(record, text="We page with cursors")
    cloud.update(Change(record, "We page with keysets", {"outcome": "success"}), LONG)
    assert official.history(record) == cloud.history(record, LONG)
    assert [row["event"] for row in cloud.history(record, LONG)] == ["ADD", "UPDATE", "UPDATE"]
    assert official.get(record)["memory"] == "We page with keysets"
    official.delete(record)
    assert said(cloud.listed(SHOP, 10, LONG)) == []


def test_batches_events_users_exports_and_summaries_agree(official: Any, cloud: CloudMem0) -> None:
    records = [cloud.add(f"Decision {number}", "shop-decisions", {}, LONG) for number in range(3)]
    official.batch_update([{"memory_id": records[0], "text": "Changed by theirs"}])
    assert [each.done for each in cloud.batch_update([Change(records[1], "Changed by ours")], LONG)] == [True]
    texts = sorted(item["memory"] for item in official.get_all(filters=MINE)["results"])
    assert texts == ["Changed by ours", "Changed by theirs", "Decision 2"]
    assert official.users()["results"] == cloud.users(LONG)
    assert official.get_summary(filters=MINE) == cloud.summary(SHOP, LONG) == {"summary": "3 memories"}
    export = cloud.create_export({"type": "object"}, SHOP, LONG)
    assert official.get_memory_export(memory_export_id=export) == cloud.get_export(export, LONG)
    assert [event["status"] for event in cloud.events(LONG)] == ["SUCCEEDED"] * 3
    official.batch_delete([{"memory_id": records[0]}])
    assert [each.done for each in cloud.batch_delete(records[1:], LONG)] == [True, True]
    assert official.get_all(filters=MINE)["results"] == []


def test_both_clients_take_the_same_paths_with_the_same_words(
    official: Any, cloud: CloudMem0, platform: Platform
) -> None:
    """What the platform gets from us is what it gets from its own client, but for who is asking."""

    def asked(work: Any) -> list[Any]:
        platform.asked.clear()
        work()
        return [(each.method, each.path, each.query, each.body) for each in platform.asked]

    record = platform.keep("We keep sessions in Redis", **MINE)
    both = {"filters": {"AND": [MINE]}}
    calls = [
        (lambda: official.search("redis", top_k=5, **both), lambda: cloud.search("redis", SHOP, 5, LONG)),
        (lambda: official.get_all(page=1, page_size=10, **both), lambda: cloud.listed(SHOP, 10, LONG)),
        (lambda: official.get(record), lambda: cloud.get(record, LONG)),
        (lambda: official.history(record), lambda: cloud.history(record, LONG)),
        (lambda: official.update(record, text="x"), lambda: cloud.update(Change(record, "x"), LONG)),
        (official.users, lambda: cloud.users(LONG)),
        (lambda: official.delete(record), lambda: cloud.delete(platform.keep("y", **MINE), LONG)),
    ]
    for theirs, ours in calls:
        left, right = asked(theirs), asked(ours)
        if left[0][0] == "DELETE":
            left, right = [(row[0], row[2], row[3]) for row in left], [(row[0], row[2], row[3]) for row in right]
        assert left == right


def test_many_memories_come_page_by_page(cloud: CloudMem0, platform: Platform) -> None:
    for number in range(230):
        platform.keep(f"Decision {number}", **MINE)
    assert len(cloud.listed(SHOP, 1000, LONG)) == 230
    assert [each.query["page"] for each in platform.asked] == ["1", "2", "3"]
    assert len(cloud.listed(SHOP, 150, LONG)) == 150
