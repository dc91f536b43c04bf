"""Pushing to memories elsewhere (F-CMD-10, F-HOOK-3, C-154): what goes, once, clean, and kept until it arrived."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.curate.shelf import START, Clock, Shelf, batch, decided, entity, exchange, note, relation

from memory_fabric.curate.sync import LEASE, Synced, preview, sync
from memory_fabric.ingest.redact import redact_value
from memory_fabric.model.graph import RelationOrigin
from memory_fabric.model.memory import MemoryId, MemoryKind, StatementKind
from memory_fabric.model.nodes import Link, Node, Observations
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.ports import Claimed
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.text import text_hash

WHOLE = {"node": 5, "observation": 2, "memory": 3, "link": 2}
"""What ``filled`` sends to a memory that keeps a graph: 12 parcels."""

KEY = "sk-ant-api03-" + 40 * "A"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    with SqliteStore.open(tmp_path / "memory" / "memory.db") as opened:
        yield opened


@pytest.fixture
def now() -> Clock:
    return Clock()


@pytest.fixture
def filled(store: SqliteStore) -> SqliteStore:
    """Two decisions, two notes, a graph that a client wrote."""
    store.save(
        batch(
            exchange("m1", decided("we chose Redis over Memcached", "Redis", "Memcached")),
            exchange("m2", decided("use PostgreSQL", "PostgreSQL"), day=1),
            note("n1", "deploys need a second pair of eyes", day=2, category="workflow"),
            entities=(entity("Redis"), entity("Memcached"), entity("PostgreSQL")),
            relations=(relation("Redis", Predicate.REPLACES, "Memcached", "m1"),),
        )
    )
    store.create_nodes([Node("build", "topic", ("uses pnpm", "takes a minute")), Node("ci", "topic")], START)
    store.create_links([Link("build", "runs_in", "ci")], START)
    return store


def run(store: SqliteStore, now: Clock, *targets: Shelf, **more: object) -> Synced:
    return sync(store, targets, redact_value, now, **more)  # type: ignore[arg-type]


def of_kind(shelf: Shelf, prefix: str) -> dict[str, dict[str, object]]:
    return {key: payload for key, payload in shelf.kept.items() if key.startswith(prefix)}


def test_a_graph_gets_entities_decisions_notes_and_links(filled: SqliteStore, now: Clock) -> None:
    """F-CMD-10: entities and links that a client wrote, decisions with what they name, notes."""
    shelf = Shelf()
    (done,) = run(filled, now, shelf).targets
    assert done.sent == WHOLE
    assert shelf.kept["node:build"] == {"name": "build", "entityType": "topic"}
    assert shelf.kept["node:redis"] == {"name": "Redis", "entityType": "technology"}
    assert list(of_kind(shelf, "observation:").values()) == [
        {"entity": "build", "text": "uses pnpm"},
        {"entity": "build", "text": "takes a minute"},
    ]
    assert {(each["from"], each["relationType"], each["to"]) for each in of_kind(shelf, "link:").values()} == {
        ("build", "runs_in", "ci"),
        ("Redis", "replaces", "Memcached"),
    }
    assert [each["text"] for each in of_kind(shelf, "decision:").values()] == [
        "we chose Redis over Memcached",
        "use PostgreSQL",
    ]


def test_texts_alone_get_decisions_notes_observations_and_links_as_sentences(filled: SqliteStore, now: Clock) -> None:
    shelf = Shelf(graph=False)
    (done,) = run(filled, now, shelf).targets
    assert done.sent == {"memory": 5, "link": 1}
    assert {each["text"] for each in of_kind(shelf, "note:").values()} == {
        "deploys need a second pair of eyes",
        "build: uses pnpm",
        "build: takes a minute",
    }


def test_a_decision_goes_with_all_that_is_known_of_it(filled: SqliteStore, now: Clock) -> None:
    """F-MEM0-4, memoryEntry: where it comes from, when, how sure."""
    shelf = Shelf(graph=False)
    run(filled, now, shelf)
    (decision, *_) = of_kind(shelf, "decision:").values()
    assert decision == {
        "kind": "decision",
        "text": "we chose Redis over Memcached",
        "category": "database",
        "confidence": 0.8,
        "source": "user",
        "entities": ["Redis", "Memcached"],
        "memory_id": "m1",
        "timestamp": "2026-03-01T12:00:00+00:00",
        "session_id": "s1",
        "project": "Shop",
        "project_id": "p_shop",
        "scope": "project",
    }


def test_what_was_not_said_on_purpose_stays_here(store: SqliteStore, now: Clock) -> None:
    """Summaries are derived (C-019), problems are no decisions, observed relations are what tools did."""
    store.save(
        batch(
            exchange("m1", decided("the summary says so"), kind=MemoryKind.SUMMARY),
            exchange("m2", decided("the build is broken", kind=StatementKind.PROBLEM), day=1),
            exchange("m3", decided("use uv", "uv"), day=2),
            entities=(entity("uv"), entity("make"), entity("lonely")),
            relations=(relation("uv", Predicate.USES, "make", "m3", RelationOrigin.OBSERVED),),
        )
    )
    shelf = Shelf()
    run(store, now, shelf)
    assert [key.partition(":")[0] for key in shelf.kept] == ["node", "decision"]
    assert shelf.kept.keys() >= {"node:uv"}


def test_the_same_decision_said_twice_goes_once(store: SqliteStore, now: Clock) -> None:
    store.save(batch(exchange("m1", decided("use uv")), exchange("m2", decided("Use  UV"), day=1)))
    shelf = Shelf(graph=False)
    run(store, now, shelf)
    assert [each["memory_id"] for each in shelf.kept.values()] == ["m1"]
    store.forget([MemoryId("m1")], "asked", START)
    assert run(store, now, shelf).targets[0].sent == {"memory": 1}, "the other one now stands for it"


def test_a_note_that_names_something_is_there_as_an_observation_and_not_twice(store: SqliteStore, now: Clock) -> None:
    """F-CMD-4."""
    store.save(batch(note("n1", "Redis is for sessions", "Redis"), entities=(entity("Redis"),)))
    store.observe(MemoryId("n1"), ["Redis"], "Redis is for sessions", START)
    graph, texts = Shelf("graph"), Shelf("texts", graph=False)
    run(store, now, graph, texts)
    assert list(graph.kept) == ["node:redis", "observation:n1:redis"]
    assert list(texts.kept) == ["note:n1"]


def test_a_second_run_pushes_nothing(filled: SqliteStore, now: Clock) -> None:
    """F-CMD-10: idempotent."""
    shelf = Shelf()
    run(filled, now, shelf)
    calls = len(shelf.calls)
    (again,) = run(filled, now, shelf).targets
    assert (again.queued, again.sent, len(shelf.calls)) == (0, {}, calls)


def test_what_was_added_since_goes_alone(filled: SqliteStore, now: Clock) -> None:
    shelf = Shelf()
    run(filled, now, shelf)
    filled.add_observations([Observations("build", ("fails on Mondays",))], START)
    (again,) = run(filled, now, shelf).targets
    assert again.sent == {"observation": 1}
    assert list(shelf.kept.values())[-1] == {"entity": "build", "text": "fails on Mondays"}


def test_force_sends_everything_again(filled: SqliteStore, now: Clock) -> None:
    shelf = Shelf()
    first = run(filled, now, shelf).targets[0].sent
    assert run(filled, now, shelf, force=True).targets[0].sent == first


def test_a_preview_counts_and_touches_nothing(filled: SqliteStore, now: Clock) -> None:
    found = preview(filled, {"there": True, "texts": False}, redact_value)
    assert {each.target: each.sent for each in found.targets} == {
        "there": WHOLE,
        "texts": {"memory": 5, "link": 1},
    }
    assert found.dry
    assert filled.backlog(now()) == {}
    shelf = Shelf()
    run(filled, now, shelf)
    assert preview(filled, {"there": True}, redact_value).targets[0].sent == {}
    assert preview(filled, {"there": True}, redact_value, force=True).targets[0].queued == 12


def test_no_secret_leaves(store: SqliteStore, now: Clock) -> None:
    """C-110, F-PRIV-1, F-MEM0-4: in a text, a rationale, a name, an observation, a link; in the queue neither."""
    store.save(
        batch(
            exchange("m1", decided(f"use the key {KEY} for staging", "staging")),
            note("n1", f"the token is {KEY}", agent=f"bot {KEY}"),
            entities=(entity("staging"),),
        )
    )
    store.create_nodes([Node(f"key {KEY}", "thing", (f"it is {KEY}",))], START)
    store.create_links([Link(f"key {KEY}", "opens", "staging")], START)
    for shelf in (Shelf("graph"), Shelf("texts", graph=False)):
        (done,) = run(store, now, shelf).targets
        assert sum(done.sent.values()) >= 3
        assert "sk-ant" not in shelf.texts()
        assert "[redacted:" in shelf.texts()
    with store._connections.reading() as connection:
        assert "sk-ant" not in repr(connection.execute("SELECT * FROM outbox").fetchall())


def test_what_was_queued_before_a_rule_existed_is_clean_when_it_leaves(store: SqliteStore, now: Clock) -> None:
    """C-112: what waits is gathered and redacted anew in every run."""
    store.save(batch(note("n1", f"the token is {KEY}")))
    down = Shelf(down_after=0)
    sync(store, [down], lambda value: value, now)
    shelf = Shelf()
    run(store, now, shelf, only=[MemoryId("n1")])
    assert shelf.kept
    assert "sk-ant" not in shelf.texts()


def test_what_we_pushed_is_known_when_it_comes_back(filled: SqliteStore, now: Clock) -> None:
    """D-5: as the whole text, as an observation with and without its entity, as the redacted text that was sent."""
    filled.save(batch(note("n2", f"the token is {KEY}")))
    run(filled, now, Shelf())
    back = [
        "we chose Redis over Memcached",
        "build: uses pnpm",
        "uses pnpm",
        "the token is [redacted:anthropic-key]",
        "somebody else's",
    ]
    sent = Shelf()
    run(filled, now, sent, force=True)
    known = filled.pushed("there", [text_hash(text) for text in back])
    assert [text_hash(text) in known for text in back] == [True, True, True, True, False]
    assert known[text_hash(back[0])] == "m1"


def test_a_dead_target_keeps_its_queue_and_the_others_go_on(filled: SqliteStore, now: Clock) -> None:
    """F-HOOK-3: cleared only when confirmed; the outage is named."""
    dead, alive = Shelf("dead", down_after=2), Shelf("alive")
    first, second = run(filled, now, dead, alive).targets
    assert first.outage is not None
    assert (first.outage.source, first.outage.reason) == ("dead", "dead: nobody answers")
    assert sum(first.sent.values()) == 2
    assert first.waiting == 10
    assert (second.outage, second.waiting, sum(second.sent.values())) == (None, 0, 12)
    dead.down_after = None
    (again,) = run(filled, now, dead).targets
    assert (sum(again.sent.values()), again.waiting, len(dead.kept)) == (10, 0, 12)


@pytest.mark.parametrize(("dead", "unreachable"), [((0, 0), True), ((0, 1), False), ((0, None), False)])
def test_all_targets_down_is_told_from_some(
    filled: SqliteStore, now: Clock, dead: tuple[int | None, ...], unreachable: bool
) -> None:
    done = run(filled, now, *(Shelf(f"t{place}", down_after=limit) for place, limit in enumerate(dead)))
    assert done.unreachable is unreachable
    assert not done.complete


def test_no_target_at_all_is_no_outage(filled: SqliteStore, now: Clock) -> None:
    assert run(filled, now) == Synced()
    assert Synced().complete
    assert not Synced().unreachable


def test_a_refused_parcel_is_counted_and_the_rest_goes_on(filled: SqliteStore, now: Clock) -> None:
    """C-154: partial failure has counts and reasons, each is tried once a run, and it stays in the queue."""
    shelf = Shelf(refuses=lambda claimed: claimed.parcel.kind == "link")
    done = run(filled, now, shelf)
    (target,) = done.targets
    assert not done.complete
    assert (target.failed, target.waiting, target.sent) == (
        2,
        2,
        {kind: n for kind, n in WHOLE.items() if kind != "link"},
    )
    assert {each.reason for each in target.refused} == {"there: does not take links"}
    assert len(shelf.calls) == 12
    assert filled.backlog(now())["there"].last_error == "there: does not take links"
    shelf.refuses = lambda _: False
    assert run(filled, now, shelf).targets[0].sent == {"link": 2}


def test_all_failures_are_counted_and_some_named(store: SqliteStore, now: Clock) -> None:
    store.save(batch(*(note(f"n{number}", f"remember the number {number}") for number in range(12))))
    (done,) = run(store, now, Shelf(refuses=lambda _: True)).targets
    assert (done.failed, len(done.refused)) == (12, 10)


def test_a_bug_in_a_target_is_a_crash_that_loses_nothing(filled: SqliteStore, now: Clock) -> None:
    """No broad except: it propagates; what was claimed goes back."""

    def stumble(claimed: Claimed) -> None:
        if claimed.parcel.kind == "memory":
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        run(filled, now, Shelf(on_push=stumble))
    there = filled.backlog(now())["there"]
    assert (there.sent, there.claimed, there.waiting) == (7, 0, 5)


def test_a_parcel_that_another_run_is_sending_is_left_to_it(filled: SqliteStore, now: Clock) -> None:
    """Two processes never send one parcel twice; an orphan is sent again when its lease has ended (F-HOOK-13)."""
    run(filled, now, Shelf(down_after=0))
    taken = filled.claim("there", 4, now(), LEASE)
    shelf = Shelf()
    run(filled, now, shelf)
    assert set(shelf.kept).isdisjoint(claim.parcel.key for claim in taken)
    assert len(shelf.kept) == 8
    now.pass_by(LEASE)
    attempts: list[int] = []
    shelf.on_push = lambda claimed: attempts.append(claimed.attempts)
    run(filled, now, shelf)
    assert len(shelf.kept) == 12
    assert attempts == [2, 2, 2, 2], "once when it was down, once by whoever died"


def test_forgotten_memories_are_not_sent(filled: SqliteStore, now: Clock) -> None:
    """Forgetting holds (decision 11), also for what waits; a deleted entity is withdrawn."""
    run(filled, now, Shelf(down_after=0))
    filled.forget([MemoryId("n1")], "asked", START)
    filled.delete_nodes(["build"], START)  # its observations are memories, which go with it
    shelf = Shelf()
    run(filled, now, shelf)
    assert "note:n1" not in shelf.kept
    assert not {key for key in shelf.kept if "build" in key}
    assert filled.backlog(now())["there"].waiting == 0


def test_one_note_can_go_at_once_and_alone(filled: SqliteStore, now: Clock) -> None:
    """``remember --mem0``: what waits for a slower day stays."""
    filled.save(batch(note("n2", "never on Fridays", category="workflow", outcome="success")))
    run(filled, now, Shelf(graph=False, down_after=0))
    shelf = Shelf(graph=False)
    (done,) = run(filled, now, shelf, only=[MemoryId("n2")]).targets
    assert list(shelf.kept) == ["note:n2"]
    assert (done.sent, done.waiting) == ({"memory": 1}, 6)
    assert shelf.kept["note:n2"]["outcome"] == "success"


def test_one_note_goes_to_a_graph_with_what_it_names(filled: SqliteStore, now: Clock) -> None:
    filled.save(batch(note("n2", "Redis is for sessions", "Redis"), entities=(entity("Redis"),)))
    filled.observe(MemoryId("n2"), ["Redis"], "Redis is for sessions", START)
    shelf = Shelf()
    run(filled, now, shelf, only=[MemoryId("n2")])
    assert list(shelf.kept) == ["node:redis", "observation:n2:redis"]
