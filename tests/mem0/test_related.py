"""From memory to memory, ours and mem0's (F-TRAV-2, F-TRAV-3, F-TRAV-4, F-MEM0-7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.mem0.conftest import LONG, SEAMS
from tests.mem0.server import Platform
from tests.search.builders import NOW, Shelf, memory

from memory_fabric.clock import Deadline
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.memory_graph import MemoryRelation
from memory_fabric.model.query import Scope
from memory_fabric.search.memory_links import links_in
from memory_fabric.search.memory_walk import MAX_ASKED, MAX_PATHS, memory_paths, related_memories
from memory_fabric.sources.mem0.http import NotThere
from memory_fabric.sources.mem0.library import LibraryMem0
from memory_fabric.sources.mem0.related import Mem0Links
from memory_fabric.sources.mem0.source import Mem0Source
from memory_fabric.store.sqlite import SqliteStore

USER = "shop-decisions"


class Ring:
    """Memories that are related in a given way; counts what is looked up."""

    def __init__(self, **edges: str) -> None:
        names = {*edges, *"".join(edges.values())}
        self.memories = {name: memory(name, f"text of {name}") for name in sorted(names)}
        self.edges = edges
        self.asked: list[str] = []

    def __call__(self, one: Memory) -> list[tuple[MemoryRelation, Memory]]:
        self.asked.append(str(one.id))
        return [
            (MemoryRelation("uses" if end.islower() else "fixes", one.id, end, 1.0), self.memories[end])
            for end in self.edges.get(str(one.id), "")
        ]

    def related(self, start: str, depth: int, label: str | None = None) -> list[tuple[str, int]]:
        found = related_memories(self.memories[start], self, depth, label)
        return [(str(each.memory.id), each.depth) for each in found]

    def ways(self, start: str, depth: int, goal: str | None = None) -> list[str]:
        found = memory_paths(self.memories[start], self, depth, None, MemoryId(goal) if goal else None)
        return ["".join(step.memory.id for step in path.steps) for path in found]


@pytest.mark.parametrize(
    ("depth", "found"),
    [(0, "b"), (1, "b"), (2, "bc"), (3, "bcd"), (4, "bcde"), (5, "bcde")],
)
def test_memories_are_reached_within_the_depth(depth: int, found: str) -> None:
    """F-TRAV-2; 1 to 4 steps (F-TRAV-7)."""
    chain = Ring(a="b", b="c", c="d", d="e", e="f")
    assert chain.related("a", depth) == [(name, place) for place, name in enumerate(found, 1)]


def test_each_is_met_once_by_its_shortest_way() -> None:
    """F-TRAV-4: a circle ends the walk."""
    assert Ring(a="bc", b="ca", c="ab").related("a", 4) == [("b", 1), ("c", 1)]
    assert Ring(a="a").related("a", 4) == []


def test_a_type_of_relation_may_be_asked_for() -> None:
    ring = Ring(a="bC", b="d", C="e")
    assert ring.related("a", 2, "uses") == [("b", 1), ("d", 2)]
    assert ring.related("a", 2, "Fixes") == [("C", 1)]


def test_ways_meet_no_memory_twice() -> None:
    """F-TRAV-3, F-TRAV-4."""
    ring = Ring(a="bc", b="ca", c="d", d="a")
    assert ring.ways("a", 2) == ["ab", "ac", "abc", "acd"]
    assert ring.ways("a", 3, "d") == ["acd", "abcd"]
    assert ring.ways("a", 1, "d") == []
    assert ring.ways("a", 4, "a") == []


def test_walks_end_also_where_everything_is_related() -> None:
    """Each memory's neighbours may cost a request: a bounded number is looked up, and each once."""
    names = [chr(0x4E00 + number) for number in range(80)]
    all_of_them = "".join(names)
    ring = Ring(**dict.fromkeys(names, all_of_them))
    assert len(ring.ways(names[0], 4)) == MAX_PATHS
    ring.asked.clear()
    assert len(ring.related(names[0], 4)) == 79
    assert len(ring.asked) == len(set(ring.asked)) <= MAX_ASKED


# ── our own store ────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore.open(tmp_path / "memory.db", now=lambda: NOW)


def test_our_memories_are_related_by_what_is_said_of_the_same_things(store: SqliteStore) -> None:
    """F-TRAV-6: from who recommends to what that uses."""
    shelf = Shelf()
    one = shelf.say("m1", "who", "database-engineer recommends cursor-pagination", session="s1")
    two = shelf.say("m2", "what", "cursor-pagination uses offset-based approach", session="s2")
    three = shelf.say("m3", "other", "nothing of it", session="s3", mentions=("Zebra",))
    shelf.fact("database-engineer", "recommends", "cursor-pagination", evidence=one)
    shelf.fact("cursor-pagination", "uses", "offset-based approach", evidence=two)
    shelf.save(store)
    (start,) = store.get([one.id])
    (found,) = related_memories(start, links_in(store, Scope()), 2)
    assert (found.memory.id, found.depth) == (two.id, 1)
    assert found.relation == MemoryRelation("uses", one.id, two.id, 0.5, "cursor pagination uses offset based approach")
    assert related_memories(start, links_in(store, Scope()), 2, "recommends") == []
    (alone,) = store.get([three.id])
    assert related_memories(alone, links_in(store, Scope()), 2) == []
    store.close()


def test_without_relations_shared_entities_relate_and_other_projects_do_not(store: SqliteStore) -> None:
    """F-TRAV-2: the first three entities; C-148."""
    shelf = Shelf()
    one = shelf.say("m1", "q", "a", session="s1", mentions=("Redis", "Lua", "Go", "Zig"), project="p")
    shelf.say("m2", "q", "b", session="s2", mentions=("Lua", "Redis"), project="p")
    shelf.say("m3", "q", "c", session="s3", mentions=("Go",), project="p")
    shelf.say("m4", "q", "d", session="s4", mentions=("Zig",), project="p")
    shelf.say("m5", "q", "e", session="s5", mentions=("Redis",), project="other")
    shelf.save(store)
    (start,) = store.get([one.id])
    found = related_memories(start, links_in(store, Scope(projects=(start.project,))), 1)  # type: ignore[arg-type]
    assert [(str(each.memory.id), each.relation.type, each.relation.description) for each in found] == [
        ("m2", "shares_entity", "both: Redis, Lua"),
        ("m3", "shares_entity", "both: Go"),
    ]
    assert [each.relation.strength for each in found] == pytest.approx([2 / 3, 1 / 3])
    store.close()


# ── mem0 ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def links(source: Mem0Source) -> Mem0Links:
    return source.links(LONG)


def shown(found: list[tuple[MemoryRelation, Memory]]) -> list[tuple[str, str]]:
    return [(relation.type, other.text) for relation, other in found]


@pytest.mark.sockets
def test_what_a_server_with_a_graph_relates(links: Mem0Links, platform: Platform) -> None:
    """Entities that are related there relate the memories that name them, in the direction that was said."""
    platform.graph = True
    platform.relations = [
        {"source": "database-engineer", "relationship": "recommends", "target": "cursor pagination", "score": 0.9},
        {"source": "cursor pagination", "relationship": "replaces", "target": "offsets"},
    ]
    one = platform.keep("The database-engineer asks for pagination", user_id=USER)
    two = platform.keep("All pagination is cursor pagination", user_id=USER)
    platform.keep("The pagination with offsets is slow", user_id=USER)
    start = links.memory(f"mem0:{one}")
    (first,) = links(start)
    assert first[0] == MemoryRelation(
        "recommends", start.id, MemoryId(f"mem0:mem0:{two}"), 0.9, "database-engineer recommends cursor pagination"
    )
    found = related_memories(start, links, 2)
    assert [(each.memory.text, each.depth, each.relation.type) for each in found] == [
        ("All pagination is cursor pagination", 1, "recommends"),
        ("The pagination with offsets is slow", 2, "replaces"),
    ]
    assert related_memories(start, links, 2, "replaces") == []
    back = links(links.memory(two))
    assert (back[0][0].type, back[0][0].source_id) == ("recommends", start.id)


@pytest.mark.sockets
def test_memories_that_mem0_itself_links_are_related(links: Mem0Links, platform: Platform) -> None:
    old = platform.keep("Sessions were in files", user_id=USER)
    new = platform.keep("Sessions are in Redis", user_id=USER, linked_memory_ids=[old, "gone"])
    assert shown(links(links.memory(new))) == [("linked", "Sessions were in files")]


@pytest.mark.parametrize("form", ["cloud", "library"])
@pytest.mark.sockets
def test_without_a_graph_shared_entities_relate(form: str, request: pytest.FixtureRequest) -> None:
    """F-TRAV-2: search on the first three entities."""
    backend = request.getfixturevalue(form)
    source = Mem0Source("mem0", backend, SEAMS)
    one = backend.add("PostgreSQL and Redis and Kafka and Docker", USER, {}, LONG)
    for text in ("Redis holds sessions", "Kafka holds events", "Docker is for tests", "nothing of all that"):
        backend.add(text, USER, {}, LONG)
    links = source.links(LONG)
    found = links(links.memory(one))
    assert sorted(shown(found)) == [("shares_entity", "Kafka holds events"), ("shares_entity", "Redis holds sessions")]
    assert all(0 < (relation.strength or 0) <= 1 for relation, _ in found)


@pytest.mark.sockets
def test_a_server_that_gave_no_relations_is_not_asked_for_them_again(links: Mem0Links, platform: Platform) -> None:
    first, second = (platform.keep(f"Redis holds {what}", user_id=USER) for what in ("sessions", "queues"))
    for record in (first, second):
        assert len(links(links.memory(record))) == 1
    assert platform.paths().count("POST /v2/memories/search/") == 1


@pytest.mark.sockets
def test_an_unknown_memory_is_said_to_be_unknown(links: Mem0Links) -> None:
    with pytest.raises(NotThere):
        links.memory("mem0:nothing")


def test_the_library_keeps_its_word_within_the_deadline(library: LibraryMem0) -> None:
    from memory_fabric.errors import DeadlinePassed

    record = library.add("Redis holds sessions", USER, {}, LONG)
    source = Mem0Source("mem0", library, SEAMS)
    start = source.links(LONG).memory(record)
    with pytest.raises(DeadlinePassed):
        source.links(Deadline.after(0.0))(start)
