"""Vectors of a large store: codes tell which of them are read, and follow every change (design decision 16)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, ProjectId, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite import SqliteStore
from memory_fabric.store.sqlite.vector_coarse import READ, Codes
from memory_fabric.store.sqlite.vector_codes import BLOCK, places, signs
from memory_fabric.store.sqlite.vector_copy import Copy
from memory_fabric.store.sqlite.vectors import VectorTable

AT = datetime(2026, 3, 1, tzinfo=UTC)
Rows = NDArray[np.float32]


def save(store: SqliteStore, ids: Sequence[str], project: Callable[[int], str | None] = lambda _: None) -> None:
    origin = Origin("note", SessionId("s1"))
    records = []
    for number, key in enumerate(ids):
        home = project(number)
        memory = Memory(
            MemoryId(key), f"text {key}", MemoryKind.EXCHANGE, None if home is None else ProjectId(home), AT, origin
        )
        records.append(Record(memory, number))
    store.save(Batch(records=tuple(records)))


def random_rows(count: int, dimension: int, seed: int = 5) -> Rows:
    """Vectors around common directions, as those of real texts are."""
    random = np.random.default_rng(seed)
    centres = random.normal(size=(40, dimension))
    rows = centres[random.integers(40, size=count)] + random.normal(size=(count, dimension))
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def put(store: SqliteStore, ids: Sequence[str], rows: Rows) -> None:
    store.put("v", {MemoryId(key): row[None] for key, row in zip(ids, rows, strict=True)})


def coded(store: SqliteStore) -> VectorTable:
    """A table that uses codes however small it is."""
    return VectorTable(store._connections, exact=0)


def test_the_signs_of_a_vector_are_its_code() -> None:
    code = signs(np.array([[0.5, -0.5, 0.0, 1e-9] + [0.0] * 62 + [1.0]], np.float32))
    assert code.shape == (1, 2)
    bits = np.unpackbits(code.view(np.uint8))
    assert list(np.flatnonzero(bits)) == [0, 3, 66]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), limit=st.integers(1, 12))
def test_where_all_are_read_codes_and_exact_search_agree(store: SqliteStore, seed: int, limit: int) -> None:
    random = np.random.default_rng(seed)
    ids = [f"m{i:02}" for i in range(20)]
    save(store, ids)
    store.put("v", {MemoryId(key): random.normal(size=(random.integers(1, 4), 5)).astype(np.float32) for key in ids})
    asked = random.normal(size=5).astype(np.float32)
    asked /= np.linalg.norm(asked)
    exact, found = store.nearest("v", asked, Scope(), limit), coded(store).nearest("v", asked, Scope(), limit)
    assert [key for key, _ in found] == [key for key, _ in exact]
    assert [score for _, score in found] == pytest.approx([score for _, score in exact], abs=1e-6)


def test_of_many_the_nearest_are_found_nearly_always(store: SqliteStore) -> None:
    """Three times as many as are read: 64 dimensions tell less than the 384 of a real model."""
    ids = [f"m{i:05}" for i in range(3 * READ)]
    rows = random_rows(len(ids), 64)
    save(store, ids)
    put(store, ids, rows)
    table, shares = coded(store), []
    for asked in random_rows(30, 64, seed=5):
        exact = [ids[at] for at in np.argsort(-(rows @ asked), kind="stable")[:10]]
        found = table.nearest("v", asked, Scope(), 10)
        assert found[0][1] == pytest.approx(float(rows[ids.index(found[0][0])] @ asked), abs=1e-6)
        shares.append(len({str(key) for key, _ in found} & set(exact)) / 10)
    assert np.mean(shares) > 0.97
    assert isinstance(table._held[1], Codes)


@pytest.mark.parametrize("inside", [3, 40, 2_000])
def test_a_scope_gets_all_that_it_asks_for(store: SqliteStore, inside: int) -> None:
    """However few are in it, and though none of them is among the nearest of all."""
    ids = [f"m{i:05}" for i in range(3 * READ)]
    rows = random_rows(len(ids), 64)
    save(store, ids, lambda number: "in" if number < inside else "out")
    asked = -rows[:inside].mean(axis=0)
    asked /= np.linalg.norm(asked)
    put(store, ids, rows)
    best = [ids[at] for at in np.argsort(-(rows[:inside] @ asked), kind="stable")[:10]]
    found = coded(store).nearest("v", asked, Scope(projects=(ProjectId("in"),)), 10)
    assert len(found) == min(10, inside)
    if inside < READ:
        assert [str(key) for key, _ in found] == best
    else:
        assert len({str(key) for key, _ in found} & set(best)) >= 9


def test_a_space_is_searched_exactly_up_to_a_number_of_blocks(store: SqliteStore) -> None:
    ids = [f"m{i:05}" for i in range(BLOCK + 1)]
    rows = random_rows(len(ids), 8)
    save(store, ids)
    table = VectorTable(store._connections, exact=BLOCK)
    put(store, ids[: BLOCK - 1], rows[: BLOCK - 1])  # rows count from 1: the first place of the first block is free
    assert table.nearest("v", rows[7], Scope(), 1)[0][0] == ids[7]
    assert isinstance(table._held[1], Copy)
    put(store, ids[BLOCK - 1 :], rows[BLOCK - 1 :])
    assert table.nearest("v", rows[BLOCK], Scope(), 1)[0][0] == ids[BLOCK]
    assert isinstance(table._held[1], Codes)


def test_codes_follow_what_is_added_replaced_and_forgotten(store: SqliteStore, path: Path) -> None:
    """Also what another connection does, which stands for another process."""
    ids = [f"m{i:05}" for i in range(2 * BLOCK)]
    rows = random_rows(len(ids), 70)
    save(store, ids)
    put(store, ids[:300], rows[:300])
    table = coded(store)
    assert table.nearest("v", rows[299], Scope(), 1)[0][0] == ids[299]
    with SqliteStore.open(path) as other:
        put(other, ids[300:], rows[300:])
        assert table.nearest("v", rows[400], Scope(), 1)[0][0] == ids[400]
        other.forget([MemoryId(ids[400]), MemoryId(ids[3])], "asked", AT)
        assert {ids[400], ids[3]}.isdisjoint(str(key) for key, _ in table.nearest("v", rows[400], Scope(), 600))
        put(other, [ids[5]], -rows[5:6])
    ((turned, cosine),) = table.nearest("v", -rows[5], Scope(), 1)
    assert turned == ids[5]
    assert cosine == pytest.approx(1.0)
    assert len(table.nearest("v", rows[0], Scope(), 600)) == len(ids) - 2
    assert store.check() == []


def test_nothing_of_a_forgotten_vector_stays_in_its_block(store: SqliteStore, path: Path) -> None:
    """F-PRIV-7: a code tells something of what was said."""
    ids = [f"m{i}" for i in range(4)]
    save(store, ids)
    put(store, ids, random_rows(4, 70))
    store.forget([MemoryId("m2")], "asked", AT)
    with closing(sqlite3.connect(path)) as connection:
        ((data,),) = connection.execute("SELECT data FROM vector_blocks").fetchall()
        held = dict(connection.execute("SELECT row, memory FROM vectors").fetchall())
    block = places(data)
    assert {place: int(block[place, 0]) for place in np.flatnonzero(block.any(axis=1))} == held
    assert len(held) == 3


def test_two_spaces_share_rows_but_no_blocks(store: SqliteStore) -> None:
    ids = [f"m{i}" for i in range(6)]
    save(store, ids)
    wide, narrow = random_rows(6, 70), random_rows(6, 3)
    for number, key in enumerate(ids):
        store.put("wide", {MemoryId(key): wide[number : number + 1]})
        store.put("narrow", {MemoryId(key): narrow[number : number + 1]})
    table = coded(store)
    assert table.nearest("wide", wide[4], Scope(), 1)[0][0] == "m4"
    assert table.nearest("narrow", narrow[4], Scope(), 1)[0][0] == "m4"
    assert store.check() == []


def test_a_block_that_differs_from_its_vectors_is_a_fault(store: SqliteStore, path: Path) -> None:
    save(store, ["a", "b"])
    put(store, ["a", "b"], random_rows(2, 8))
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE vector_blocks SET data = zeroblob(length(data))")
    assert any("1 blocks of the vectors' codes" in fault for fault in store.check())
