"""The queue to memories elsewhere (F-HOOK-3, F-HOOK-13): kept until they confirmed, and by one process at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Protocol

import pytest

from memory_fabric.model.memory import MemoryId
from memory_fabric.ports import Batch, Claimed, Parcel, Record, Store
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.text import text_hash

LEASE = timedelta(minutes=5)
TINY = timedelta(milliseconds=1)


class Building(Protocol):
    def at(self, day: float) -> datetime: ...
    def batch(self, *records: Record) -> Batch: ...
    def note(self, text: str, key: str = "n1") -> Record: ...


def parcel(key: str = "k1", text: str = "we chose Redis", target: str = "there", memory: str | None = None) -> Parcel:
    return Parcel(
        target, key, "memory", {"text": text, "tags": ["a"]}, (text_hash(text),), MemoryId(memory) if memory else None
    )


def keys(claims: list[Claimed]) -> list[str]:
    return [claim.parcel.key for claim in claims]


def test_a_parcel_comes_out_as_it_went_in(store: Store, build: Building) -> None:
    given = parcel()
    assert store.enqueue([given], build.at(0)) == 1
    (claim,) = store.claim("there", 10, build.at(0), LEASE)
    assert claim.parcel == given
    assert (claim.attempts, claim.remote_id) == (0, None)


def test_the_same_thing_is_queued_once(store: Store, build: Building) -> None:
    """Idempotent by target and key, whether it waits, is being sent, or was sent (F-CMD-10)."""
    assert store.enqueue([parcel(), parcel(), parcel(target="elsewhere")], build.at(0)) == 2
    assert store.enqueue([parcel()], build.at(1)) == 0
    (claim,) = store.claim("there", 10, build.at(1), LEASE)
    assert store.enqueue([parcel()], build.at(1)) == 0
    store.confirm({claim.id: None}, build.at(1))
    assert store.enqueue([parcel()], build.at(2)) == 0
    assert store.claim("there", 10, build.at(2), LEASE) == []
    assert keys(store.claim("elsewhere", 10, build.at(2), LEASE)) == ["k1"]


def test_the_order_of_a_payloads_keys_is_no_change(store: Store, build: Building) -> None:
    store.enqueue([replace(parcel(), payload={"a": 1, "b": {"c": 2, "d": 3}})], build.at(0))
    assert store.enqueue([replace(parcel(), payload={"b": {"d": 3, "c": 2}, "a": 1})], build.at(0)) == 0


def test_a_changed_payload_is_queued_again_with_the_targets_own_id(store: Store, build: Building) -> None:
    store.enqueue([parcel()], build.at(0))
    (first,) = store.claim("there", 10, build.at(0), LEASE)
    store.confirm({first.id: "remote-7"}, build.at(0))
    assert store.enqueue([parcel(text="we chose Valkey")], build.at(1)) == 1
    (second,) = store.claim("there", 10, build.at(1), LEASE)
    assert second.parcel.payload["text"] == "we chose Valkey"
    assert (second.remote_id, second.attempts) == ("remote-7", 0)
    store.confirm({second.id: None}, build.at(1))
    assert store.enqueue([parcel(text="we chose Redis")], build.at(2)) == 1
    (third,) = store.claim("there", 10, build.at(2), LEASE)
    assert third.remote_id == "remote-7", "a confirmation without an id keeps the one that is known"


def test_what_changes_while_it_is_sent_is_sent_again(store: Store, build: Building) -> None:
    """The confirmation is of the old payload."""
    store.enqueue([parcel()], build.at(0))
    (old,) = store.claim("there", 10, build.at(0), LEASE)
    assert store.enqueue([parcel(text="we chose Valkey")], build.at(0)) == 1
    store.confirm({old.id: "r"}, build.at(0))
    (new,) = store.claim("there", 10, build.at(0), LEASE)
    assert new.parcel.payload["text"] == "we chose Valkey"


def test_force_queues_what_was_sent_and_nothing_twice(store: Store, build: Building) -> None:
    store.enqueue([parcel("a"), parcel("b"), parcel("c")], build.at(0))
    a, b = store.claim("there", 2, build.at(0), LEASE)
    store.confirm({a.id: None}, build.at(0))
    assert store.enqueue([parcel("a"), parcel("b"), parcel("c")], build.at(1), force=True) == 1
    store.confirm({b.id: None}, build.at(1))
    assert keys(store.claim("there", 10, build.at(1), LEASE)) == ["c", "a"]


def test_oldest_first_and_no_more_than_asked(store: Store, build: Building) -> None:
    store.enqueue([parcel("late")], build.at(2))
    store.enqueue([parcel("first"), parcel("second")], build.at(1))
    assert keys(store.claim("there", 2, build.at(3), LEASE)) == ["first", "second"]
    assert keys(store.claim("there", 2, build.at(3), LEASE)) == ["late"]
    assert store.claim("there", 2, build.at(3), LEASE) == []


def test_what_waits_keeps_its_place_when_it_changes(store: Store, build: Building) -> None:
    store.enqueue([parcel("a")], build.at(0))
    store.enqueue([parcel("b")], build.at(1))
    store.enqueue([parcel("a", "another text")], build.at(2))
    assert keys(store.claim("there", 10, build.at(3), LEASE)) == ["a", "b"]


def test_only_the_keys_that_were_asked_for(store: Store, build: Building) -> None:
    store.enqueue([parcel("a"), parcel("b"), parcel("c")], build.at(0))
    assert keys(store.claim("there", 10, build.at(0), LEASE, keys=["c", "nothing"])) == ["c"]
    assert store.claim("there", 10, build.at(0), LEASE, keys=[]) == []


def test_an_orphan_is_taken_up_when_its_lease_has_ended(store: Store, build: Building) -> None:
    """C-099, F-HOOK-13: at the limit, not before; with how often it was tried."""
    store.enqueue([parcel()], build.at(0))
    store.claim("there", 10, build.at(0), LEASE)
    assert store.claim("there", 10, build.at(0) + LEASE - TINY, LEASE) == []
    (again,) = store.claim("there", 10, build.at(0) + LEASE, LEASE)
    assert again.attempts == 1


def test_a_claim_that_was_taken_over_confirms_and_releases_nothing(store: Store, build: Building) -> None:
    store.enqueue([parcel()], build.at(0))
    (slow,) = store.claim("there", 10, build.at(0), LEASE)
    (quick,) = store.claim("there", 10, build.at(0) + LEASE, LEASE)
    store.release([slow.id], "too slow")
    store.confirm({slow.id: "old"}, build.at(0))
    assert store.backlog(build.at(0) + LEASE)["there"].claimed == 1
    store.confirm({quick.id: "new"}, build.at(1))
    assert store.backlog(build.at(1))["there"].sent == 1


def test_confirming_is_the_only_way_out(store: Store, build: Building) -> None:
    """F-HOOK-3: a released parcel waits on, with the error and the attempts counted."""
    store.enqueue([parcel("a"), parcel("b")], build.at(0))
    a, b = store.claim("there", 10, build.at(0), LEASE)
    store.release([a.id], "connection refused")
    store.confirm({b.id: None}, build.at(1))
    there = store.backlog(build.at(1))["there"]
    assert (there.waiting, there.claimed, there.failed, there.sent) == (1, 0, 1, 1)
    assert (there.oldest, there.last_sent, there.last_error) == (build.at(0), build.at(1), "connection refused")
    (again,) = store.claim("there", 10, build.at(1), LEASE)
    assert (again.parcel.key, again.attempts) == ("a", 1)
    store.confirm({again.id: None}, build.at(2))
    there = store.backlog(build.at(2))["there"]
    assert (there.waiting, there.failed, there.sent, there.oldest, there.last_error) == (0, 0, 2, None, None)


def test_a_backlog_counts_orphans_as_waiting(store: Store, build: Building) -> None:
    store.enqueue([parcel()], build.at(0))
    store.claim("there", 10, build.at(0), LEASE)
    before, after = (store.backlog(build.at(0) + delay)["there"] for delay in (LEASE - TINY, LEASE))
    assert (before.waiting, before.claimed, before.failed) == (0, 1, 0)
    assert (after.waiting, after.claimed, after.failed) == (1, 0, 1)
    assert store.backlog(build.at(0)).keys() == {"there"}


def test_what_is_due_is_known_without_writing(store: Store, build: Building) -> None:
    store.enqueue([parcel("sent"), parcel("waits")], build.at(0))
    (claim,) = store.claim("there", 1, build.at(0), LEASE)
    store.confirm({claim.id: None}, build.at(0))
    offered = [parcel("sent"), parcel("waits"), parcel("new"), parcel("sent", target="elsewhere")]
    assert [(each.target, each.key) for each in store.due(offered)] == [
        ("there", "waits"),
        ("there", "new"),
        ("elsewhere", "sent"),
    ]
    assert store.due([parcel("sent", "changed")]) == [parcel("sent", "changed")]
    assert store.due(offered, force=True) == offered
    assert store.due([]) == []
    assert store.backlog(build.at(0)).keys() == {"there"}


def test_what_is_no_longer_worth_sending_is_withdrawn(store: Store, build: Building) -> None:
    store.enqueue([parcel("being sent")], build.at(0))
    store.claim("there", 1, build.at(0), LEASE)
    store.enqueue([parcel("keep"), parcel("drop"), parcel("drop", target="elsewhere")], build.at(0))
    assert store.withdraw("there", ["keep"], build.at(0) + LEASE - TINY) == 1
    assert store.backlog(build.at(0))["there"].claimed == 1
    assert store.withdraw("there", ["keep"], build.at(0) + LEASE) == 1, "whoever was sending it is gone"
    assert keys(store.claim("there", 10, build.at(0) + LEASE, LEASE)) == ["keep"]
    assert keys(store.claim("elsewhere", 10, build.at(0), LEASE)) == ["drop"]


def test_nothing_of_a_forgotten_memory_is_sent(store: Store, build: Building) -> None:
    """Forgetting holds (decision 11), also for what waits and for what a dead process left."""
    store.save(build.batch(build.note("we chose Redis", "n1"), build.note("we chose Kafka", "n2")))
    store.enqueue([parcel("orphan", memory="n1")], build.at(0))
    store.claim("there", 1, build.at(0), LEASE)
    store.enqueue([parcel("waits", memory="n1"), parcel("lives", memory="n2")], build.at(0))
    store.forget([MemoryId("n1")], "asked", build.at(0))
    assert keys(store.claim("there", 10, build.at(0) + LEASE, LEASE)) == ["lives"]
    assert store.backlog(build.at(0) + LEASE)["there"].waiting == 0


def test_we_know_which_texts_we_put_there(store: Store, build: Building) -> None:
    """Spelling aside; from the first claim on, since a process that died may have sent it; also after a change."""
    store.save(build.batch(build.note("we chose Redis", "n1")))
    store.enqueue([parcel(memory="n1"), parcel("k2", "we chose Kafka")], build.at(0))
    asked = [text_hash("We  chose REDIS"), text_hash("we chose Kafka"), text_hash("somebody else's words")]
    assert store.pushed("there", asked) == {}
    (claim,) = store.claim("there", 1, build.at(0), LEASE)
    assert store.pushed("there", asked) == {asked[0]: MemoryId("n1")}
    store.confirm({claim.id: None}, build.at(0))
    store.enqueue([parcel(text="we chose Valkey", memory="n1")], build.at(1))
    store.claim("there", 10, build.at(1), LEASE)
    assert store.pushed("there", asked) == {asked[0]: MemoryId("n1"), asked[1]: None}
    assert store.pushed("elsewhere", asked) == {}


@pytest.mark.parametrize("claimers", [4])
def test_no_parcel_goes_to_two_claimers(store: Store, build: Building, claimers: int) -> None:
    """C-128: claiming is one transaction."""
    store.enqueue([parcel(f"k{number}") for number in range(60)], build.at(0))

    def take(_: int) -> list[str]:
        mine: list[str] = []
        while claims := store.claim("there", 3, build.at(0), LEASE):
            mine += keys(claims)
        return mine

    with ThreadPoolExecutor(claimers) as pool:
        taken = [key for mine in pool.map(take, range(claimers)) for key in mine]
    assert sorted(taken) == sorted(f"k{number}" for number in range(60))


def test_a_store_opened_for_reading_tells_how_it_stands(store: SqliteStore, build: Building) -> None:
    store.enqueue([parcel()], build.at(0))
    with SqliteStore.open(store.path, read_only=True) as reading:
        assert reading.backlog(build.at(0))["there"].waiting == 1
        assert reading.due([parcel("new")]) == [parcel("new")]
