"""Giving vectors to what has none: resumable, countable, and sure to end."""

from __future__ import annotations

import numpy as np
import pytest
from tests.embed.fakes import Failing, InMemoryIndex, Long, Lossy, Short, memory

from memory_fabric.embed.backfill import backfill, passage
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import EmbedderUnavailable
from memory_fabric.model.memory import MemoryId
from memory_fabric.text import exchange_text


def some(count: int) -> InMemoryIndex:
    return InMemoryIndex([memory(f"m{number:02}", f"note about part {number}") for number in range(count)])


def test_everything_pending_gets_vectors_a_commit_a_batch() -> None:
    index, told = some(10), list[int]()
    done = backfill(index, HashedEmbedder(), batch=4, progress=told.append)
    assert (done.memories, done.windows, done.stopped, done.failed) == (10, 10, False, ())
    assert [len(commit) for commit in index.commits] == [4, 4, 2]
    assert told == [4, 8, 10]
    assert index.coverage() == {"hashed-256-v1": 10}


def test_nothing_pending_does_nothing() -> None:
    done = backfill(InMemoryIndex([]), HashedEmbedder(), stop=lambda: True)
    assert (done.memories, done.stopped) == (0, False)


def test_a_stopped_run_is_taken_up_where_it_stopped() -> None:
    index, embedder = some(10), Lossy()
    first = backfill(index, embedder, batch=4, stop=lambda: len(index.commits) == 1)
    assert (first.memories, first.stopped) == (4, True)
    second = backfill(index, embedder, batch=4)
    assert (second.memories, second.stopped) == (6, False)
    assert len(embedder.texts) == len(set(embedder.texts)) == 10


def test_what_was_committed_before_a_failure_stays() -> None:
    """F-VEC-5, C-065: the model goes away in the middle; the rest waits."""
    index = some(10)
    with pytest.raises(EmbedderUnavailable):
        backfill(index, Failing(calls=2), batch=4)
    assert index.coverage() == {"hashed-32-v1": 8}
    assert backfill(index, Failing(calls=9), batch=4).memories == 2


def test_a_change_of_model_embeds_anew_and_keeps_the_old() -> None:
    """C-066: ten memories to embed again; no vector of one space serves another."""
    index = some(10)
    backfill(index, HashedEmbedder(256))
    assert backfill(index, HashedEmbedder(384)).memories == 10
    assert index.coverage() == {"hashed-256-v1": 10, "hashed-384-v1": 10}


@pytest.mark.parametrize("batch", [1, 2, 64])
def test_a_memory_that_cannot_be_embedded_is_named_and_holds_nobody_up(batch: int) -> None:
    index, embedder = some(5), Lossy()
    index.memories.insert(0, memory("bad1", "nothing"))
    index.memories.insert(3, memory("bad2", "nothing at all"))
    done = backfill(index, embedder, batch=batch)
    assert (done.memories, done.failed) == (5, ("bad1", "bad2"))
    assert len(embedder.texts) == 7


def test_a_memory_that_the_index_does_not_keep_is_tried_once() -> None:
    index, embedder = some(5), Lossy()
    index.refused = {MemoryId("m01")}
    done = backfill(index, embedder, batch=2)
    assert (done.memories, done.windows, done.failed) == (4, 4, ("m01",))
    assert len(embedder.texts) == 5


def test_one_vector_too_few_refuses_the_embedder() -> None:
    """F-VEC-4: a list request must return one vector per text; nothing is stored under the wrong memory."""
    index = some(3)
    with pytest.raises(EmbedderUnavailable, match="shape"):
        backfill(index, Short())
    assert index.commits == []


def test_vectors_are_stored_at_length_one() -> None:
    """C-068: a model that returns [3, 4]."""
    index = some(1)
    backfill(index, Long(16))
    (rows,) = index.stored["hashed-16-v1"].values()
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0])


def test_labels_are_not_embedded() -> None:
    """F-ING-2: they are the same in every exchange, and would make all of them alike."""
    assert passage(memory("m", exchange_text("Why?", "Because."))) == "Why?\nBecause."
    assert passage(memory("m", exchange_text("", "Because."))) == "Because."
    assert passage(memory("m", "a plain note")) == "a plain note"


def test_a_long_memory_has_many_windows_and_its_tail_is_found() -> None:
    """C-069."""
    embedder = HashedEmbedder()
    index = InMemoryIndex(
        [memory("short", "the door was painted"), memory("long", "the wall " * 10_000 + "zeppelin hangar")]
    )
    done = backfill(index, embedder)
    assert done.memories == 2
    assert done.windows > 50
    assert len(index.stored[embedder.space][MemoryId("long")]) == done.windows - 1
    vectors = index.stored[embedder.space][MemoryId("long")] @ embedder.embed_query("zeppelin hangar")
    assert int(vectors.argmax()) == len(vectors) - 1
