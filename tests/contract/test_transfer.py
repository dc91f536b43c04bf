"""Everything out as JSON and in again."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_fabric.errors import UsageError
from memory_fabric.model.memory import MemoryId, MemoryKind, Project, ProjectId, Statement, StatementKind
from memory_fabric.model.nodes import Link, Node, Observations
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Batch, Store

if TYPE_CHECKING:
    from tests.contract.conftest import Build, OpenStore


def small(build: Build) -> Batch:
    return build.batch(
        build.record("m1", touched=("a.py",), statements=(build.statement(),)),
        build.record("m2", "other", seq=1, day=None),
        projects=(build.project("p1"),),
        sessions=(build.session("s1", models=("opus",)),),
        entities=(build.entity("Redis", Kind.TECHNOLOGY, "redis db"), build.entity("Whale", None, label="Mammal")),
        mentions=(build.mention("m1", "whale"), build.mention("m1", "redis")),
        relations=(
            build.relation("redis", Predicate.PART_OF, "shop", day=1, evidence="m1"),
            build.relation("redis", Predicate.PART_OF, "core", day=2, evidence="m1"),
            build.relation("whale", None, "krill", label="Feeds On", ends=9),
        ),
    )


def test_a_restored_store_answers_like_the_first(open_store: OpenStore, build: Build) -> None:
    first, second = open_store("first"), open_store("second")
    first.save(small(build))
    first.save(build.batch(build.record("gone", "secret", seq=2)))
    first.forget([MemoryId("gone")], "asked", build.at(3))
    rows = [json.loads(json.dumps(row)) for row in first.dump()]
    assert second.restore(rows) == {
        "project": 1,
        "session": 1,
        "entity": 5,
        "memory": 2,
        "relation": 3,
        "tombstone": 1,
    }
    assert list(second.dump()) == rows
    assert second.census().superseded == first.census().superseded == 2
    assert second.recent(Scope(), 9) == first.recent(Scope(), 9)
    assert second.units([MemoryId("m1")]) == first.units([MemoryId("m1")])
    assert second.check() == []
    assert second.save(small(build)).unchanged == 2, "a re-ingest finds nothing new"
    assert second.save(build.batch(build.record("gone", "secret", seq=2))).forgotten == 1


def test_what_exists_stays(open_store: OpenStore, build: Build) -> None:
    first, second = open_store("first"), open_store("second")
    first.save(small(build))
    rows = list(first.dump())
    second.save(build.batch(build.record("m1", "mine"), projects=(Project(ProjectId("p1"), "mine", "/mine"),)))
    counts = second.restore(rows)
    assert (counts["memory"], counts["project"], counts["session"]) == (1, 0, 0)
    assert second.get([MemoryId("m1")])[0].text == "USER: mine"
    assert [project.name for project in second.projects()] == ["mine"]
    assert sum(second.restore(rows).values()) == 0


def test_a_tombstone_here_holds_back_what_comes_from_there(open_store: OpenStore, build: Build) -> None:
    first, second = open_store("first"), open_store("second")
    for store in (first, second):
        store.save(small(build))
    second.forget([MemoryId("m1")], "asked", build.at(3))
    second.restore(list(first.dump()))
    assert second.get([MemoryId("m1")]) == []


@pytest.mark.parametrize(
    "bad",
    [
        {"type": "nonsense"},
        {},
        {"type": "memory", "id": "x"},
        {"type": "project", "id": 5, "name": "a", "root": "b"},
        {"type": "entity", "id": "x", "name": "x", "kind": "mineral"},
        {"type": "tombstone", "id": "x", "text_hash": "ff", "reason": "r", "at": "yesterday"},
        {
            "type": "relation",
            "subject": "a",
            "predicate": "uses",
            "object": "b",
            "label": "uses",
            "origin": "stated",
            "valid_from": "2026-05-02T00:00:00Z",
            "valid_to": "2026-05-01T00:00:00Z",
        },
    ],
)
def test_a_row_that_is_not_ours_is_named_and_nothing_is_written(
    store: Store, build: Build, bad: dict[str, object]
) -> None:
    good = {"type": "project", "id": "p1", "name": "a", "root": "b", "remote": None, "root_commit": None}
    with pytest.raises(UsageError, match="Row 2"):
        store.restore([good, bad])
    assert list(store.dump()) == []


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
STATEMENTS = st.builds(
    Statement,
    st.sampled_from(StatementKind),
    TEXT,
    st.floats(0.1, 0.99),
    choice=st.none() | TEXT,
    alternatives=st.lists(TEXT, max_size=2).map(tuple),
    position=st.integers(0, 99),
)
JSON: st.SearchStrategy[object] = st.one_of(TEXT, st.none(), st.booleans(), st.lists(st.integers()))
COUNTER = itertools.count()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_dump_and_restore_are_inverse(open_store: OpenStore, build: Build, data: st.DataObject) -> None:
    draw = data.draw
    records = []
    for number in range(draw(st.integers(0, 4))):
        record = build.record(
            f"m{number}",
            draw(TEXT),
            draw(TEXT),
            session=draw(st.sampled_from(["s1", "s2"])),
            project=draw(st.sampled_from([None, "p1", "p2"])),
            day=draw(st.none() | st.integers(-900, 900)),
            seq=draw(st.integers(0, 3)),
            part=number,
            kind=draw(st.sampled_from(MemoryKind)),
            statements=tuple(draw(st.lists(STATEMENTS, max_size=2))),
        )
        extra = draw(st.dictionaries(TEXT, JSON, max_size=2))
        records.append(replace(record, memory=replace(record.memory, metadata=extra)))
    names = st.sampled_from(["a", "B b", "ж"])
    relations = [
        build.relation(
            draw(names),
            draw(st.none() | st.sampled_from(Predicate)),
            draw(names),
            day=draw(st.none() | st.integers(0, 3)),
        )
        for _ in range(draw(st.integers(0, 4)))
    ]
    mentions = [build.mention(record.memory.id, draw(names)) for record in records if draw(st.booleans())]
    entities = [build.entity(draw(names), draw(st.sampled_from(Kind)), draw(names))]
    first, second = (open_store(f"law{next(COUNTER)}") for _ in range(2))
    first.save(Batch((), (), tuple(records), tuple(entities), tuple(relations), tuple(mentions)))
    forgets = draw(st.booleans())
    if records and forgets:
        first.forget([records[0].memory.id], draw(TEXT), build.at(0))
    rows = list(first.dump())
    second.restore(rows)
    assert list(second.dump()) == rows
    assert second.check() == first.check() == []
    first.close()
    second.close()


def test_what_a_client_wrote_and_deleted_goes_along(open_store: OpenStore, build: Build) -> None:
    first, second = open_store("first"), open_store("second")
    at = build.at(0)
    first.create_nodes([Node("build", "topic", ("uses pnpm", "is slow")), Node("gone", "topic")], at)
    first.create_links([Link("build", "runs_in", "ci")], at)
    first.delete_observations([Observations("build", ("is slow",))], at)
    first.delete_nodes(["gone"], at)
    counts = second.restore([json.loads(json.dumps(row)) for row in first.dump()])
    assert (counts["declared"], counts["observation"], counts["buried"]) == (1, 1, 1)
    for store in (first, second):
        assert store.list_nodes(Scope(), 0, 9) == [Node("build", "topic", ("uses pnpm",))]
        assert store.list_links(Scope(), 0, 9) == [Link("build", "runs_in", "ci")]
        assert store.unresolved(5) == ["ci"]
