"""What a save does to memories, sessions, projects and entities."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memory_fabric.errors import UsageError
from memory_fabric.model.graph import EntityId
from memory_fabric.model.memory import MemoryId, Origin, ProjectId, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Batch, Cursor, LedgerEntry, Saved, Store
from memory_fabric.text import analyse

if TYPE_CHECKING:
    from tests.contract.conftest import Build, OpenStore


def test_a_memory_comes_back_as_it_was_saved(store: Store, build: Build) -> None:
    record = build.record("m1", "fix", "done", touched=("src/a.py",))
    assert store.save(build.batch(record)) == Saved(added=1)
    assert store.get([MemoryId("m1")]) == [record.memory]
    assert store.count() == 1


def test_a_note_without_project_or_lines_comes_back_as_it_was_saved(store: Store, build: Build) -> None:
    note = build.note("Cursors, not offsets.")
    store.save(build.batch(note))
    assert store.get([note.memory.id]) == [note.memory]


def test_get_keeps_the_order_asked_and_leaves_out_what_it_does_not_know(store: Store, build: Build) -> None:
    store.save(build.batch(build.record("m1"), build.record("m2", seq=1)))
    ids = [MemoryId("m2"), MemoryId("nobody"), MemoryId("m1")]
    assert [memory.id for memory in store.get(ids)] == ["m2", "m1"]
    assert store.get([]) == []


def test_saving_everything_again_changes_nothing(store: Store, build: Build) -> None:
    """C-131: source files that vanish and return are not remembered twice."""
    batch = build.batch(
        build.record("m1", statements=(build.statement(),)),
        build.record("m2", seq=1),
        projects=(build.project("p1"),),
        sessions=(build.session("s1"),),
        entities=(build.entity("Redis"),),
        relations=(build.relation("redis", Predicate.PART_OF, "shop", evidence="m1"),),
        mentions=(build.mention("m1", "redis"),),
    )
    assert store.save(batch) == Saved(added=2, relations=1)
    before = list(store.dump())
    assert store.save(batch) == Saved(unchanged=2)
    later = replace(batch, relations=tuple(replace(r, recorded_at=build.at(9)) for r in batch.relations))
    assert store.save(later) == Saved(unchanged=2), "when it was read says nothing new"
    assert list(store.dump()) == before


def test_a_changed_memory_replaces_the_old_one_with_everything_that_hangs_on_it(store: Store, build: Build) -> None:
    old = build.batch(
        build.record("m1", "about walruses", statements=(build.statement(),)),
        relations=(build.relation("a", Predicate.USES, "b", evidence="m1"),),
        mentions=(build.mention("m1", "a"),),
    )
    new = build.batch(build.record("m1", "about penguins"), mentions=(build.mention("m1", "c"),))
    store.save(old)
    store.put("v", {MemoryId("m1"): np.ones((1, 2), dtype=np.float32)})
    assert store.save(new) == Saved(updated=1)
    assert store.match(analyse("walruses"), Scope(), 5) == []
    assert [unit.memory for unit in store.match(analyse("penguins"), Scope(), 5)] == ["m1"]
    assert store.evidence([MemoryId("m1")], Scope()) == {}
    assert [e.id for e in store.mentioned([MemoryId("m1")])[MemoryId("m1")]] == ["c"]
    assert store.coverage() == {}, "the text changed: it must be embedded again"
    assert store.census().statements == {}
    assert store.check() == []


def test_vectors_stay_while_the_text_stays(store: Store, build: Build) -> None:
    store.save(build.batch(build.record("m1")))
    store.put("v", {MemoryId("m1"): np.ones((1, 2), dtype=np.float32)})
    assert store.save(build.batch(build.record("m1", touched=("src/new.py",)))).updated == 1
    assert store.coverage() == {"v": 1}


@pytest.mark.parametrize("change", ["seq", "statement", "mention", "relation", "metadata", "project", "at"])
def test_anything_that_changed_is_an_update(store: Store, build: Build, change: str) -> None:
    batch = build.batch(build.record("m1"))
    changed = {
        "seq": build.batch(build.record("m1", seq=1)),
        "statement": build.batch(build.record("m1", statements=(build.statement(),))),
        "mention": build.batch(build.record("m1"), mentions=(build.mention("m1", "a"),)),
        "relation": build.batch(
            build.record("m1"), relations=(build.relation("a", Predicate.USES, "b", evidence="m1"),)
        ),
        "metadata": build.batch(build.record("m1", touched=("x.py",))),
        "project": build.batch(build.record("m1", project="p2")),
        "at": build.batch(build.record("m1", day=1)),
    }[change]
    store.save(batch)
    assert store.save(changed).updated == 1
    assert store.save(changed).unchanged == 1


def test_one_batch_that_holds_an_id_twice_stores_it_once(store: Store, build: Build) -> None:
    """C-047."""
    saved = store.save(build.batch(build.record("m1", "first"), build.record("m1", "second")))
    assert saved == Saved(added=1, duplicates=1)
    assert store.get([MemoryId("m1")])[0].text == "USER: first"


@pytest.mark.parametrize("order", ["original first", "copy first"])
def test_a_resumed_copy_belongs_to_the_session_that_began_earlier(store: Store, build: Build, order: str) -> None:
    """C-016."""
    original = build.batch(
        build.record("u1", session="s1"), build.record("u2", session="s1", seq=1), sessions=(build.session("s1", 0),)
    )
    resumed = build.batch(
        build.record("u1", session="s2"),
        build.record("u2", session="s2", seq=1),
        build.record("u3", session="s2", seq=2),
        sessions=(build.session("s2", 1),),
    )
    first, second = (original, resumed) if order == "original first" else (resumed, original)
    store.save(first)
    saved = store.save(second)
    owners = [memory.origin.session for memory in store.get([MemoryId(key) for key in ("u1", "u2", "u3")])]
    assert owners == ["s1", "s1", "s2"]
    assert (saved.duplicates, saved.updated) == ((2, 0) if order == "original first" else (0, 2))
    units = store.match(analyse("parser"), Scope(), 9)
    assert sorted((unit.session, unit.place) for unit in units) == [("s1", 0), ("s1", 1), ("s2", 0)]
    assert store.check() == []


def test_sessions_that_began_together_go_to_the_one_that_ended_first_and_a_parent_before_all(
    store: Store, build: Build
) -> None:
    """C-016: a resumed copy begins with the very records of the original."""
    store.save(build.batch(build.record("u1", session="s2"), sessions=(build.session("s2", 0, 5),)))
    store.save(build.batch(build.record("u1", session="s9"), sessions=(build.session("s9", 0, 4),)))
    assert store.get([MemoryId("u1")])[0].origin.session == "s9"
    parent = build.session("s0", 8, 9)
    child = build.session("s9", 0, 4, parent=SessionId("s0"))
    store.save(build.batch(build.record("u1", session="s0"), sessions=(parent, child)))
    assert store.get([MemoryId("u1")])[0].origin.session == "s0"


def test_places_are_consecutive_whatever_the_numbers_and_the_order_of_saving(store: Store, build: Build) -> None:
    store.save(build.batch(build.record("c", seq=40), build.record("a", seq=3)))
    store.save(build.batch(build.record("b2", seq=7, part=1), build.record("b1", seq=7)))
    units = store.match(analyse("parser"), Scope(), 9)
    assert sorted((unit.place, str(unit.memory)) for unit in units) == [(0, "a"), (1, "b1"), (2, "b2"), (3, "c")]


def test_a_batch_that_fails_leaves_nothing(store: Store, build: Build) -> None:
    """C-128: all or nothing."""
    bad = build.batch(
        build.record("m1"),
        projects=(build.project("p1"),),
        entities=(build.entity("Redis"),),
        mentions=(build.mention("nobody", "redis"),),
    )
    with pytest.raises(UsageError, match="nobody"):
        store.save(bad)
    assert list(store.dump()) == []
    assert store.save(build.batch(build.record("m1"))).added == 1


def test_an_inverted_interval_is_refused_and_an_empty_one_is_not(store: Store, build: Build) -> None:
    """C-060."""
    inverted = build.relation("a", Predicate.USES, "b", day=1, ends=0.999)
    with pytest.raises(UsageError, match="before it begins") as raised:
        store.save(build.batch(relations=(inverted,)))
    assert raised.value.hint
    assert store.save(build.batch(relations=(build.relation("a", Predicate.USES, "b", day=1, ends=1),))).relations == 1


def test_instants_of_any_zone_are_one_instant(store: Store, build: Build) -> None:
    """C-132."""
    tokyo = timezone(timedelta(hours=9))
    memory = replace(build.memory("m1"), at=datetime(2026, 1, 1, 9, tzinfo=tokyo))
    naive = replace(build.memory("m2"), at=datetime(2026, 1, 1))  # noqa: DTZ001 - the case itself
    store.save(build.batch(*(replace(build.record("x"), memory=m, seq=i) for i, m in enumerate((memory, naive)))))
    first, second = store.get([MemoryId("m1"), MemoryId("m2")])
    assert first.at == second.at
    assert first.at is not None
    assert first.at.utcoffset() == timedelta(0)


def test_a_lone_surrogate_is_repaired_and_stored(store: Store, build: Build) -> None:
    """C-006: it would raise in every bind."""
    store.save(build.batch(build.record("m1", "ship it \ud83d now")))
    assert store.get([MemoryId("m1")])[0].text == "USER: ship it \ufffd now"
    assert store.match(["\ud83d"], Scope(), 5) == []


def test_sessions_gather_what_is_said_and_forget_nothing(store: Store, build: Build) -> None:
    first = build.session("s1", 2, 3, title="Parser", models=("opus",), project=ProjectId("p1"))
    second = build.session("s1", 1, 2, cwd="/work/shop", models=("opus", "sonnet"))
    store.save(build.batch(sessions=(first,)))
    store.save(build.batch(sessions=(second,)))
    kept = store.sessions([SessionId("s1"), SessionId("s2")])[SessionId("s1")]
    assert (kept.title, kept.cwd, kept.project, kept.models) == ("Parser", "/work/shop", "p1", ("opus", "sonnet"))
    assert (kept.started_at, kept.ended_at) == (build.at(1), build.at(3))


def test_projects_are_listed_by_name_then_id(store: Store, build: Build) -> None:
    store.save(build.batch(projects=(build.project("p2", "b"), build.project("p3", "a"), build.project("p1", "b"))))
    assert [project.id for project in store.projects()] == ["p3", "p1", "p2"]


def test_one_thing_in_four_spellings_is_one_entity_with_all_names(store: Store, build: Build) -> None:
    """C-050."""
    for name in ("Redis", "redis", "REDIS ", "ＲＥＤＩＳ"):
        store.save(build.batch(entities=(build.entity(name),)))
    [entity] = store.find(["rEdIs"])
    assert (entity.name, entity.aliases) == ("Redis", ("redis", "REDIS", "ＲＥＤＩＳ"))


def test_entities_merge_inside_one_batch(store: Store, build: Build) -> None:
    """C-047."""
    store.save(
        build.batch(
            entities=(build.entity("api", Kind.CONCEPT, "API v2"), build.entity("api", Kind.PROJECT, "the api"))
        )
    )
    [entity] = store.find(["API V2"])
    assert (entity.name, entity.kind, entity.aliases) == ("api", Kind.CONCEPT, ("API v2", "the api"))
    assert store.census().entities == {"concept": 1}


def test_a_relation_to_an_unknown_entity_is_kept_unresolved_until_it_appears(store: Store, build: Build) -> None:
    """C-048."""
    store.save(build.batch(relations=(build.relation("a", Predicate.USES, "ghost"),)))
    assert store.census().entities == {"unresolved": 2}
    assert [r.object for r in store.edges([EntityId("a")], Scope(), 5)] == ["ghost"]
    store.save(build.batch(entities=(build.entity("Ghost", Kind.TECHNOLOGY),)))
    assert store.census().entities == {"technology": 1, "unresolved": 1}
    assert store.entities([EntityId("ghost")])[EntityId("ghost")].name == "Ghost"


def test_labels_outside_the_vocabulary_come_back_verbatim_and_are_counted(store: Store, build: Build) -> None:
    """F-VOC-3, F-VOC-4."""
    entity = build.entity("Blue Whale", None, label="Sea Mammal")
    relation = build.relation("blue whale", None, "krill", label="Feeds On")
    store.save(build.batch(entities=(entity,), relations=(relation,)))
    assert store.find(["blue whale"]) == [entity]
    assert store.edges([EntityId("krill")], Scope(), 5) == [relation]
    assert store.census().unmapped == 2


@pytest.mark.parametrize(("length", "kept"), [(999, True), (1000, True), (1001, False), (5000, False)])
def test_a_long_name_is_cut_with_a_hash_and_still_found(store: Store, build: Build, length: int, kept: bool) -> None:
    """C-063: 1,000 characters are kept whole."""
    name = "ж" * length
    store.save(build.batch(entities=(build.entity(name),)))
    [entity] = store.find([name])
    assert (entity.name == name) == kept
    assert len(entity.name) == min(length, 1000)
    assert store.entities([EntityId(name)])
    assert store.find(["ж" * (length + 1)]) == []


@pytest.mark.parametrize("name", ["👩‍👩‍👧", "👩", "../x", "CON", "a/b", "अनीता", "Инна", "100%", "a'b"])
def test_names_of_every_kind_are_kept(store: Store, build: Build, name: str) -> None:
    """C-057, C-063."""
    store.save(build.batch(entities=(build.entity(name),)))
    assert [entity.name for entity in store.find([name])] == [name]


def test_eight_threads_lose_no_write(store: Store, build: Build) -> None:
    """C-042, C-044."""

    def remember(number: int) -> Saved:
        return store.save(
            build.batch(
                build.record(f"m{number}", seq=number), entities=(build.entity("hub"), build.entity(f"e{number}"))
            )
        )

    with ThreadPoolExecutor(8) as threads:
        results = list(threads.map(remember, range(24)))
    assert [saved.added for saved in results] == [1] * 24
    assert store.count() == 24
    assert store.census().entities == {"technology": 25}
    assert store.check() == []


def test_equal_relations_are_stored_once_and_other_evidence_adds_to_them(store: Store, build: Build) -> None:
    fact = build.relation("a", Predicate.USES, "b", evidence="m1")
    batch = build.batch(build.record("m1"), build.record("m2", seq=1), relations=(fact, fact))
    assert store.save(batch).relations == 1
    other = Batch(relations=(replace(fact, evidence=MemoryId("m2")), fact))
    assert store.save(other).relations == 1
    assert store.census().relations == {"uses": 2}


def test_the_ledger_keeps_how_far_a_file_was_read(store: Store, open_store: OpenStore) -> None:
    entry = LedgerEntry(
        "/t/a.jsonl",
        "claude_code",
        10,
        2**62,
        2**64 - 1,
        "ff",
        Cursor(7, 2),
        SessionId("s1"),
        -1,
        {"user": 2},
        {"x": 1},
    )
    store.save(Batch(ledger=entry))
    moved = replace(entry, path="/t/0.jsonl", session=None, error="broken")
    store.save(Batch(ledger=moved))
    grown = replace(entry, cursor=Cursor(9, 3), last_seq=4)
    store.save(Batch(ledger=grown))
    assert store.entry("/t/a.jsonl") == grown
    assert store.entry("/t/none") is None
    assert list(open_store("one").entries()) == [moved, grown]


def test_a_memory_may_move_to_another_source_system(store: Store, build: Build) -> None:
    record = build.record("m1")
    store.save(build.batch(record))
    origin = Origin("codex", SessionId("s1"), "/t/b.jsonl")
    store.save(build.batch(replace(record, memory=replace(record.memory, origin=origin))))
    assert store.get([MemoryId("m1")])[0].origin == origin


def test_the_census_counts_everything(store: Store, build: Build) -> None:
    store.save(
        build.batch(
            build.record("m1", day=1, statements=(build.statement(),)),
            build.record("m2", day=3, seq=1),
            build.note("a note"),
            projects=(build.project("p1"),),
            relations=(
                build.relation("a", Predicate.PART_OF, "b", day=0),
                build.relation("a", Predicate.PART_OF, "c", day=1),
            ),
            ledger=LedgerEntry("/t/a", "codex", 1, 1, 1, "", Cursor(), None, -1),
        )
    )
    census = store.census()
    assert (census.memories, census.sessions, census.projects, census.files) == (3, 2, 1, 1)
    assert census.by_kind == {"exchange": 2, "note": 1}
    assert (census.relations, census.superseded) == ({"part_of": 1}, 1)
    assert census.statements == {"decision": 1}
    assert (census.oldest, census.newest) == (build.at(0), build.at(3))
    assert census.bytes > 0
