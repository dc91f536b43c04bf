"""mem0 as a source of a search: scoped, clean, absolute scores (F-SRC-2, F-SRC-6, F-SRC-7, F-NORM-4, F-NORM-5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.mem0.conftest import LONG, SEAMS
from tests.mem0.server import Platform
from tests.search.builders import question

from memory_fabric.clock import Deadline
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import DeadlinePassed, SourceUnavailable
from memory_fabric.model.memory import ProjectId
from memory_fabric.model.query import Query, Scope, Window
from memory_fabric.model.result import Found
from memory_fabric.sources.configured import Mem0Cloud, Mem0Library
from memory_fabric.sources.mem0.cloud import CloudMem0
from memory_fabric.sources.mem0.keys import Keys
from memory_fabric.sources.mem0.library import LibraryMem0
from memory_fabric.sources.mem0.source import Mem0Source, open_cloud, open_library

pytestmark = pytest.mark.sockets

SHOP = Scope(projects=(ProjectId("p-shop"),))
ASKED = question("redis sessions", scope=SHOP)
AWS = "AKIAZ7QK3WJ5XR2MVT4P"
OTHERS = ("zebra", "harbour", "violin", "granite")
Keep = Callable[..., str]


@pytest.fixture(params=["cloud", "library"])
def either(request: pytest.FixtureRequest) -> tuple[Mem0Source, Keep]:
    """mem0 in one of its forms, and how something comes into it that we did not put there."""
    if request.param == "cloud":
        platform: Platform = request.getfixturevalue("platform")
        return Mem0Source("mem0", request.getfixturevalue("cloud"), SEAMS), platform.keep
    library: LibraryMem0 = request.getfixturevalue("library")

    def keep(text: str, *, user_id: str = "shop-decisions", at: str | None = None, metadata: object = None) -> str:
        when = datetime.fromisoformat(at) if at else None
        extra = metadata if isinstance(metadata, dict) else {}
        return library.add(text, user_id, extra, LONG, at=when)

    return Mem0Source("mem0", library, SEAMS), keep


def texts(found: Found) -> list[str]:
    return [hit.memory.text for hit in found.hits]


def find(source: Mem0Source, query: Query = ASKED, limit: int = 20) -> Found:
    return source.find(query, limit, LONG)


def test_best_first_and_no_memory_twice_within_the_limit(either: tuple[Mem0Source, Keep]) -> None:
    source, keep = either
    for number in range(5):
        keep(" ".join(["redis sessions", *OTHERS[:number]]), user_id="shop-decisions")
    found = find(source)
    raws = [hit.raw for hit in found.hits]
    assert raws == sorted(raws, reverse=True)
    assert len({hit.memory.id for hit in found.hits}) == len(found.hits) == 5
    assert all(0 <= raw <= found.ceiling for raw in raws)
    assert texts(found)[0] == "redis sessions"
    assert found.source == source.name == "mem0"
    assert [texts(find(source, limit=limit)) for limit in (0, 1, 4)] == [texts(found)[:limit] for limit in (0, 1, 4)]


def test_a_score_does_not_depend_on_the_other_hits(either: tuple[Mem0Source, Keep]) -> None:
    """F-NORM-5."""
    source, keep = either
    keep("redis sessions violin", user_id="shop-decisions")
    alone = find(source).hits[0].raw
    keep("redis sessions", user_id="shop-decisions")
    assert find(source).hits[1].raw == pytest.approx(alone)


def test_only_the_projects_own_and_everybodys_memories_are_seen(either: tuple[Mem0Source, Keep]) -> None:
    """F-SRC-7, F-SRC-8, C-148."""
    source, keep = either
    for user in ("shop-decisions", "shop-patterns", "blog-decisions", "orchestkit-global-decisions", "alice"):
        keep(f"redis sessions of {user}", user_id=user)
    own = {"redis sessions of shop-decisions", "redis sessions of shop-patterns"}
    everybodys = "redis sessions of orchestkit-global-decisions"
    assert set(texts(find(source))) == {*own, everybodys}
    assert set(texts(find(source, replace(ASKED, scope=Scope())))) == {
        *own,
        everybodys,
        "redis sessions of blog-decisions",
    }
    assert texts(find(source, replace(ASKED, scope=Scope(projects=())))) == []


def test_a_projects_mark_keeps_namesakes_apart(either: tuple[Mem0Source, Keep]) -> None:
    """C-147."""
    source, keep = either
    keep("redis sessions here", user_id="shop-decisions", metadata={"project_id": "p-shop"})
    keep("redis sessions elsewhere", user_id="shop-decisions", metadata={"project_id": "p-other-shop"})
    assert texts(find(source)) == ["redis sessions here"]


def test_the_users_times_are_hard_limits(either: tuple[Mem0Source, Keep]) -> None:
    source, keep = either
    for day in (1, 2, 3):
        keep(f"redis sessions {day}", user_id="shop-decisions", at=f"2026-01-0{day}T00:00:00+00:00")
    window = Window(since=datetime(2026, 1, 2, tzinfo=UTC), before=datetime(2026, 1, 3, tzinfo=UTC))
    assert texts(find(source, replace(ASKED, scope=replace(SHOP, window=window)))) == ["redis sessions 2"]


def test_an_empty_question_asks_nothing(source: Mem0Source, platform: Platform) -> None:
    assert find(source, question("", scope=SHOP)).hits == ()
    assert find(source, question("   ", scope=SHOP)).hits == ()
    assert find(source, replace(ASKED, scope=Scope(projects=()))).hits == ()
    assert platform.asked == []


def test_no_secret_goes_out_with_a_question_or_comes_back(either: tuple[Mem0Source, Keep]) -> None:
    """F-MEM0-4, C-112."""
    source, keep = either
    keep(f"redis sessions use {AWS}", user_id="shop-decisions", metadata={"seen": AWS})
    found = find(source, question(f"redis sessions {AWS}", scope=SHOP))
    assert len(found.hits) == 1
    assert AWS not in repr(found)


def test_the_question_on_the_wire_has_no_secret(source: Mem0Source, platform: Platform) -> None:
    find(source, question(f"redis {AWS}", scope=SHOP))
    assert "redis" in platform.asked[0].body["query"]
    assert AWS not in repr(platform.asked)


def test_all_user_ids_are_asked_for_at_once(source: Mem0Source, platform: Platform) -> None:
    find(source)
    assert [each.path for each in platform.asked] == ["/v3/memories/search/"]
    (owner,) = platform.asked[0].body["filters"]["AND"]
    assert owner["user_id"]["in"][0] == "shop-decisions"
    assert len(owner["user_id"]["in"]) == 7


def test_agents_are_asked_for_beside_users(cloud: CloudMem0, platform: Platform) -> None:
    """mem0 keeps them apart: both together in one ``AND`` find nothing."""
    source = Mem0Source("mem0", cloud, SEAMS)
    source.agents = ("ork:engineer",)
    platform.keep("redis sessions of the user", user_id="shop-decisions")
    platform.keep("redis sessions of the agent", agent_id="ork:engineer")
    assert set(texts(find(source))) == {"redis sessions of the user", "redis sessions of the agent"}


def test_percent_scores_are_brought_to_one(source: Mem0Source, platform: Platform) -> None:
    """F-NORM-4."""
    platform.percent = True
    platform.keep("redis sessions", user_id="shop-decisions")
    assert [hit.raw for hit in find(source).hits] == [1.0]


def test_with_the_graph_enabled_relations_lead_to_hits(cloud: CloudMem0, platform: Platform) -> None:
    """F-MEM0-2, F-TRAV-5."""
    source = Mem0Source("mem0", cloud, SEAMS, graph=True)
    platform.graph = True
    platform.relations = [{"source": "shop", "relationship": "uses", "target": "redis", "score": 0.8}]
    platform.keep("the shop keeps redis sessions", user_id="shop-decisions")
    platform.keep("redis sessions expire", user_id="shop-decisions")
    via = {hit.memory.text: [(each.subject, each.label, each.object) for each in hit.via] for hit in find(source).hits}
    assert via == {"the shop keeps redis sessions": [("shop", "uses", "redis")], "redis sessions expire": []}
    assert platform.paths() == ["POST /v2/memories/search/"]


def test_weighing_knows_nothing_of_others(source: Mem0Source, platform: Platform) -> None:
    platform.keep("redis sessions", user_id="shop-decisions")
    hits = find(source).hits
    platform.asked.clear()
    assert source.weigh(ASKED, [hit.memory for hit in hits]) == {}
    assert platform.asked == []


def test_failing_it_says_so(source: Mem0Source, platform: Platform) -> None:
    """F-SRC-5: never as no hits."""
    with pytest.raises(DeadlinePassed):
        source.find(ASKED, 20, Deadline.after(0.0))
    assert source.required is False


def test_it_is_opened_from_an_entry(platform: Platform) -> None:
    entry = Mem0Cloud(
        name="work", host=platform.url, user_id="{project}-decisions", agent_id="a", deadline=7.0, graph=True
    )
    found = open_cloud(entry, Keys("m0-test-key-1234567890", "org-shop", "proj-shop"), SEAMS)
    assert (found.name, found.deadline, found.required) == ("work", 7.0, False)
    assert found.who(SHOP).users == ("shop-decisions",)
    assert found.who(SHOP).agents == ("a",)
    assert platform.asked == []
    assert found.probe(LONG).product == "mem0 platform (org_id org-shop, project_id proj-shop)"
    found.close()


def test_an_entrys_organisation_goes_before_the_environments(platform: Platform) -> None:
    entry = Mem0Cloud(name="work", host=platform.url, org="org-other")
    source = open_cloud(entry, Keys("m0-test-key-1234567890", "org-shop"), SEAMS)
    with pytest.raises(SourceUnavailable, match="403"):
        source.probe(LONG)
    source.close()


def test_without_a_key_it_is_not_there() -> None:
    """F-MEM0-1, F-MEM0-3."""
    with pytest.raises(SourceUnavailable, match="no key for mem0") as caught:
        open_cloud(Mem0Cloud(name="mem0"), Keys(), SEAMS)
    assert "MEM0_API_KEY" in caught.value.hint


def test_the_library_is_opened_from_an_entry(tmp_path: Path) -> None:
    source = open_library(Mem0Library(name="local"), tmp_path, HashedEmbedder(), SEAMS)
    assert not (tmp_path / "mem0").exists()
    assert source.probe(LONG).product.startswith("mem0ai 2.")
    assert source.name == "local"
