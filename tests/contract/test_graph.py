"""Entities, relations that hold, and what ends them."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_fabric.model.graph import EntityId, Relation
from memory_fabric.model.memory import MemoryId, ProjectId
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Batch, Store

if TYPE_CHECKING:
    from tests.contract.conftest import Build, OpenStore


def objects(store: Store, subject: str, scope: Scope | None = None) -> set[str]:
    return {edge.object for edge in store.edges([EntityId(subject)], scope or Scope(), 99) if edge.subject == subject}


def test_entities_are_found_by_any_name_in_the_order_asked(store: Store, build: Build) -> None:
    """F-EXTR-13, F-ERR-12: two entities may share a name."""
    postgres = build.entity("PostgreSQL", Kind.TECHNOLOGY, "Postgres", "pg")
    rows = build.entity("user_table", Kind.ARTIFACT, "Postgres")
    store.save(build.batch(entities=(postgres, rows, build.entity("Redis"))))
    assert [e.name for e in store.find(["POSTGRES", "redis", "none"])] == ["PostgreSQL", "user_table", "Redis"]
    assert [e.name for e in store.find(["redis", "User Table", "Redis"])] == ["Redis", "user_table"]
    assert store.find([]) == []
    assert store.entities([EntityId("postgresql"), EntityId("none")]) == {EntityId("postgresql"): postgres}


def test_a_misspelt_name_is_answered_with_those_that_resemble_it(store: Store, build: Build) -> None:
    store.save(build.batch(entities=(build.entity("PostgreSQL"), build.entity("Redis"), build.entity("pagination"))))
    assert [e.name for e in store.suggest("postgrsql", 3)][:1] == ["PostgreSQL"]
    assert store.suggest("zzzzqqqq", 3) == []
    assert store.suggest("", 3) == store.suggest("redis", 0) == []
    store.save(build.batch(entities=(build.entity("zzzzqqqq lib"),)))
    assert [e.name for e in store.suggest("zzzzqqq lib", 1)] == ["zzzzqqqq lib"], "new names are known at once"


def test_edges_are_grouped_best_supported_first_then_newest(store: Store, build: Build) -> None:
    records = [build.record(f"m{i}", seq=i) for i in range(4)]
    uses = [build.relation("a", Predicate.USES, "b", day=i, evidence=f"m{i}") for i in range(2)]
    others = [
        build.relation("c", Predicate.FIXES, "a", day=1, evidence="m2"),
        build.relation("a", Predicate.CAUSES, "d", day=2, evidence="m3"),
    ]
    store.save(build.batch(*records, relations=(*uses, *others)))
    edges = store.edges([EntityId("a")], Scope(), 9)
    assert [(e.subject, e.object) for e in edges] == [("a", "b"), ("a", "d"), ("c", "a")]
    assert edges[0].evidence == "m1", "the newest evidence speaks for the fact"
    assert len(store.edges([EntityId("a")], Scope(), 2)) == 2
    assert store.edges([EntityId("a")], Scope(), 1, Predicate.FIXES) == [edges[2]], "the limit counts those alone"
    assert store.edges([EntityId("a")], Scope(), 9, Predicate.REPLACES) == []
    assert store.edges([EntityId("a"), EntityId("b")], Scope(), 9) == edges, "an edge between two starts comes once"
    assert store.edges([], Scope(), 9) == store.edges([EntityId("x")], Scope(), 9) == []
    assert store.degrees([EntityId("a"), EntityId("b"), EntityId("x")]) == {"a": 3, "b": 1, "x": 0}
    ends = [EntityId("a"), EntityId("b")]
    assert [store.degrees(ends, most) for most in (0, 1, 2, 3, 4)] == [
        {"a": 0, "b": 0},
        {"a": 1, "b": 1},
        {"a": 2, "b": 1},
        {"a": 3, "b": 1},
        {"a": 3, "b": 1},
    ]


def test_mentions_are_newest_first_and_limited_for_each_entity(store: Store, build: Build) -> None:
    days = [1, None, 3, 2]
    records = [build.record(f"m{i}", day=day, seq=i, session=f"s{i % 2}") for i, day in enumerate(days)]
    mentions = [build.mention(f"m{i}", "hub") for i in range(4)] + [build.mention("m0", "b")]
    store.save(build.batch(*records, entities=(build.entity("Hub"),), mentions=tuple(mentions)))
    ids = [EntityId("hub"), EntityId("b"), EntityId("none")]
    assert store.mentions(ids, Scope(), 3) == {"hub": ["m2", "m3", "m0"], "b": ["m0"]}
    assert store.spread(ids) == {"hub": (4, 2), "b": (1, 1), "none": (0, 0)}
    assert [e.name for e in store.mentioned([MemoryId("m0")])[MemoryId("m0")]] == ["Hub", "b"]
    assert store.mentioned([MemoryId("none")]) == {}


def test_a_later_object_of_a_single_valued_predicate_ends_the_earlier_one(store: Store, build: Build) -> None:
    """C-143, decision 9: the old one stays, and is shown when asked for."""
    old, new = (build.relation("module", Predicate.PART_OF, to, day=day) for to, day in (("shop", 1), ("core", 5)))
    store.save(Batch(relations=(old, new)))
    assert objects(store, "module") == {"core"}
    assert store.degrees([EntityId("shop"), EntityId("module")]) == {"shop": 0, "module": 1}
    both = store.edges([EntityId("module")], Scope(superseded=True), 9)
    assert {(e.object, e.valid_to) for e in both} == {("shop", build.at(5)), ("core", None)}
    assert store.census().superseded == 1


@pytest.mark.parametrize(
    ("day", "expected"), [(0.9, set()), (1, {"shop"}), (4.9, {"shop"}), (5, {"core"}), (9, {"core"})]
)
def test_as_of_shows_what_held_then(store: Store, build: Build, day: float, expected: set[str]) -> None:
    """C-059, F-TRAV-10: the begin belongs to the interval, the end does not."""
    relations = tuple(build.relation("m", Predicate.PART_OF, to, day=at) for to, at in (("shop", 1), ("core", 5)))
    store.save(Batch(relations=relations))
    assert objects(store, "m", Scope(as_of=build.at(day))) == expected


def test_a_stated_end_hides_a_fact_once_it_has_passed(store: Store, build: Build) -> None:
    """C-059: in every read of the graph.  The store's present is day 1000."""
    past = build.relation("a", Predicate.USES, "old", day=0, ends=1000, evidence="m1")
    future = build.relation("a", Predicate.USES, "new", day=0, ends=1000.001, evidence="m1")
    store.save(build.batch(build.record("m1"), relations=(past, future)))
    assert objects(store, "a") == {"new"}
    assert [r.object for r in store.evidence([MemoryId("m1")], Scope())[MemoryId("m1")]] == ["new"]
    assert store.degrees([EntityId("a")]) == {"a": 1}
    assert objects(store, "a", Scope(superseded=True)) == {"new", "old"}


def test_multi_valued_predicates_accumulate(store: Store, build: Build) -> None:
    store.save(Batch(relations=tuple(build.relation("a", Predicate.USES, f"t{i}", day=i) for i in range(3))))
    assert objects(store, "a") == {"t0", "t1", "t2"}


def test_another_project_and_the_same_instant_end_nothing(store: Store, build: Build) -> None:
    here = build.relation("m", Predicate.PART_OF, "a", day=1)
    there = build.relation("m", Predicate.PART_OF, "b", day=2, project="p2")
    together = build.relation("m", Predicate.PART_OF, "c", day=1)
    store.save(Batch(relations=(here, there, together)))
    assert objects(store, "m") == {"a", "b", "c"}


@pytest.mark.parametrize(("uses_day", "ended"), [(None, True), (2.9, True), (3, True), (3.1, False)])
@pytest.mark.parametrize("later_ingest", ["uses", "replaces"])
def test_a_replacement_ends_uses_said_before_it_or_with_it(
    store: Store, build: Build, uses_day: float | None, ended: bool, later_ingest: str
) -> None:
    uses = build.relation("app", Predicate.USES, "redis", day=uses_day)
    replaces = build.relation("valkey", Predicate.REPLACES, "redis", day=3)
    for relation in (replaces, uses) if later_ingest == "uses" else (uses, replaces):
        store.save(Batch(relations=(relation,)))
    assert objects(store, "app") == (set() if ended else {"redis"})
    assert objects(store, "valkey") == {"redis"}


def test_a_replacement_leaves_other_projects_alone(store: Store, build: Build) -> None:
    uses = build.relation("app", Predicate.USES, "redis", project="p2")
    store.save(Batch(relations=(uses, build.relation("valkey", Predicate.REPLACES, "redis", day=3))))
    assert objects(store, "app") == {"redis"}


def test_a_fact_holds_again_when_its_successor_is_forgotten(store: Store, build: Build) -> None:
    old = build.relation("m", Predicate.PART_OF, "a", day=1)
    new = build.relation("m", Predicate.PART_OF, "b", day=2, evidence="m1")
    store.save(build.batch(build.record("m1"), relations=(old, new)))
    assert objects(store, "m") == {"b"}
    store.forget([MemoryId("m1")], "asked", build.at(9))
    assert objects(store, "m") == {"a"}


def test_an_equal_relation_with_an_end_ends_the_stored_one(store: Store, build: Build) -> None:
    store.save(Batch(relations=(build.relation("a", Predicate.USES, "b", day=1),)))
    assert store.save(Batch(relations=(build.relation("a", Predicate.USES, "b", day=1, ends=4),))).relations == 0
    assert objects(store, "a") == set()
    assert objects(store, "a", Scope(as_of=build.at(3))) == {"b"}


FACTS = st.tuples(
    st.sampled_from(["part_of", "uses", "replaces"]),
    st.sampled_from("ab"),
    st.sampled_from("xyz"),
    st.none() | st.integers(0, 4),
    st.sampled_from(["p1", "p2"]),
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(facts=st.lists(FACTS, max_size=7), data=st.data())
def test_the_order_of_ingest_does_not_matter(
    open_store: OpenStore, build: Build, facts: list[tuple[str, str, str, int | None, str]], data: st.DataObject
) -> None:
    """Decision 9: facts end by when they happened, not by when they were read."""
    relations = [
        build.relation(subject, Predicate(predicate), target, day=day, project=project, label=f"{predicate} {number}")
        for number, (predicate, subject, target, day, project) in enumerate(facts)
    ]
    names = (f"{next(COUNTER)}" for _ in range(2))
    views = []
    for name, order in zip(names, (relations, data.draw(st.permutations(relations))), strict=True):
        store = open_store(name)
        for relation in order:
            store.save(Batch(relations=(relation,)))
        views.append(everything(store))
        store.close()
    assert views[0] == views[1] == {(r.label, expected_end(r, relations)) for r in relations}


COUNTER = itertools.count()


def everything(store: Store) -> set[tuple[str, object]]:
    edges = store.edges([EntityId(name) for name in "abxyz"], Scope(superseded=True), 999)
    return {(edge.label, edge.valid_to) for edge in edges}


def expected_end(relation: Relation, others: list[Relation]) -> object:
    """The rule, said plainly."""
    ends = []
    for other in others:
        if other.project != relation.project or other.valid_from is None:
            continue
        later = relation.valid_from is None or other.valid_from > relation.valid_from
        rival = relation.predicate is other.predicate is Predicate.PART_OF and relation.subject == other.subject
        if rival and later and other.object != relation.object:
            ends.append(other.valid_from)
        replaced = relation.predicate is Predicate.USES and other.predicate is Predicate.REPLACES
        if replaced and other.object == relation.object and (later or other.valid_from == relation.valid_from):
            ends.append(other.valid_from)
    return min(ends, default=None)


def test_edges_stay_in_scope_even_from_a_shared_entity(store: Store, build: Build) -> None:
    """C-148, F-TRAV-10: out-of-scope edges never bring items back."""
    store.save(
        Batch(
            relations=(
                build.relation("hub", Predicate.USES, "mine"),
                build.relation("hub", Predicate.USES, "theirs", project="p2"),
            )
        )
    )
    assert objects(store, "hub", Scope(projects=(ProjectId("p1"),))) == {"mine"}


def test_evidence_from_several_projects_supports_one_fact(store: Store, build: Build) -> None:
    """The best supported comes first, told by its newest evidence, however its relations are spread over projects."""
    where = [("m0", "p1", 1), ("m1", "p2", 9), ("m2", "p1", 3), ("m3", "p2", 4), ("m4", "p1", 8)]
    records = [build.record(key, seq=i, project=project, day=day) for i, (key, project, day) in enumerate(where)]
    uses = [
        build.relation(
            "hub",
            Predicate.USES,
            "often" if key in ("m0", "m1", "m2") else "seldom",
            day=day,
            project=project,
            evidence=key,
        )
        for key, project, day in where
    ]
    names = (build.entity("Hub"), build.entity("Often"), build.entity("Seldom"))
    store.save(build.batch(*records, entities=names, relations=tuple(uses)))
    found = store.edges([EntityId("hub")], Scope(), 9)
    assert [(str(fact.object), fact.evidence) for fact in found] == [("often", "m1"), ("seldom", "m4")]
    assert store.edges([EntityId("hub")], Scope(), 1) == found[:1]
    assert [str(fact.object) for fact in store.edges([EntityId("often"), EntityId("seldom")], Scope(), 9)] == [
        "often",
        "seldom",
    ]
