"""One contract for every source (``ports.Source``; F-SRC-6, F-NORM-5, C-148)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.search.builders import NOW, Shelf, ago, memory, question

from memory_fabric.clock import Deadline
from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.model.memory import MemoryKind, ProjectId
from memory_fabric.model.query import Query, Scope, Window
from memory_fabric.model.result import Found
from memory_fabric.ports import Source
from memory_fabric.search import traverse
from memory_fabric.sources.graph import GraphSource
from memory_fabric.sources.recent import RecentSource
from memory_fabric.sources.text import TextSource
from memory_fabric.sources.time import TimeSource
from memory_fabric.sources.vector import VectorSource
from memory_fabric.store.sqlite import SqliteStore

MAKERS: dict[str, Callable[[SqliteStore], Source]] = {
    "text": lambda store: TextSource(store, store, 0.2),
    "vector": lambda store: VectorSource(store, store, store, HashedEmbedder()),
    "graph": lambda store: GraphSource(store, store, traverse.walk),
    "recent": RecentSource,
    "time": TimeSource,
}
A = Scope(projects=(ProjectId("a"),))
ASKED = replace(question("how do we fill the redis cache", hints=("Redis",), scope=A), around=NOW)
LONG = Deadline.after(600.0)


@pytest.fixture(params=list(MAKERS))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def source(name: str, store: SqliteStore) -> Source:
    return MAKERS[name](store)


def fill(store: SqliteStore, count: int = 6, project: str = "a", first: int = 0) -> None:
    """Memories about the Redis cache, each a little less so; in project b with a secret word."""
    shelf = Shelf()
    secret = "" if project == "a" else "bsecret"
    for place in range(first, first + count):
        it = shelf.say(
            f"{project}{place:02}", "fill the redis cache", f"we warm the redis cache {secret} " + "and more " * place,
            mentions=("Redis", f"thing{place}"), session=f"{project}-s{place % 3}", project=project, days=float(place),
        )  # fmt: skip
        shelf.fact("Redis", "uses", f"thing{place}", evidence=it, project=project, days=float(place))
    shelf.save(store)
    backfill(store, HashedEmbedder())


def find(source: Source, query: Query = ASKED, limit: int = 20) -> Found:
    return source.find(query, limit, LONG)


def ids(found: Found) -> list[str]:
    return [str(hit.memory.id) for hit in found.hits]


def test_its_answer_carries_its_name(source: Source, name: str, store: SqliteStore) -> None:
    fill(store)
    found = find(source)
    assert source.name == found.source == name
    assert found.seconds >= 0


def test_only_vectors_may_fail_a_search_and_leave_it_standing(source: Source, name: str) -> None:
    """F-SRC-1, F-SRC-5: what is read from our own store is required."""
    assert source.required is (name != "vector")


def test_best_first_and_no_memory_twice(source: Source, store: SqliteStore) -> None:
    fill(store)
    found = find(source)
    raws = [hit.raw for hit in found.hits]
    assert raws == sorted(raws, reverse=True)
    assert len(set(ids(found))) == len(found.hits) == 6


@pytest.mark.parametrize("limit", [0, 1, 5, 6, 7])
def test_the_limit_is_kept(source: Source, store: SqliteStore, limit: int) -> None:
    """F-SRC-6: and the best stay."""
    fill(store)
    assert ids(find(source, limit=limit)) == ids(find(source))[:limit]


@pytest.mark.parametrize(("there", "handed"), [(19, 19), (20, 20), (21, 20)])
def test_twenty_at_most(source: Source, store: SqliteStore, there: int, handed: int) -> None:
    """F-SRC-6."""
    fill(store, there)
    assert len(find(source).hits) == handed


def test_the_other_projects_word_is_never_found(source: Source, store: SqliteStore) -> None:
    """C-148: whatever is asked, and however much of it there is."""
    fill(store, 2, "a")
    fill(store, 8, "b")
    found = find(source)
    assert set(ids(found)) == {"a00", "a01"}
    assert "bsecret" not in repr(found.hits)
    other = replace(ASKED, scope=Scope(projects=(ProjectId("b"),)))
    assert len(find(source, other).hits) == 8


def test_no_project_and_an_unknown_project_find_nothing(source: Source, store: SqliteStore) -> None:
    """C-152: told apart from all projects."""
    fill(store)
    for projects in ((), (ProjectId("nobody's"),)):
        assert ids(find(source, replace(ASKED, scope=Scope(projects=projects)))) == []
    assert len(find(source, replace(ASKED, scope=Scope())).hits) == 6


def test_the_window_of_the_user_is_a_hard_limit(source: Source, store: SqliteStore) -> None:
    fill(store)
    window = Window(since=ago(3.5), before=ago(1.5))
    assert set(ids(find(source, replace(ASKED, scope=replace(A, window=window))))) == {"a02", "a03"}


def test_kinds_limit_what_is_found(source: Source, store: SqliteStore) -> None:
    fill(store)
    assert find(source, replace(ASKED, scope=replace(A, kinds=("note",)))).hits == ()
    assert len(find(source, replace(ASKED, scope=replace(A, kinds=("exchange",)))).hits) == 6


def test_no_score_passes_the_ceiling(source: Source, store: SqliteStore) -> None:
    """F-NORM-5: the ceiling makes the scale absolute; an answer that repeats the question nears it."""
    fill(store, 12)
    shelf = Shelf()
    it = shelf.say("echo", ASKED.text, " ".join([ASKED.text] * 20), mentions=("Redis",), session="e")
    for place in range(30):
        shelf.fact("Redis", "uses", f"rare{place}", evidence=it)
    shelf.save(store)
    backfill(store, HashedEmbedder())
    found = find(source)
    assert found.hits
    assert all(0 <= hit.raw <= found.ceiling for hit in found.hits)


def test_an_empty_store_has_no_hits(source: Source, name: str, store: SqliteStore) -> None:
    """Nothing is missing then; vectors still weigh what is kept elsewhere (F-SRC-2)."""
    assert store.count() == 0
    assert find(source).hits == ()
    stranger = memory("stranger", ASKED.text, kind=MemoryKind.NOTE)
    stranger = replace(stranger, origin=replace(stranger.origin, outside="elsewhere"))
    assert (stranger.id in source.weigh(ASKED, [stranger])) is (name in ("text", "vector", "time"))


def test_what_others_found_is_weighed_on_the_same_scale(source: Source, name: str, store: SqliteStore) -> None:
    """``weigh`` gives what ``find`` gave; those it knows nothing of are left out: of any date time knows enough."""
    fill(store)
    found = find(source)
    stranger = memory("stranger", "never stored", kind=MemoryKind.EXCHANGE)
    weighed = source.weigh(ASKED, [*(hit.memory for hit in found.hits), stranger])
    assert (weighed.pop(stranger.id, None) is not None) is (name == "time")
    if name in ("graph", "recent"):
        assert weighed == {}
    else:
        assert weighed == pytest.approx({hit.memory.id: hit.raw for hit in found.hits})


def test_nothing_to_weigh_weighs_nothing(source: Source, store: SqliteStore) -> None:
    fill(store)
    assert source.weigh(ASKED, []) == {}


def test_asking_twice_gives_the_same(source: Source, store: SqliteStore) -> None:
    fill(store)
    assert replace(find(source), seconds=0) == replace(find(source), seconds=0)


def test_an_empty_question(source: Source, name: str, store: SqliteStore) -> None:
    """F-PARSE-7: only ``recent`` has an answer to it."""
    fill(store)
    found = find(source, question("", scope=A))
    assert ids(found) == (["a00", "a01", "a02", "a03", "a04", "a05"] if name == "recent" else [])
