"""What may be shown unasked: at each limit, just below and just above."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from memory_fabric.doors.hooks.bar import MANY, WHOLE, WITH_VECTORS, WITHOUT_VECTORS, above_bar, rarities, worth
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.result import Candidate
from memory_fabric.ports import TextStatistics, TextUnit
from memory_fabric.store.sqlite import SqliteStore


class Index:
    """Units of given words; every word of the question stands in exactly one, but those in ``common``."""

    def __init__(self, texts: dict[str, str], common: frozenset[str] = frozenset()) -> None:
        self._texts, self._common = texts, common

    def statistics(self, terms: Sequence[str]) -> TextStatistics:
        return TextStatistics(1_000, 10.0, {term: 500 if term in self._common else 1 for term in terms})

    def units(self, ids: Sequence[MemoryId]) -> list[TextUnit]:
        return [TextUnit(id_, SessionId("s"), 0, f" {'  '.join(self._texts[id_].split())} ", " ", 1) for id_ in ids]


def candidate(found_by: dict[str, float], name: str = "m") -> Candidate:
    memory = Memory(MemoryId(name), "…", MemoryKind.EXCHANGE, None, None, Origin("t", SessionId("s")))
    return Candidate(memory, 0.0, found_by)


def passes(found_by: dict[str, float], text: str, question: str, common: frozenset[str] = frozenset()) -> bool:
    return bool(above_bar([candidate(found_by)], question.split(), Index({"m": text}, common)))  # type: ignore[arg-type]


@pytest.mark.parametrize(("share", "passed"), [(0.549, False), (0.55, True), (0.551, True)])
def test_the_share_of_the_attainable(share: float, passed: bool) -> None:
    assert WITHOUT_VECTORS.share == 0.55
    assert passes({"text": share}, "a b", "a b c d") is passed


@pytest.mark.parametrize(("share", "passed"), [(0.59, False), (0.60, True), (0.61, True)])
def test_with_vectors_both_shares_count(share: float, passed: bool) -> None:
    assert WITH_VECTORS.share == 1.0
    assert passes({"text": 0.40, "vector": share}, "a b", "a b c d") is passed


@pytest.mark.parametrize(("text", "passed"), [("x", False), ("a x", True)])
def test_with_vectors_one_rare_word_is_enough(text: str, passed: bool) -> None:
    assert WITH_VECTORS.words == 0.75
    assert passes({"text": 0.4, "vector": 0.9}, text, "a b c d") is passed


def test_the_graph_adds_a_hint() -> None:
    assert worth({"text": 0.5, "graph": 1.0}) == pytest.approx(0.8)
    assert passes({"text": 0.50, "graph": 0.2}, "a b", "a b c d")
    assert not passes({"graph": 1.0}, "a b", "a b c d")


@pytest.mark.parametrize(("text", "passed"), [("a", False), ("a x", False), ("a b", True)])
def test_one_rare_word_is_not_enough(text: str, passed: bool) -> None:
    """1.25 words: one rare and some common ones, or two."""
    assert WITHOUT_VECTORS.words == 1.25
    assert passes({"text": 0.9}, text, "a b c") is passed


def test_common_words_say_little() -> None:
    """Half of all hold each: "fix the issue and commit" is wholly matched by any exchange that says so."""
    common = frozenset("fix issue commit push".split())
    said = rarities(sorted(common), Index({}, common))  # type: ignore[arg-type]
    assert sum(said.values()) < WITHOUT_VECTORS.words
    assert not passes({"text": 1.0}, "fix issue commit push", "fix issue commit push", common)


@pytest.mark.parametrize(
    ("text", "question", "passed"),
    [("a b c d", "a b c d e", True), ("a b c", "a b c", True), ("a b", "a b", False), ("a b c", "a b c d", False)],
)
def test_what_holds_nearly_all_of_a_prompt_passes_by_that(text: str, question: str, passed: bool) -> None:
    """An exchange alone in its session cannot reach the share: three rare words, and four fifths of all."""
    assert (MANY, WHOLE) == (3.0, 0.8)
    assert passes({"text": 0.3}, text, question) is passed


def test_the_order_stays() -> None:
    names = ("c", "a", "b")
    found = [candidate({"text": 0.9}, name) for name in names]
    index = Index(dict.fromkeys(names, "x y z"))
    assert [each.memory.id for each in above_bar(found, ["x", "y"], index)] == list(names)  # type: ignore[arg-type]
    assert above_bar([], ["x"], index) == []  # type: ignore[arg-type]


def test_an_empty_store_is_no_error(tmp_path: Path) -> None:
    with SqliteStore.open(tmp_path / "memory.db") as store:
        assert above_bar([candidate({"text": 1.0})], ["x"], store) == []
