"""Forgetting holds in every index and over every re-ingest (decision 11, F-PRIV-7, F-REC-8)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from memory_fabric.model.graph import EntityId
from memory_fabric.model.memory import MemoryId, SessionId, StatementKind
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.ports import Batch, Saved, Store
from memory_fabric.text import analyse

if TYPE_CHECKING:
    from tests.contract.conftest import Build

ID = MemoryId("m2")


def filled(store: Store, build: Build) -> Batch:
    batch = build.batch(
        build.record("m1", "owl"),
        build.record("m2", "Secret  Walrus", seq=1, touched=("vault.py",), statements=(build.statement(),)),
        build.record("m3", "ibis", seq=2),
        entities=(build.entity("Hub"), build.entity("Codename")),
        mentions=(build.mention("m2", "hub"), build.mention("m2", "codename"), build.mention("m3", "hub")),
        relations=(
            build.relation("hub", Predicate.USES, "codename", evidence="m2"),
            build.relation("hub", Predicate.USES, "tool", evidence="m2"),
            build.relation("hub", Predicate.USES, "tool", evidence="m3"),
        ),
    )
    store.save(batch)
    store.put("v", {ID: np.ones((1, 2), dtype=np.float32)})
    return batch


def test_a_forgotten_memory_is_in_no_answer(store: Store, build: Build) -> None:
    """C-059."""
    filled(store, build)
    assert store.forget([ID, ID, MemoryId("none")], "asked", build.at(1)) == 1
    assert store.get([ID]) == []
    assert ID not in [memory.id for memory in store.recent(Scope(), 9)]
    assert store.match(analyse("secret walrus"), Scope(), 9) == store.units([ID]) == []
    assert store.session_scores(["walrus"], Scope(), 9) == {}
    assert store.references(["vault"], Scope(), 9) == {}
    assert store.statements([StatementKind.DECISION], Scope(), 9) == []
    assert store.coverage() == {}
    assert store.evidence([ID], Scope()) == {}
    assert store.mentioned([ID]) == {}
    assert store.mentions([EntityId("hub")], Scope(), 9) == {"hub": ["m3"]}
    assert (store.count(), store.census().tombstones) == (2, 1)
    assert store.check() == []


def test_names_that_only_a_forgotten_memory_knew_go_with_it(store: Store, build: Build) -> None:
    batch = filled(store, build)
    store.forget([ID], "asked", build.at(1))
    assert store.find(["codename"]) == store.suggest("codename", 3) == []
    assert [edge.object for edge in store.edges([EntityId("hub")], Scope(), 9)] == ["tool"], "m3 says so too"
    store.save(batch)
    assert store.find(["codename"]) == [], "nor does a re-ingest bring them back"


def test_neighbours_close_the_gap(store: Store, build: Build) -> None:
    filled(store, build)
    store.forget([ID], "asked", build.at(1))
    units = store.around(store.units([MemoryId("m1")]), 0, 1)[SessionId("s1")]
    assert [(str(unit.memory), unit.place) for unit in units] == [("m1", 0), ("m3", 1)]


def test_a_re_ingest_does_not_bring_it_back_by_id_or_by_text(store: Store, build: Build) -> None:
    batch = filled(store, build)
    store.forget([ID], "asked", build.at(1))
    assert store.save(batch) == Saved(unchanged=2, forgotten=1)
    renamed = build.record("other", "secret\n walrus", session="s9")
    assert store.save(build.batch(renamed)).forgotten == 1, "the same words, folded"
    reworded = replace(build.record("m2", "quite new"), seq=1)
    assert store.save(build.batch(reworded)).forgotten == 1, "the same id"
    assert store.save(build.batch(build.record("m9", "secret walruses", session="s9"))).added == 1
    assert store.count() == 3


def test_facts_that_come_late_for_a_forgotten_memory_are_held_back(store: Store, build: Build) -> None:
    filled(store, build)
    store.forget([ID], "asked", build.at(1))
    late = Batch(
        entities=(build.entity("Late Name"),),
        relations=(build.relation("late name", Predicate.USES, "x", evidence="m2"),),
        mentions=(build.mention("m2", "late name"),),
    )
    assert store.save(late).relations == 0
    assert store.find(["late name"]) == []


def test_forgetting_nothing_or_the_unknown_changes_nothing(store: Store, build: Build) -> None:
    filled(store, build)
    before = list(store.dump())
    assert store.forget([], "asked", build.at(1)) == store.forget([MemoryId("none")], "asked", build.at(1)) == 0
    assert list(store.dump()) == before
