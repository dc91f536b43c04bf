"""Giving vectors to the memories that have none of a space: after an ingest, and after a change of model."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.ports import Embedder, VectorIndex
from memory_fabric.text import split_exchange

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

BATCH = 64
"""Memories a commit: what an interruption may cost, one or two seconds of work."""


@dataclass(frozen=True, slots=True)
class Backfilled:
    """What a backfill did."""

    memories: int
    """Memories that were given vectors and committed."""
    windows: int
    """Vectors stored for them."""
    seconds: float
    stopped: bool = False
    """True when it was asked to stop before the end."""
    failed: tuple[MemoryId, ...] = ()
    """Memories whose vectors were unusable, or that the index still misses after taking them; tried once a run."""


@dataclass(slots=True)
class _Progress:
    memories: int = 0
    windows: int = 0
    failed: dict[MemoryId, None] = field(default_factory=dict)


def passage(memory: Memory) -> str:
    """What is embedded of a memory: the words of both speakers without the labels, which are the same everywhere."""
    return "\n".join(half for half in split_exchange(memory.text) if half)


def backfill(
    index: VectorIndex,
    embedder: Embedder,
    *,
    batch: int = BATCH,
    progress: Callable[[int], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Backfilled:
    """Embed what is pending, oldest first, one commit a batch; may be stopped and resumed anywhere.

    ``progress`` is told, after each commit, how many memories are done; ``stop`` is asked before each memory, and
    what is embedded by then is still committed.  A memory that cannot be embedded is left pending, counted in
    ``failed``, and never tried twice in one run, so that the run ends.

    Raises:
        EmbedderUnavailable: the model cannot be used; batches committed before stay.
        StoreError: the index cannot be read or written.
    """
    began = time.monotonic()
    done = _Progress()
    last: frozenset[MemoryId] = frozenset()
    stopped = False
    while not stopped:
        pending = index.pending(embedder.space, batch + len(done.failed))
        done.failed.update((memory.id, None) for memory in pending if memory.id in last)
        fresh = [memory for memory in pending if memory.id not in done.failed][:batch]
        if not fresh:
            break
        vectors, stopped = _embed(fresh, embedder, done, stop)
        if vectors:
            index.put(embedder.space, vectors)
            done.memories += len(vectors)
            done.windows += sum(len(rows) for rows in vectors.values())
            if progress:
                progress(done.memories)
        last = frozenset(vectors)
    return Backfilled(done.memories, done.windows, time.monotonic() - began, stopped, tuple(done.failed))


def _embed(
    memories: Sequence[Memory], embedder: Embedder, done: _Progress, stop: Callable[[], bool] | None
) -> tuple[dict[MemoryId, Vectors], bool]:
    """The vectors of these memories, and whether it was asked to stop before the last."""
    from memory_fabric.embed.vectors import unit

    vectors: dict[MemoryId, Vectors] = {}
    for memory in memories:
        if stop and stop():
            return vectors, True
        windows = embedder.windows(passage(memory))
        rows = embedder.embed(windows)
        scaled = unit(rows) if rows.shape == (len(windows), embedder.dimension) else None
        if scaled is None:
            done.failed[memory.id] = None
        else:
            vectors[memory.id] = scaled
    return vectors, False
