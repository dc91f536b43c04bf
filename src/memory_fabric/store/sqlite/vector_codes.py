"""The codes of vectors: one bit a dimension, kept beside the vectors by the same transactions (docs/decisions/0021).

A block holds 256 places, for the rows of the table from 256·n on.  A place is the row of the vector's memory and the
signs of its dimensions, both as little-endian words of 64 bits; a place without a vector is all zero.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING

from memory_fabric.store.sqlite.queries import query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_fabric.ports import Vectors

BLOCK = 256
"""Places of a block: 14 KiB at 384 dimensions, rewritten whole when a vector comes or goes."""

_WORD = "<u8"

Placed = tuple[int, int, bytes]
"""A place (a row of the table, or its remainder), the row of the memory, the vector as stored."""


def signs(vectors: Vectors) -> NDArray[np.uint64]:
    """Which dimensions are above 0, shape (vectors, ⌈dimension / 64⌉)."""
    import numpy as np

    bits = np.packbits(np.asarray(vectors) > 0, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    padded[:, : bits.shape[1]] = bits
    return padded.view(_WORD).astype(np.uint64, copy=False)


def places(data: bytes) -> NDArray[np.uint64]:
    """A block, shape (256, 1 + words): the memory's row, then the signs."""
    import numpy as np

    return np.frombuffer(data, _WORD).reshape(BLOCK, -1)


def keep_codes(connection: sqlite3.Connection, space: int, vectors: Iterable[Placed]) -> None:
    """Put the codes of new vectors, in the order of their rows, into their blocks; inside a write transaction."""
    connection.execute(query("count_change"))
    for block, rows in groupby(vectors, key=lambda vector: vector[0] // BLOCK):
        found = connection.execute(query("vector_block"), (space, block)).fetchone()
        placed = [(row % BLOCK, memory, data) for row, memory, data in rows]
        connection.execute(query("put_vector_block"), (space, block, _block(placed, found and found[0])))


def teach_codes(connection: sqlite3.Connection) -> None:
    """Give SQL the aggregate ``coded(place, memory, vector)``: the block of these."""
    connection.create_aggregate("coded", 3, _Coded)  # type: ignore[arg-type]  # typeshed wants an int from finalize


class _Coded:
    def __init__(self) -> None:
        self._placed: list[Placed] = []

    def step(self, place: int, memory: int, data: bytes) -> None:
        self._placed.append((place, memory, data))

    def finalize(self) -> bytes:
        return _block(self._placed, None)


def _block(placed: list[Placed], old: bytes | None) -> bytes:
    """The block with these vectors in their places."""
    import numpy as np

    codes = signs(np.frombuffer(b"".join(data for _, _, data in placed), "<f4").reshape(len(placed), -1))
    block = np.zeros((BLOCK, 1 + codes.shape[1]), _WORD) if old is None else places(old).copy()
    at = [place for place, _, _ in placed]
    block[at, 0] = [memory for _, memory, _ in placed]
    block[at, 1:] = codes
    return block.tobytes()
