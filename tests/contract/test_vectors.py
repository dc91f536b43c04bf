"""Vectors: exact, of one space at a time, always in step with the memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_fabric.errors import DimensionMismatch, UsageError
from memory_fabric.model.memory import MemoryId, ProjectId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Background, Store

if TYPE_CHECKING:
    from tests.contract.conftest import Build

A, B, C = (MemoryId(key) for key in "abc")
EAST = np.array([1, 0], dtype=np.float32)


def vectors(*rows: tuple[float, ...]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.array(rows, dtype=np.float32)


@pytest.fixture
def three(store: Store, build: Build) -> Store:
    store.save(build.batch(*(build.record(key, seq=i, day=i, project=f"p{i}") for i, key in enumerate((A, B, C)))))
    return store


def test_the_best_window_counts_and_the_best_memory_comes_first(three: Store) -> None:
    three.put("v", {A: vectors((0, 1)), B: vectors((0, 1), (1, 0)), C: vectors((-1, 0), (1, 1))})
    found = three.nearest("v", EAST, Scope(), 9)
    assert [key for key, _ in found] == [B, C, A]
    assert [score for _, score in found] == pytest.approx([1, 0.5**0.5, 0])
    assert [key for key, _ in three.nearest("v", EAST, Scope(), 2)] == [B, C]
    assert three.nearest("v", EAST, Scope(), 0) == three.nearest("v", EAST, Scope(), -1) == []
    assert three.cosines("v", EAST, [C, A, MemoryId("none")]) == pytest.approx({C: 0.5**0.5, A: 0})


def test_vectors_are_brought_to_length_one(three: Store) -> None:
    """C-068."""
    three.put("v", {A: vectors((3, 4))})
    assert three.sample("v", 1)[0] == pytest.approx([0.6, 0.8])
    assert three.nearest("v", np.array([0.6, 0.8], dtype=np.float32), Scope(), 1)[0][1] == pytest.approx(1)


@pytest.mark.parametrize("row", [(0.0, 0.0), (float("nan"), 1.0), (float("inf"), 0.0)])
def test_a_vector_without_direction_is_refused(three: Store, row: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="direction"):
        three.put("v", {A: vectors((1, 0)), B: vectors(row)})
    assert three.coverage() == {}, "nothing of the call was stored"


def test_dimensions_never_mix(three: Store) -> None:
    """C-065, C-066: refused, and named."""
    three.put("v", {A: vectors((1, 0))})
    with pytest.raises(DimensionMismatch, match="2 dimensions"):
        three.put("v", {B: vectors((1, 0, 0))})
    for ask in (lambda v: three.nearest("v", v, Scope(), 1), lambda v: three.cosines("v", v, [A])):
        with pytest.raises(DimensionMismatch):
            ask(np.ones(3, dtype=np.float32))
    with pytest.raises(DimensionMismatch):
        three.put("w", {A: vectors((1, 0)), B: vectors((1, 0, 0))})
    assert three.coverage() == {"v": 1}


def test_spaces_are_kept_apart(three: Store) -> None:
    """C-066: another model's vectors are pending, not missing."""
    three.put("v", {A: vectors((1, 0)), B: vectors((0, 1))})
    three.put("w", {A: vectors((0, 0, 1))})
    assert three.coverage() == {"v": 2, "w": 1}
    assert [m.id for m in three.pending("w", 9)] == [B, C]
    assert [m.id for m in three.pending("none", 2)] == [A, B], "oldest first"
    assert three.nearest("none", EAST, Scope(), 3) == []
    assert three.cosines("none", EAST, [A]) == {}
    assert three.sample("none", 3).shape[0] == 0


def test_the_copy_in_memory_follows_the_store(three: Store, build: Build) -> None:
    three.put("v", {A: vectors((1, 0))})
    assert [key for key, _ in three.nearest("v", EAST, Scope(), 9)] == [A]
    three.put("v", {B: vectors((1, 1)), C: vectors((0, 1), (1, 0.1))})
    assert [key for key, _ in three.nearest("v", EAST, Scope(), 9)] == [A, C, B]
    three.put("v", {A: vectors((0, 1))})
    assert [key for key, _ in three.nearest("v", EAST, Scope(), 9)] == [C, B, A]
    three.forget([C], "asked", build.at(0))
    assert [key for key, _ in three.nearest("v", EAST, Scope(), 9)] == [B, A]
    assert [key for key, _ in three.nearest("v", EAST, Scope(projects=(ProjectId("p0"),)), 9)] == [A]


def test_memories_that_are_gone_are_left_out(three: Store) -> None:
    three.put("v", {MemoryId("gone"): vectors((1, 0)), A: vectors((1, 0))})
    assert three.coverage() == {"v": 1}
    three.put("v", {})


def test_the_calibration_of_a_space_is_kept(three: Store) -> None:
    assert three.background("v") is None
    three.calibrate("v", Background(0.1, 0.2, 300))
    three.put("v", {A: vectors((1, 0))})
    assert three.background("v") == Background(0.1, 0.2, 300)
    three.calibrate("v", Background(0.3, 0.4, 500))
    assert three.background("v") == Background(0.3, 0.4, 500)


def test_a_sample_is_spread_and_the_same_each_time(store: Store, build: Build) -> None:
    ids = [MemoryId(f"m{i:02}") for i in range(10)]
    store.save(build.batch(*(build.record(key, seq=i) for i, key in enumerate(ids))))
    store.put("v", {key: vectors((1, i), (5, 5)) for i, key in enumerate(ids)})
    slopes = [round(float(row[1] / row[0])) for row in store.sample("v", 5)]
    assert slopes == [0, 2, 4, 6, 8]
    assert (store.sample("v", 5) == store.sample("v", 5)).all()
    assert [len(store.sample("v", limit)) for limit in (-1, 0, 9, 10, 11)] == [0, 0, 9, 10, 10]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), limit=st.integers(1, 12))
def test_nearest_is_exact(store: Store, build: Build, seed: int, limit: int) -> None:
    """Decision 16, as a law: the same as looking at every window."""
    random = np.random.default_rng(seed)
    ids = [MemoryId(f"m{i:02}") for i in range(10)]
    store.save(build.batch(*(build.record(key, seq=i) for i, key in enumerate(ids))))
    windows = {key: random.normal(size=(random.integers(1, 4), 4)).astype(np.float32) for key in ids}
    store.put("law", windows)
    asked = random.normal(size=4).astype(np.float32)
    asked /= np.linalg.norm(asked)
    best = {key: float((rows @ asked / np.linalg.norm(rows, axis=1)).max()) for key, rows in windows.items()}
    expected = sorted(ids, key=lambda key: -best[key])[:limit]
    found = store.nearest("law", asked, Scope(), limit)
    assert [key for key, _ in found] == expected
    assert [score for _, score in found] == pytest.approx([best[key] for key in expected], abs=1e-5)
    assert store.cosines("law", asked, ids) == pytest.approx(best, abs=1e-5)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10**6), limit=st.integers(1, 3), share=st.sampled_from([0.0, 0.05, 0.5, 1.0]))
def test_the_nearest_in_a_scope_are_the_nearest_of_all_that_are_in_it(
    store: Store, build: Build, seed: int, limit: int, share: float
) -> None:
    """However few are in it, and however many are equally near."""
    random = np.random.default_rng(seed)
    ids = [MemoryId(f"m{i:02}") for i in range(40)]
    inside = {key for key in ids if random.random() < share}
    homes = {key: "in" if key in inside else "out" for key in ids}
    store.save(build.batch(*(build.record(key, seq=i, project=homes[key]) for i, key in enumerate(ids))))
    store.put("scoped", {key: random.integers(1, 4, size=(1, 3)).astype(np.float32) for key in ids})
    asked = vectors((1, 0, 0))[0]
    everything = [key for key, _ in store.nearest("scoped", asked, Scope(), len(ids))]
    expected = [key for key in everything if key in inside][:limit]
    assert [key for key, _ in store.nearest("scoped", asked, Scope(projects=(ProjectId("in"),)), limit)] == expected


def test_vectors_that_come_one_after_another_are_all_found(store: Store, build: Build) -> None:
    """Each search in between sees exactly what is there by then, old and new."""
    ids = [MemoryId(f"m{i:02}") for i in range(30)]
    store.save(build.batch(*(build.record(key, seq=i) for i, key in enumerate(ids))))
    rows = np.random.default_rng(4).normal(size=(30, 2, 4)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    for count, key in enumerate(ids, 1):
        store.put("grows", {key: rows[count - 1]})
        found = store.nearest("grows", rows[count // 2, 1], Scope(), 99)
        best = {other: float((rows[i] @ rows[count // 2, 1]).max()) for i, other in enumerate(ids[:count])}
        assert [other for other, _ in found] == sorted(best, key=lambda other: -best[other])
        assert [score for _, score in found] == pytest.approx(sorted(best.values(), reverse=True), abs=1e-5)
