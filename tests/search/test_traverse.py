"""Walks and paths: bounded, cycle-safe, live relations only (F-TRAV-1 to F-TRAV-10)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import Shelf, ago, memory

from memory_fabric.errors import UsageError
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation, RelationOrigin
from memory_fabric.model.memory import MemoryId, ProjectId
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.search import traverse
from memory_fabric.search.related import as_written, connections, related
from memory_fabric.search.traverse import (
    HUB_DEGREE,
    HUB_NEIGHBOURS,
    MAX_EDGES,
    MAX_NODES,
    MAX_PATHS,
    carries,
    paths,
    walk,
)
from memory_fabric.store.sqlite import SqliteStore

ALL = Scope()


def edge(subject: str, object_: str, label: str = "near") -> Relation:
    return Relation(EntityId(subject), None, EntityId(object_), label, RelationOrigin.STATED)


class Edges:
    """A graph in memory: the two methods that a walk asks, first edge first."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self.all = [edge(*pair) for pair in pairs]

    def edges(
        self,
        ids: Iterable[EntityId],
        scope: Scope,  # noqa: ARG002
        limit: int,
        predicate: Predicate | None = None,  # noqa: ARG002
    ) -> list[Relation]:
        asked = set(ids)
        return [each for each in self.all if asked & {each.subject, each.object}][:limit]

    def degrees(self, ids: Iterable[EntityId], most: int = 2**31) -> dict[EntityId, int]:
        return {id_: min(most, sum(id_ in (each.subject, each.object) for each in self.all)) for id_ in ids}

    def find(self, names: Iterable[str]) -> list[Entity]:
        return [Entity(EntityId(name), name, Kind.CONCEPT) for name in names]

    def suggest(self, name: str, limit: int) -> list[Entity]:  # noqa: ARG002
        return []

    def entities(self, ids: Iterable[EntityId]) -> dict[EntityId, Entity]:
        return {id_: Entity(id_, id_, Kind.CONCEPT) for id_ in ids}

    def mentions(self, ids: object, scope: Scope, limit: int) -> dict[EntityId, list[MemoryId]]:  # noqa: ARG002
        return {}

    def spread(self, ids: Iterable[EntityId]) -> dict[EntityId, tuple[int, int]]:
        return dict.fromkeys(ids, (0, 0))

    def mentioned(self, memories: object) -> dict[MemoryId, list[Entity]]:  # noqa: ARG002
        return {}

    def evidence(self, memories: object, scope: Scope) -> dict[MemoryId, list[Relation]]:  # noqa: ARG002
        return {}


def chain(length: int) -> Edges:
    return Edges((f"n{place}", f"n{place + 1}") for place in range(length))


def reached(graph: Edges, depth: int, start: str = "n0") -> dict[str, int]:
    return {str(id_): hops for id_, hops in walk(graph, [EntityId(start)], ALL, depth).hops.items()}


# ── reach ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("depth", "far"), [(-1, 1), (0, 1), (1, 1), (2, 2), (3, 3), (4, 4), (5, 4), (100, 4)])
def test_depth_is_clamped_to_one_to_four(depth: int, far: int) -> None:
    """F-TRAV-7."""
    assert max(reached(chain(9), depth).values()) == far


def test_walks_go_against_the_arrows_and_report_them_as_they_are() -> None:
    """F-TRAV-7: undirected for reach, directed in output."""
    around = walk(Edges([("b", "a"), ("b", "c")]), [EntityId("a")], ALL, 2)
    assert dict(around.hops) == {"a": 0, "b": 1, "c": 2}
    assert [(step.relation.subject, step.relation.object, step.hops) for step in around.steps] == [
        ("b", "a", 1),
        ("b", "c", 2),
    ]


def test_a_cycle_ends_the_walk_and_is_reported() -> None:
    """F-TRAV-4."""
    around = walk(Edges([("a", "b"), ("b", "c"), ("c", "a")]), [EntityId("a")], ALL, 4)
    assert dict(around.hops) == {"a": 0, "b": 1, "c": 1}
    assert len(around.steps) == 3
    assert not around.cut


def test_a_self_loop_is_one_step() -> None:
    """F-TRAV-4."""
    around = walk(Edges([("a", "a"), ("a", "b")]), [EntityId("a")], ALL, 4)
    assert dict(around.hops) == {"a": 0, "b": 1}
    assert len(around.steps) == 2


def test_several_starts_count_from_the_nearest() -> None:
    around = walk(chain(6), [EntityId("n0"), EntityId("n5")], ALL, 2)
    assert dict(around.hops) == {"n0": 0, "n5": 0, "n1": 1, "n4": 1, "n6": 1, "n2": 2, "n3": 2}


def star(rays: int) -> list[tuple[str, str]]:
    return [("hub", f"ray{place}") for place in range(rays)]


@pytest.mark.parametrize(("rays", "passed"), [(HUB_DEGREE - 2, True), (HUB_DEGREE - 1, True), (HUB_DEGREE, False)])
def test_entities_of_degree_above_40_are_not_walked_through(rays: int, passed: bool) -> None:
    """F-TRAV-8: 40 is walked through, 41 is not; the way in counts as one."""
    assert HUB_DEGREE == 40
    around = walk(Edges([("start", "hub"), *star(rays)]), [EntityId("start")], ALL, 2)
    assert ("ray0" in around.hops) is passed
    assert around.hubs == (() if passed else ("hub",))
    if passed:
        assert len(around.hops) == rays + 2


def test_a_hub_that_is_asked_about_leads_to_its_best_neighbours() -> None:
    """F-TRAV-8: a query naming only a hub expanded to nothing."""
    around = walk(Edges(star(HUB_DEGREE + 1)), [EntityId("hub")], ALL, 1)
    assert list(around.hops) == ["hub", *(f"ray{place}" for place in range(HUB_NEIGHBOURS))]
    assert len(walk(Edges(star(HUB_DEGREE)), [EntityId("hub")], ALL, 1).hops) == HUB_DEGREE + 1


def fan(leaves: int, per: int = 30) -> Edges:
    """So many leaves at depth two or three, no entity a hub."""
    inner = -(-leaves // per)
    pairs = [("root", f"branch{place}") for place in range(inner)]
    return Edges(pairs + [(f"branch{place // per}", f"leaf{place}") for place in range(leaves)])


@pytest.mark.parametrize(("nodes", "cut"), [(199, False), (200, False), (201, True)])
def test_a_walk_holds_200_entities(nodes: int, cut: bool) -> None:
    """F-TRAV-7."""
    assert MAX_NODES == 200
    leaves = next(n for n in range(nodes) if 1 + n + -(-n // 30) == nodes)
    around = walk(fan(leaves), [EntityId("root")], ALL, 2)
    assert len(around.hops) == min(nodes, MAX_NODES)
    assert around.cut is cut


@pytest.mark.parametrize(("edges", "cut"), [(299, False), (300, False), (301, True)])
def test_a_walk_holds_300_relations(edges: int, cut: bool) -> None:
    """F-TRAV-7: between few entities, so that none is a hub."""
    assert MAX_EDGES == 300
    names = [f"n{place}" for place in range(30)]
    pairs = [(a, b) for a in names for b in names if a < b][:edges]
    around = walk(Edges(pairs), [EntityId(name) for name in names], ALL, 1)
    assert len(around.steps) == min(edges, MAX_EDGES)
    assert around.cut is cut


# ── filters ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("label", "wanted", "carried"),
    [
        ("recommends", "decided", True),
        ("recommends", "recommends", True),
        ("recommends", "Recommends", True),
        ("recommends", "uses", False),
        ("used_for", "uses", True),
        ("used for", "used-for", True),
        ("sits beside", "sits_beside", True),
        ("sits beside", "part_of", False),
    ],
)
def test_a_relation_is_found_by_its_predicate_and_by_its_given_label(label: str, wanted: str, carried: bool) -> None:
    """F-TRAV-1, F-VOC-3: ``--relation-type recommends``."""
    shelf = Shelf()
    assert carries(shelf.fact("a", label, "b"), wanted) is carried


def test_the_filter_holds_at_every_hop(store: SqliteStore) -> None:
    """F-TRAV-1."""
    shelf = Shelf()
    shelf.fact("a", "uses", "b")
    shelf.fact("b", "uses", "c")
    shelf.fact("b", "fixes", "d")
    shelf.fact("a", "fixes", "e")
    shelf.save(store)
    assert {*walk(store, [EntityId("a")], ALL, 3, "uses").hops} == {"a", "b", "c"}
    assert {*walk(store, [EntityId("a")], ALL, 3).hops} == {"a", "b", "c", "d", "e"}


def test_a_rare_label_is_found_at_a_hub(store: SqliteStore) -> None:
    shelf = Shelf()
    for place in range(MAX_EDGES + 1):
        shelf.fact("hub", "uses", f"x{place}", days=0)
    shelf.fact("hub", "fixes", "rare", days=500)
    shelf.save(store)
    assert "rare" in walk(store, [EntityId("hub")], ALL, 1, "fixes").hops


def test_superseded_relations_are_not_walked_unless_asked_for(store: SqliteStore) -> None:
    """F-TRAV-10, C-059: a later place replaces the earlier one; the earlier is kept."""
    shelf = Shelf()
    shelf.fact("ledger", "part_of", "billing", days=30)
    shelf.fact("ledger", "part_of", "accounts", days=10)
    shelf.fact("shop", "uses", "cache", days=40, ends=20)
    shelf.save(store)
    assert "billing" not in walk(store, [EntityId("ledger")], ALL, 2).hops
    assert "accounts" in walk(store, [EntityId("ledger")], ALL, 2).hops
    assert "billing" in walk(store, [EntityId("ledger")], replace(ALL, superseded=True), 2).hops
    assert "billing" in walk(store, [EntityId("ledger")], replace(ALL, as_of=ago(15)), 2).hops
    assert walk(store, [EntityId("shop")], ALL, 2).steps == ()
    assert paths(store, EntityId("ledger"), EntityId("billing"), ALL, 2) == []


def test_relations_of_other_projects_are_not_walked(store: SqliteStore) -> None:
    """F-TRAV-10, C-148."""
    shelf = Shelf()
    shelf.fact("redis", "uses", "ours", project="a")
    shelf.fact("redis", "uses", "theirs", project="b")
    shelf.fact("theirs", "uses", "ours", project="b")
    shelf.save(store)
    here = Scope(projects=(ProjectId("a"),))
    assert {*walk(store, [EntityId("redis")], here, 3).hops} == {"redis", "ours"}
    assert paths(store, EntityId("redis"), EntityId("theirs"), here, 3) == []
    assert walk(store, [EntityId("redis")], Scope(projects=()), 3).steps == ()


# ── paths ────────────────────────────────────────────────────────────────────────────────────────────────────────


def ways(graph: Edges, start: str, goal: str, depth: int = 4) -> list[str]:
    return ["-".join(path.entities) for path in paths(graph, EntityId(start), EntityId(goal), ALL, depth)]


def test_paths_come_shortest_first() -> None:
    """F-TRAV-3."""
    graph = Edges([("a", "b"), ("b", "c"), ("c", "z"), ("a", "m"), ("m", "z"), ("a", "z")])
    assert ways(graph, "a", "z") == ["a-z", "a-m-z", "a-b-c-z"]
    assert ways(graph, "z", "a") == ["z-a", "z-m-a", "z-c-b-a"]
    assert ways(graph, "a", "z", 2) == ["a-z", "a-m-z"]


@pytest.mark.parametrize(("depth", "found"), [(-1, 0), (0, 0), (1, 0), (2, 1), (4, 1)])
def test_paths_are_no_longer_than_asked(depth: int, found: int) -> None:
    """F-TRAV-3: default 2."""
    assert len(ways(chain(2), "n0", "n2", depth)) == found


@pytest.mark.parametrize(("length", "found"), [(3, 1), (4, 1), (5, 0)])
def test_no_path_is_longer_than_four(length: int, found: int) -> None:
    """F-TRAV-7."""
    assert len(ways(chain(length), "n0", f"n{length}", 99)) == found


def test_a_depth_of_zero_is_one() -> None:
    assert ways(chain(1), "n0", "n1", 0) == ["n0-n1"]


def test_a_path_does_not_lead_through_a_hub_and_may_end_there() -> None:
    """F-TRAV-8."""
    graph = Edges([("a", "hub"), ("hub", "z"), *star(HUB_DEGREE)])
    assert ways(graph, "a", "z") == []
    assert ways(graph, "a", "hub") == ["a-hub"]
    assert ways(graph, "hub", "z") == ["hub-z"]


def test_a_hub_is_connected_to_what_it_does_not_list_first() -> None:
    """F-TRAV-8: the walk begins at the sparser end."""
    assert ways(Edges([*star(HUB_DEGREE + 9), ("hub", "last")]), "hub", "last") == ["hub-last"]


def test_a_thing_has_no_path_to_itself() -> None:
    assert ways(Edges([("a", "a"), ("a", "b"), ("b", "a")]), "a", "a") == []


def test_dense_graphs_give_the_first_paths_only() -> None:
    """F-TRAV-4: never a hang."""
    names = [f"n{place:02}" for place in range(24)]
    graph = Edges((a, b) for a in names for b in names if a < b)
    found = ways(graph, "n00", "n23")
    assert len(found) == MAX_PATHS
    assert found[0] == "n00-n23"
    assert ways(Edges([*((a, b) for a in names for b in names if a < b), ("x", "y")]), "n00", "y") == []


small = st.lists(st.tuples(st.sampled_from("abcdefg"), st.sampled_from("abcdefg")), max_size=16)


@given(small, st.integers(-1, 6))
def test_a_path_never_repeats_an_entity(pairs: list[tuple[str, str]], depth: int) -> None:
    """F-TRAV-4: and every step of it is a relation of the graph."""
    found = paths(Edges(pairs), EntityId("a"), EntityId("b"), ALL, depth)
    assert [path.hops for path in found] == sorted(path.hops for path in found)
    for path in found:
        assert path.entities[0] == "a"
        assert path.entities[-1] == "b"
        assert len(set(path.entities)) == len(path.entities) == path.hops + 1
        assert path.hops <= traverse.clamped(depth)
        for here, there, relation in zip(path.entities, path.entities[1:], path.relations, strict=False):
            assert {here, there} == {relation.subject, relation.object}


@given(small, st.integers(1, 4))
def test_distances_are_those_of_the_shortest_way(pairs: list[tuple[str, str]], depth: int) -> None:
    found = reached(Edges(pairs), depth, "a")
    near = {"a": 0}
    for distance in range(1, depth + 1):
        for one, other in [*pairs, *((b, a) for a, b in pairs)]:
            if near.get(one) == distance - 1:
                near.setdefault(other, distance)
    assert found == near


# ── with names ───────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def shop(store: SqliteStore) -> SqliteStore:
    shelf = Shelf()
    said = shelf.put(memory("m1", "database-engineer recommends cursor-pagination"), "database-engineer")
    shelf.fact("database-engineer", "recommends", "cursor-pagination", evidence=said)
    shelf.fact("pgvector", "used_for", "retrieval")
    shelf.mentions.append(Mention(said.id, EntityId("database engineer")))
    shelf.save(store)
    return store


def test_what_is_related_to_an_entity(shop: SqliteStore) -> None:
    """F-TRAV-1: whatever way its name is written; the evidence is there."""
    found = related(shop, "Database Engineer", ALL)
    assert [(entity.name, hops) for entity, hops in found.entities] == [("cursor-pagination", 1)]
    assert [each.id for each in found.memories] == ["m1"]
    assert as_written(found.steps[0].relation, found.names) == ("database-engineer", "recommends", "cursor-pagination")


def test_an_inverted_label_is_shown_as_it_was_said(shop: SqliteStore) -> None:
    """F-VOC-5."""
    found = related(shop, "retrieval", ALL)
    assert as_written(found.steps[0].relation, found.names) == ("pgvector", "used_for", "retrieval")


def test_what_is_related_to_a_memory(shop: SqliteStore) -> None:
    """F-TRAV-2: by its entities, with or without the source before the id (F-NORM-2)."""
    for name in ("m1", "graph:m1"):
        assert [entity.name for entity, _ in related(shop, name, ALL).entities] == ["cursor-pagination"]


@pytest.mark.parametrize(
    ("name", "hint"), [("databas-enginer", "database-engineer"), ("zzzz", "status"), ("", "status")]
)
def test_an_unknown_name_is_the_users_mistake(shop: SqliteStore, name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        related(shop, name, ALL)
    assert hint in caught.value.hint


def test_how_two_things_are_connected(shop: SqliteStore) -> None:
    """F-TRAV-3."""
    found = connections(shop, "cursor-pagination", "database-engineer", ALL)
    assert [path.hops for path in found.paths] == [1]
    assert {each.name for each in found.names.values()} == {"database-engineer", "cursor-pagination"}
    assert connections(shop, "retrieval", "database-engineer", ALL).paths == ()
