"""Search in large stores: the codes of all vectors tell which few are read and multiplied (docs/decisions/0021).

Signs alone find the neighbourhood; the question's vector with 4 bits a dimension orders it better, at the same cost for
the few; of the best of those the vectors themselves are read.  How much is found: docs/decisions/0021.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_fabric.model.query import Scope
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows
from memory_fabric.store.sqlite.scope import as_list, memories_apart, memories_in
from memory_fabric.store.sqlite.vector_codes import BLOCK, places, signs
from memory_fabric.store.sqlite.vector_copy import ROOM, STORED, Near, products

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_fabric.ports import Vectors

NEAR, NEAR_SHARE = 8_000, 25
"""Vectors whose codes are compared more exactly: so many, and at least one of 25."""

READ = 1_200
"""Vectors that are read; recall@20 against exact search by this number is in docs/decisions/0021."""

READ_A_MEMORY = 20
"""Vectors read at least for each memory that is asked for."""

BROAD = 3
"""A scope with less than a third of the nearest vectors is searched by itself."""

BITS = 4
"""Bits a dimension of the question's vector."""

STRIDE, MANY = 16, 100_000
"""Of so many distances every sixteenth tells about where the nearest end."""

STRETCH = 1 << 16
"""Codes compared at once: what that needs stays in the processor's cache."""

_BYTE_WORDS = 3
"""Words whose counted bits (64 each) fit into one byte together."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Vectors as they stand in the file."""

    memories: list[int]
    """The row of each one's memory."""
    data: bytes

    @classmethod
    def of(cls, connection: sqlite3.Connection, name: str, values: Mapping[str, object], scope: str = "1") -> _Read:
        """What a query gives."""
        memories, data = connection.execute(query(name, scope), values).fetchone()
        return cls(json.loads(memories), data or b"")

    def best(self, vector: Vectors) -> Near:
        """Each memory with its best product, best first; ties in the order read."""
        import numpy as np

        if not self.memories:
            return []
        scores = products(np.frombuffer(self.data, STORED).reshape(len(self.memories), -1), vector)
        order = np.argsort(-scores, kind="stable")
        best: dict[int, float] = {}
        for at, score in zip(order.tolist(), scores[order].tolist(), strict=True):
            best.setdefault(self.memories[at], score)
        return list(best.items())


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes of one space, block by block."""

    space: int
    changes: int
    """What the store's count of changes was when this was right."""
    blocks: NDArray[np.int64]
    """Numbers of the blocks, ascending."""
    memories: NDArray[np.int64]
    """The row of the memory in each place; 0 where there is none."""
    words: NDArray[np.uint64]
    """Shape (words, places): the first 64 dimensions of all, then the next."""

    def nearest(self, connection: sqlite3.Connection, vector: Vectors, scope: Scope, limit: int) -> Near:
        """The nearest memories in scope by their best window, of those that the codes tell apart."""
        count = max(READ, READ_A_MEMORY * limit)
        chosen = self.candidates(vector, count, None)
        found = self._read(connection, chosen, scope)
        if not memories_in(scope).open and BROAD * len(found.memories) < len(chosen) < len(self.memories):
            chosen = self.candidates(vector, count, self._inside(connection, scope))
            found = self._read(connection, chosen, scope)
        near = [memory for memory, _ in found.best(vector)[:limit]]
        # Once more by all their windows, also those that their codes hid.
        values = {"space": self.space, "memories": as_list(near)}
        return _Read.of(connection, "vectors_by_memory", values).best(vector)

    def candidates(self, vector: Vectors, count: int, among: NDArray[np.int64] | None) -> NDArray[np.int64]:
        """Places of about ``count`` vectors that seem nearest, in order; ``among`` limits them to these places."""
        import numpy as np

        whole = self.words if among is None else self.words[:, among]
        size = whole.shape[1]
        if size <= count:
            return np.arange(size) if among is None else among
        near = _smallest(_distances(whole, signs(vector[None])[0]), max(NEAR, size // NEAR_SHARE, 4 * count))
        chosen = near
        if len(near) > count:
            scores = _estimated(whole[:, near], vector)
            chosen = np.sort(near[np.argpartition(scores, -count)[-count:]])
        return chosen if among is None else among[chosen]

    def _read(self, connection: sqlite3.Connection, at: NDArray[np.int64], scope: Scope) -> _Read:
        """The vectors in these places whose memories are in scope."""
        condition = memories_in(scope)
        rows = self.blocks[at // BLOCK] * BLOCK + at % BLOCK
        values = condition.values | {"space": self.space, "rows": as_list(rows.tolist())}
        name = "vectors_by_row" if condition.open else "vectors_by_row_in_scope"
        return _Read.of(connection, name, values, condition.sql)

    def _inside(self, connection: sqlite3.Connection, scope: Scope) -> NDArray[np.int64]:
        """Places of the vectors in scope."""
        import numpy as np

        rows = [
            row
            for part in memories_apart(scope)
            for (row,) in all_rows(connection, query("rows_in_scope", part.sql), part.values)
        ]
        return np.flatnonzero(np.isin(self.memories, np.array(rows, np.int64)))


def refreshed_codes(old: Codes | None, connection: sqlite3.Connection, space: int, changes: int) -> Codes:
    """The codes as this transaction sees the file: changed blocks in their places, new ones behind them."""
    import numpy as np

    found = all_rows(connection, query("changed_vector_blocks"), (space, old.changes if old else 0))
    if not found:
        assert old is not None, "asked for only where there are many"  # noqa: S101
        return replace(old, changes=changes)
    numbers = np.array([row[0] for row in found], np.int64)
    data = np.concatenate([places(row[1]) for row in found])  # type: ignore[arg-type]
    if old is None:
        old = Codes(space, changes, numbers[:0], np.empty(0, np.int64), np.empty((data.shape[1] - 1, 0), np.uint64))
    blocks = np.union1d(old.blocks, numbers)
    if not np.array_equal(blocks[: len(old.blocks)], old.blocks):  # a block came between others
        return refreshed_codes(None, connection, space, changes)
    memories, words = _with_room(old, len(blocks) * BLOCK)
    at = (np.searchsorted(blocks, numbers)[:, None] * BLOCK + np.arange(BLOCK)).ravel()
    memories[at] = data[:, 0].astype(np.int64)
    words[:, at] = data[:, 1:].T
    return Codes(space, changes, blocks, memories, words)


def _with_room(old: Codes, size: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The places and ``size`` in all, where there is room behind them, or in a new place with room for more.

    Who searches meanwhile sees a block as it was or as it will be: either way only what stands in the file is read.
    """
    import numpy as np

    have, (rank, _) = len(old.memories), old.words.shape
    memories, words = old.memories.base, old.words.base
    if not (isinstance(memories, np.ndarray) and isinstance(words, np.ndarray) and len(memories) >= size):
        room = size + size // ROOM
        memories, words = np.zeros(room, np.int64), np.zeros((rank, room), np.uint64)
        memories[:have], words[:, :have] = old.memories, old.words
    return memories[:size], words[:, :size]


def _distances(words: NDArray[np.uint64], asked: NDArray[np.uint64]) -> NDArray[np.uint16]:
    """In how many dimensions each code has another sign."""
    import numpy as np

    found = np.zeros(words.shape[1], np.uint16)
    for begin in range(0, len(found), STRETCH):
        part = words[:, begin : begin + STRETCH]
        _count(found[begin : begin + STRETCH], (word ^ other for word, other in zip(part, asked, strict=True)))
    return found


def _count(found: NDArray[np.uint16], words: Iterable[NDArray[np.uint64]]) -> NDArray[np.uint16]:
    """Add the number of bits that are set in each column of these words, three words at a time in bytes."""
    import numpy as np

    counted = np.zeros(len(found), np.uint8)
    for number, word in enumerate(words, 1):
        counted += np.bitwise_count(word)
        if number % _BYTE_WORDS == 0:
            found += counted
            counted[:] = 0
    found += counted
    return found


def _smallest(distances: NDArray[np.uint16], count: int) -> NDArray[np.int64]:
    """Places of about ``count`` smallest distances, no fewer than a quarter of that, in order."""
    import numpy as np

    if len(distances) <= count:
        return np.arange(len(distances))
    if len(distances) >= MANY:
        some = distances[::STRIDE]
        near = np.flatnonzero(distances <= np.partition(some, count // STRIDE)[count // STRIDE])
        if 4 * len(near) >= count:
            return near
    return np.flatnonzero(distances <= np.partition(distances, count - 1)[count - 1])


def _estimated(words: NDArray[np.uint64], vector: Vectors) -> NDArray[np.int32]:
    """What orders codes as the vector's product with their signs does, the vector rounded to 16 steps.

    With steps u from 0 to 15 and bits b it is Σ (2b - 1)(2u - 15), but for what all have alike: 4·Σ b·u - 30·Σ b.
    """
    import numpy as np

    highest = (1 << BITS) - 1
    step = 2.0 * np.abs(vector).max() / highest
    levels = np.clip(np.rint(vector / step + highest / 2), 0, highest).astype(np.uint8)
    size = words.shape[1]
    found = np.zeros(size, np.int32)
    for bit in range(BITS):
        plane = signs((levels >> bit & 1)[None])[0]
        both = _count(np.zeros(size, np.uint16), (word & other for word, other in zip(words, plane, strict=True)))
        found += both.astype(np.int32) << bit
    return 4 * found - 2 * highest * _count(np.zeros(size, np.uint16), words).astype(np.int32)
