"""The graph as clients of the official memory server use it, over every back end (F-MCP-4 to F-MCP-12)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_fabric.curate.health import examine
from memory_fabric.errors import UsageError
from memory_fabric.model.graph import Entity, EntityId
from memory_fabric.model.memory import MemoryId, ProjectId
from memory_fabric.model.nodes import Link, Node, Observations, Subgraph
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Batch, Store
from memory_fabric.text import analyse, entity_key

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
ALL = Scope()
BUILD = Node("build", "topic", ("uses pnpm", "runs in 40 s"))
CI = Node("ci", "topic")
REDIS = Entity(EntityId("technology:redis"), "Redis", Kind.TECHNOLOGY)
MEMCACHED = Entity(EntityId("technology:memcached"), "Memcached", Kind.TECHNOLOGY)
RUNS_IN = Link("build", "runs_in", "ci")


def names(found: Subgraph) -> list[str]:
    return [node.name for node in found.nodes]


def test_what_is_created_is_read_back_word_for_word(store: Store) -> None:
    """F-MCP-4, F-MCP-5, F-VOC-4: labels outside the vocabulary too."""
    assert store.create_nodes([BUILD, CI], NOW).new == (BUILD, CI)
    assert store.create_links([RUNS_IN], NOW).new == (RUNS_IN,)
    assert store.list_nodes(ALL, 0, 10) == [BUILD, CI]
    assert store.list_links(ALL, 0, 10) == [RUNS_IN]
    assert store.graph_size(ALL) == (2, 1)
    assert store.open_nodes(["build"], ALL) == Subgraph((BUILD,), (RUNS_IN,))


def test_only_what_is_new_is_created_and_what_was_not_taken_is_told(store: Store) -> None:
    """F-MCP-4."""
    store.create_nodes([BUILD], NOW)
    created = store.create_nodes([Node("build", "other", ("is fast",)), CI], NOW)
    assert created.new == (CI,)
    assert created.ignored == (Observations("build", ("is fast",)),)
    assert store.open_nodes(["build"], ALL).nodes == (BUILD,)


def test_a_batch_does_not_hold_an_entity_twice(store: Store) -> None:
    """C-047."""
    assert store.create_nodes([Node("api", "x"), Node("api", "x")], NOW).new == (Node("api", "x"),)
    assert store.graph_size(ALL)[0] == 1


def test_spellings_of_a_name_are_one_entity(store: Store) -> None:
    """C-050."""
    created = store.create_nodes([Node(name, "db") for name in ("Redis", "redis", "REDIS ", "ＲＥＤＩＳ")], NOW)
    assert [node.name for node in created.new] == ["Redis"]
    assert names(store.open_nodes(["redis"], ALL)) == ["Redis"]


def test_a_link_to_an_unknown_name_waits_for_it(store: Store) -> None:
    """C-048, D-4, F-ERR-10."""
    store.create_nodes([Node("a", "x")], NOW)
    assert store.create_links([Link("a", "needs", "Ghost")], NOW).unresolved == ("Ghost",)
    assert store.unresolved(5) == ["Ghost"]
    shown = [check.detail for check in examine(store, lambda: None) if check.name == "relations"]
    assert shown == ["to names without an entity: Ghost"]
    assert store.list_nodes(ALL, 0, 10) == [Node("a", "x")]
    assert store.list_links(ALL, 0, 10) == [Link("a", "needs", "Ghost")]
    store.create_nodes([Node("Ghost", "spirit")], NOW)
    assert store.unresolved(5) == []
    assert store.open_nodes(["Ghost"], ALL) == Subgraph((Node("Ghost", "spirit"),), (Link("a", "needs", "Ghost"),))


def test_a_link_is_stored_once_in_the_direction_it_was_given(store: Store) -> None:
    """F-VOC-5: an inverted label keeps its direction."""
    store.create_nodes([Node("pgvector", "tool"), Node("RAG", "pattern")], NOW)
    link = Link("pgvector", "used_for", "RAG")
    assert store.create_links([link, link], NOW).new == (link,)
    assert store.create_links([link], NOW).new == ()
    assert store.list_links(ALL, 0, 10) == [link]
    assert [r.predicate for r in store.edges([store.find(["RAG"])[0].id], ALL, 5)] == [Predicate.USES]


def test_observations_are_added_once_and_their_entity_must_be_known(store: Store) -> None:
    """F-MCP-6."""
    store.create_nodes([BUILD], NOW)
    added = store.add_observations([Observations("build", ("uses pnpm", "is fast", "is fast"))], NOW)
    assert added == [Observations("build", ("is fast",))]
    with pytest.raises(UsageError, match="Entity with name nobody not found"):
        store.add_observations([Observations("build", ("lost",)), Observations("nobody", ("x",))], NOW)
    assert store.open_nodes(["build"], ALL).nodes[0].observations == ("uses pnpm", "runs in 40 s", "is fast")


def test_an_observation_is_found_by_its_words_in_every_project(store: Store) -> None:
    store.create_nodes([BUILD], NOW)
    terms = analyse("pnpm")
    for scope in (ALL, Scope(projects=(ProjectId("elsewhere"),))):
        assert [m.text for m in store.get([u.memory for u in store.match(terms, scope, 5)])] == ["build: uses pnpm"]
        assert [m.text for m in store.recent(scope, 1)] == ["build: runs in 40 s"]


def test_deleted_observations_are_gone_everywhere_and_may_be_said_again(store: Store) -> None:
    """F-MCP-8, C-059."""
    store.create_nodes([BUILD], NOW)
    gone = Observations("build", ("uses pnpm", "never said"))
    assert store.delete_observations([gone, Observations("nobody", ("x",))], NOW) == 1
    assert store.open_nodes(["build"], ALL).nodes[0].observations == ("runs in 40 s",)
    assert store.match(analyse("pnpm"), ALL, 5) == []
    store.add_observations([Observations("build", ("uses pnpm",))], NOW)
    assert store.open_nodes(["build"], ALL).nodes[0].observations == ("runs in 40 s", "uses pnpm")
    assert len(store.match(analyse("pnpm"), ALL, 5)) == 1


def test_an_entity_without_observations_and_links_stays(store: Store) -> None:
    store.create_nodes([BUILD], NOW)
    store.delete_observations([Observations("build", BUILD.observations)], NOW)
    store.create_links([RUNS_IN], NOW)
    store.delete_links([RUNS_IN], NOW)
    assert store.list_nodes(ALL, 0, 5) == [Node("build", "topic")]


def test_a_deleted_entity_takes_its_links_and_observations_along(store: Store) -> None:
    """F-MCP-7."""
    store.create_nodes([BUILD, CI], NOW)
    store.create_links([RUNS_IN], NOW)
    assert store.delete_nodes(["build", "nobody"], NOW) == 1
    assert store.list_nodes(ALL, 0, 5) == [CI]
    assert store.list_links(ALL, 0, 5) == []
    assert store.match(analyse("pnpm"), ALL, 5) == []
    assert store.check() == []
    assert store.create_nodes([BUILD], NOW).new == (BUILD,)
    assert store.open_nodes(["build"], ALL).nodes == (BUILD,)


def test_deleted_links_are_gone_and_may_be_said_again(store: Store) -> None:
    """F-MCP-9."""
    store.create_nodes([BUILD, CI], NOW)
    store.create_links([RUNS_IN], NOW)
    assert store.delete_links([RUNS_IN, Link("x", "y", "z")], NOW) == 1
    assert store.list_links(ALL, 0, 5) == []
    assert store.create_links([RUNS_IN], NOW).new == (RUNS_IN,)
    assert store.list_links(ALL, 0, 5) == [RUNS_IN]


@pytest.fixture
def read(store: Store, build: Any) -> Batch:
    """A batch as a transcript gives it: Redis replaces Memcached, in project p1."""
    batch = Batch(
        projects=(build.project("p1"),),
        sessions=(build.session("s1"),),
        records=(build.record("m1", "Redis replaces Memcached"),),
        entities=(REDIS, MEMCACHED),
        relations=(build.relation(REDIS.id, Predicate.REPLACES, MEMCACHED.id, evidence="m1"),),
        mentions=(build.mention("m1", REDIS.id), build.mention("m1", MEMCACHED.id)),
    )
    store.save(batch)
    return batch


def test_what_was_read_is_seen_too(store: Store, read: Batch) -> None:
    assert names(store.open_nodes(["redis"], ALL)) == ["Redis"]
    assert store.list_links(ALL, 0, 5) == [Link("Redis", "replaces", "Memcached")]


def test_what_was_read_in_another_project_is_not_seen(store: Store, read: Batch) -> None:
    """C-148."""
    own, other = Scope(projects=(ProjectId("p1"),)), Scope(projects=(ProjectId("p2"),))
    store.create_nodes([BUILD], NOW)
    assert {node.name for node in store.list_nodes(own, 0, 9)} == {"build", "Redis", "Memcached"}
    assert store.list_nodes(other, 0, 9) == [BUILD]
    assert store.list_links(other, 0, 9) == []
    assert names(store.open_nodes(["Redis"], other)) == []
    assert names(store.search_nodes(analyse("redis"), other, 9)) == []
    assert store.graph_size(other) == (1, 0)


def test_a_client_may_create_what_was_only_read(store: Store, read: Batch) -> None:
    node = Node("Redis", "cache", ("holds sessions",))
    assert store.create_nodes([node], NOW).new == (node,)
    assert store.open_nodes(["Redis"], ALL).nodes == (node,)


def test_a_deleted_entity_and_link_stay_away_when_the_transcript_is_read_again(store: Store, read: Batch) -> None:
    """Decision 11, F-PRIV-7: through re-ingest, also of a memory that changed."""
    store.delete_nodes(["Memcached"], NOW)
    store.delete_links([Link("Redis", "replaces", "Memcached")], NOW)
    grown = replace(read, records=(replace(read.records[0], seq=7),))
    for batch in (read, grown):
        store.save(batch)
        assert names(store.open_nodes(["Memcached"], ALL)) == []
        assert store.list_links(ALL, 0, 5) == []
        assert [entity.name for entity in store.mentioned([MemoryId("m1")])[MemoryId("m1")]] == ["Redis"]


def test_an_explicit_batch_lifts_what_was_forgotten(store: Store, read: Batch) -> None:
    store.forget([MemoryId("m1")], "a mistake", NOW)
    store.delete_nodes(["Redis"], NOW)
    assert store.save(read).forgotten == 1
    assert store.save(replace(read, explicit=True)).added == 1
    assert names(store.open_nodes(["Redis", "Memcached"], ALL)) == ["Redis", "Memcached"]


def test_a_search_takes_words_in_any_order_and_ranks(store: Store) -> None:
    """F-MCP-11, F-PARSE-5: tokens, not one substring; a name counts double."""
    store.create_nodes(
        [
            Node("api-gateway", "service", ("pagination by cursor",)),
            Node("database-engineer", "agent", ("recommends cursor pagination",)),
            Node("pagination", "pattern"),
            Node("walrus", "animal"),
        ],
        NOW,
    )
    assert names(store.search_nodes(analyse("pagination database-engineer"), ALL, 9))[0] == "database-engineer"
    assert names(store.search_nodes(analyse("pagination"), ALL, 9))[0] == "pagination"
    assert set(names(store.search_nodes(analyse("pagination"), ALL, 9))) == {
        "pagination",
        "api-gateway",
        "database-engineer",
    }
    assert names(store.search_nodes(analyse("service"), ALL, 9)) == ["api-gateway"]
    assert store.search_nodes(analyse("zebra"), ALL, 9) == Subgraph()


def test_what_remember_says_is_an_observation_of_what_it_names(store: Store, build: Any) -> None:
    """F-CMD-4."""
    store.create_nodes([Node("Redis", "cache")], NOW)
    store.save(Batch(records=(build.note("Redis holds sessions"),)))
    store.observe(MemoryId("n1"), ["Redis", "unknown"], "Redis holds sessions", NOW)
    assert store.open_nodes(["Redis"], ALL).nodes[0].observations == ("Redis holds sessions",)
    store.forget([MemoryId("n1")], "wrong", NOW)
    assert store.open_nodes(["Redis"], ALL).nodes == (Node("Redis", "cache"),)


NAMES = (
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda name: bool(analyse(name)))
)


@given(
    st.lists(
        st.tuples(NAMES, NAMES, st.lists(NAMES, max_size=3, unique=True)),
        max_size=6,
        unique_by=lambda node: entity_key(node[0]),
    )
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_pages_hold_everything_once(
    open_store: Callable[[str], Store], nodes: list[tuple[str, str, list[str]]]
) -> None:
    """C-082: the union of the pages is the whole graph."""
    store = open_store(uuid4().hex)
    new = store.create_nodes([Node(name, type_, tuple(texts)) for name, type_, texts in nodes], NOW).new
    pages = [store.list_nodes(ALL, offset, 2) for offset in range(0, len(new) + 2, 2)]
    assert [node for page in pages for node in page] == list(new)
