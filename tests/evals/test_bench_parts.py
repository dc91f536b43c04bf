"""The parts of ``bench``: figures by hand, and an invented memory that is the same each time."""

from __future__ import annotations

from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest

from memory_fabric.app import Fabric
from memory_fabric.errors import UsageError
from memory_fabric.evals.bench import figures
from memory_fabric.evals.bench.build import WORDS_FILE, kept_language
from memory_fabric.evals.bench.run import SEED
from memory_fabric.evals.bench.stages import TimedFabric
from memory_fabric.evals.bench.synthetic import PER_SESSION, Language, batches, memory_id, questions
from memory_fabric.evals.bench.vectors import BLOCK, NOISE, Bases
from memory_fabric.model.query import Mode
from memory_fabric.settings import Settings


@pytest.fixture(scope="module")
def language() -> Language:
    return Language.of(7)


@pytest.mark.parametrize(("share", "expected"), [(50, 10), (95, 19), (99, 20)])
def test_a_percentile_is_the_smallest_value_that_so_many_do_not_exceed(share: int, expected: int) -> None:
    assert figures.percentile(list(range(20, 0, -1)), share) == expected


def test_a_percentile_of_one_value_is_that_value() -> None:
    assert figures.percentile([3.0], 50) == figures.percentile([3.0], 99) == 3.0


def test_percentiles_are_the_median_of_the_rounds_in_milliseconds() -> None:
    rounds = [[0.001, 0.002, 0.003], [0.004, 0.005, 0.006], [0.9, 0.9, 0.9]]
    assert figures.percentiles(rounds) == {"p50": 5.0, "p95": 6.0, "p99": 6.0}


@pytest.mark.parametrize(("measured", "kept"), [(9.99, True), (10.0, False), (10.01, False)])
def test_a_budget_is_kept_below_its_limit(measured: float, kept: bool) -> None:
    found = figures.within({"p50": measured, "p99": 99.0}, {"p50": 10.0})
    assert found == {"p50": {"limit": 10.0, "measured": measured, "kept": kept}}


def test_the_memory_is_the_same_for_the_same_seed_and_as_large_as_asked(language: Language) -> None:
    made = list(batches(language, 1, 45))
    assert [len(batch.records) for batch in made] == [PER_SESSION, PER_SESSION, 5]
    assert made == list(batches(language, 1, 45))
    assert made != list(batches(language, 2, 45))
    ids = [record.memory.id for batch in made for record in batch.records]
    assert ids == [memory_id(number) for number in range(45)]
    dates = [record.memory.at for batch in made for record in batch.records]
    assert all(a < b for a, b in pairwise(dates) if a and b)


def test_no_question_is_asked_twice_and_the_same_ones_each_time(language: Language) -> None:
    asked = questions(language, 1, 45, 200)
    assert len(set(asked)) == 200
    assert asked == questions(language, 1, 45, 200)
    assert sum("project-0" in question for question in asked) == 20
    assert sum(" in src/" in question for question in asked) >= 66


def bases() -> Bases:
    rows = np.random.default_rng(3).standard_normal((7, 64)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return Bases((rows[:2], rows[2:3], rows[3:]), seed=5)


def test_derived_vectors_have_length_one_and_lie_near_what_they_come_from() -> None:
    given = bases()
    made = {id_: rows for block in given.blocks(BLOCK + 10) for id_, rows in block.items()}
    assert list(made) == [memory_id(number) for number in range(3, BLOCK + 10)]
    cosines = []
    for number, rows in enumerate(made.values(), 3):
        base = given.vectors[number % 3]
        assert rows.shape == base.shape
        assert rows.dtype == np.float32
        assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-5)
        cosines += (rows * base).sum(axis=1).tolist()
    assert np.mean(cosines) == pytest.approx(1 / np.sqrt(1 + NOISE**2), abs=0.01)


def test_derived_vectors_are_the_same_each_time_and_survive_a_file(tmp_path: Path) -> None:
    given = bases()
    given.save(tmp_path / "bases.npz")
    kept = Bases.load(tmp_path / "bases.npz")
    for one, other in zip(given.all(20), kept.all(20), strict=True):
        assert one.keys() == other.keys()
        assert all((one[id_] == other[id_]).all() for id_ in one)


@pytest.mark.parametrize("mode", list(Mode))
def test_a_timed_search_gives_the_answers_of_the_search_itself(tmp_path: Path, language: Language, mode: Mode) -> None:
    settings = Settings(home=tmp_path, embedder="hashed")
    with Fabric.open(settings) as fabric:
        for batch in batches(language, 1, 60):
            fabric.store.save(batch)
        fabric.embed()
    with Fabric.open(settings, read_only=True) as plain, TimedFabric.open(settings, read_only=True) as timed:
        for question in islice(questions(language, 1, 60, 10), 10):
            expected, found = (each.search(question, mode=mode).results for each in (plain, timed))
            assert [r.candidate.memory.id for r in found] == [r.candidate.memory.id for r in expected]
            assert [r.score for r in found] == pytest.approx([r.score for r in expected])
        laps = timed.laps.taken()
    assert {"parse", "dispatch", "fuse", "rank", "attach"} <= set(laps)
    assert not timed.laps.taken()


def test_words_that_are_kept_stay_whatever_the_documentation_says_since(tmp_path: Path) -> None:
    kept = kept_language(tmp_path / "new", SEED)
    assert kept == Language.of(SEED)
    words = tmp_path / "new" / WORDS_FILE
    words.write_text(words.read_text(encoding="utf-8").replace(kept.words[0], "walrus", 1), encoding="utf-8")
    again = kept_language(tmp_path / "new", SEED)
    assert again.words == ("walrus", *kept.words[1:])
    assert (again.cumulative, again.files) == (kept.cumulative, kept.files)
    with pytest.raises(UsageError, match="seed"):
        kept_language(tmp_path / "new", SEED + 1)
