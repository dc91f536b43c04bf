"""Issue 4, point 1: cached embeddings; the same text is embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import UsageError
from memory_fabric.evals.embedding_cache import CachedEmbedder

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors


class Counting(HashedEmbedder):
    """Remembers what it was asked."""

    def __init__(self, dimension: int = 256) -> None:
        super().__init__(dimension)
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        return super().embed(texts)


def test_vectors_are_the_embedders_own_and_each_text_is_asked_once(tmp_path: Path) -> None:
    first, again = Counting(), Counting()
    texts = ["the cache is full", "a lone \ud800 surrogate", "the cache is full", ""]
    vectors = CachedEmbedder(first, tmp_path / "new" / "cache.db").embed(texts)
    assert first.asked == ["the cache is full", "a lone \ud800 surrogate", ""]
    np.testing.assert_array_equal(vectors, HashedEmbedder().embed(texts))
    known = CachedEmbedder(again, tmp_path / "new" / "cache.db").embed([*texts, "and one more"])
    assert again.asked == ["and one more"]
    np.testing.assert_array_equal(known[:4], vectors)
    assert known.dtype == np.float32


def test_more_texts_than_one_statement_takes(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(1_203)]
    vectors = CachedEmbedder(HashedEmbedder(), tmp_path / "cache.db").embed(texts)
    again = Counting()
    np.testing.assert_array_equal(CachedEmbedder(again, tmp_path / "cache.db").embed(texts), vectors)
    assert again.asked == []


def test_two_spaces_share_a_file_and_no_vector(tmp_path: Path) -> None:
    """F-VEC-2: vectors of two spaces are never mixed."""
    file = tmp_path / "cache.db"
    assert CachedEmbedder(HashedEmbedder(64), file).embed(["one text"]).shape == (1, 64)
    assert CachedEmbedder(HashedEmbedder(128), file).embed(["one text"]).shape == (1, 128)


def test_questions_are_always_embedded_anew(tmp_path: Path) -> None:
    """Else the time of a query would flatter."""
    counting = Counting()
    cached = CachedEmbedder(counting, tmp_path / "cache.db")
    for _ in range(2):
        cached.embed_query("why is the cache full?")
    assert counting.asked == ["why is the cache full?"] * 2
    assert (cached.space, cached.dimension, cached.prior) == (counting.space, 256, counting.prior)
    assert cached.windows("a text") == counting.windows("a text")


def test_a_file_that_is_something_else_is_named_and_left(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database, " * 100)
    with pytest.raises(UsageError, match=r"notes\.txt: no cache of embeddings") as raised:
        CachedEmbedder(HashedEmbedder(), file)
    assert "--no-cache" in raised.value.hint
    assert file.read_text().startswith("not a database")
