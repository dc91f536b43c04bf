"""Vectors, searched exactly over a copy in memory (decision 16)."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_fabric.errors import DimensionMismatch, UsageError
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Scope
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, memory_of
from memory_fabric.store.sqlite.scope import Condition, as_list, memories_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_fabric.ports import Background, Vectors

_STORED = "<f4"

ROOM = 8
"""An eighth more than needed is kept free where vectors are appended to."""

FIRST = 10
"""So many times the memories asked for are looked at first, the best of all, for those in scope."""


@dataclass(frozen=True, slots=True)
class _Copy:
    """The vectors of one space, a memory's windows side by side."""

    removals: int
    last: int
    """The greatest row it holds."""
    matrix: Vectors
    starts: NDArray[np.int64]
    """Where each memory's windows begin."""
    memories: NDArray[np.int64]
    """The row of each memory, in the same order."""


class VectorTable:
    """The vectors of one file (``ports.VectorIndex``)."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections
        self._copies: dict[int, _Copy] = {}
        self._lock = threading.Lock()

    def nearest(self, space: str, vector: Vectors, scope: Scope, limit: int) -> list[tuple[MemoryId, float]]:
        """Memories by the cosine of their best window; ties by the order in which they were stored."""
        import numpy as np

        with self._connections.reading() as connection:
            row, dimension = _space(connection, space)
            if row is None or dimension is None:
                return []
            wanted = np.asarray(vector, dtype=np.float32).reshape(-1)
            _require(space, dimension, wanted.shape[0])
            copy = self._current(connection, row, dimension)
            if not len(copy.memories) or limit <= 0:
                return []
            scores = np.maximum.reduceat(_products(copy.matrix, wanted), copy.starts)
            keep = _best_in(connection, copy, scores, memories_in(scope), limit)
            found = all_rows(connection, query("ids_by_row"), {"rows": as_list(copy.memories[keep].tolist())})
        ids = {row: str(id_) for row, id_ in found}
        return [(MemoryId(ids[int(copy.memories[i])]), _cosine(scores[i])) for i in keep]

    def cosines(self, space: str, vector: Vectors, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        """The cosine of the best window of each of these memories, in the order asked."""
        import numpy as np

        with self._connections.reading() as connection:
            row, dimension = _space(connection, space)
            if row is None or dimension is None:
                return {}
            wanted = np.asarray(vector, dtype=np.float32).reshape(-1)
            _require(space, dimension, wanted.shape[0])
            values = {"ids": as_list(dict.fromkeys(ids)), "space": row}
            found = all_rows(connection, query("vectors_of"), values)
        best: dict[MemoryId, float] = {}
        data = b"".join(blob for _, blob in found)  # type: ignore[misc]
        scores = _products(np.frombuffer(data, dtype=_STORED).reshape(-1, dimension), wanted)
        for (id_, _), score in zip(found, scores, strict=True):
            known = MemoryId(str(id_))
            best[known] = max(best.get(known, -1.0), _cosine(score))
        return best

    def pending(self, space: str, limit: int) -> list[Memory]:
        """Memories without vectors of this space, oldest first."""
        with self._connections.reading() as connection:
            values = {"space": space, "limit": max(limit, 0)}
            return [memory_of(row) for row in all_rows(connection, query("pending"), values)]

    def put(self, space: str, vectors: Mapping[MemoryId, Vectors]) -> None:
        """Store the windows' vectors of memories, each brought to length 1 (C-068)."""
        blobs = {id_: _unit_blobs(id_, windows) for id_, windows in vectors.items()}
        dimensions = {len(blob) // 4 for windows in blobs.values() for blob in windows}
        if not dimensions:
            return
        with self._connections.atomic() as connection:
            connection.execute(query("add_space"), (space, min(dimensions)))
            row, dimension = _space(connection, space)
            for offered in sorted(dimensions):
                _require(space, dimension or 0, offered)
            found = all_rows(connection, query("memory_rows"), {"ids": as_list(blobs)})
            rows = {str(id_): memory for id_, memory in found}
            known = [(rows[id_], windows) for id_, windows in blobs.items() if id_ in rows]
            connection.executemany(query("drop_space_vectors"), [(row, memory) for memory, _ in known])
            connection.executemany(
                query("add_vector"),
                [(row, memory, window, blob) for memory, windows in known for window, blob in enumerate(windows)],
            )

    def coverage(self) -> dict[str, int]:
        """Space → memories that have vectors."""
        with self._connections.reading() as connection:
            return {str(name): int(str(count)) for name, count in all_rows(connection, query("coverage"))}

    def background(self, space: str) -> Background | None:
        """The stored calibration of this space, or None."""
        from memory_fabric.ports import Background

        with self._connections.reading() as connection:
            found = connection.execute(query("space"), (space,)).fetchone()
        return None if found is None or found[4] is None else Background(found[2], found[3], found[4])

    def calibrate(self, space: str, background: Background) -> None:
        """Store the calibration of this space."""
        with self._connections.atomic() as connection:
            values = (space, background.mean, background.deviation, background.pairs)
            connection.execute(query("calibrate"), values)

    def sample(self, space: str, limit: int) -> Vectors:
        """First windows of up to ``limit`` memories, evenly spread."""
        import numpy as np

        with self._connections.reading() as connection:
            _, dimension = _space(connection, space)
            rows = [row[0] for row in all_rows(connection, query("first_windows"), (space,))]
            count = max(0, min(limit, len(rows)))
            picks = [rows[index * len(rows) // count] for index in range(count)]
            blobs = [
                connection.execute("SELECT data FROM vectors WHERE row = ?", (row,)).fetchone()[0] for row in picks
            ]
        return np.frombuffer(b"".join(blobs), dtype=_STORED).reshape(count, dimension or 0).astype(np.float32)

    def _current(self, connection: sqlite3.Connection, space: int, dimension: int) -> _Copy:
        """The copy as this transaction sees the file: grown by new rows, made anew when vectors went."""
        with self._lock:
            removals = int(connection.execute(query("vector_state")).fetchone()[0])
            old = self._copies.get(space)
            if old is not None and old.removals != removals:
                old = None
            new = all_rows(connection, query("new_vectors"), (space, old.last if old else 0))
            if old is None or new:
                old = self._copies[space] = _grown(old, new, removals, dimension)
            return old


def _grown(old: _Copy | None, new: Sequence[tuple[object, ...]], removals: int, dimension: int) -> _Copy:
    import numpy as np

    data = b"".join(row[2] for row in new)  # type: ignore[misc]
    matrix = np.frombuffer(data, dtype=_STORED).reshape(-1, dimension)
    owners = np.array([row[1] for row in new], dtype=np.int64)
    starts = np.flatnonzero(np.diff(owners, prepend=-1)).astype(np.int64)
    memories, last = owners[starts], int(str(new[-1][0])) if new else 0
    if old is None:
        return _Copy(removals, last, matrix, starts, memories)
    return _Copy(
        removals,
        last,
        _appended(old.matrix, matrix),
        np.concatenate([old.starts, starts + len(old.matrix)]),
        np.concatenate([old.memories, memories]),
    )


def _appended(matrix: Vectors, rows: Vectors) -> Vectors:
    """The matrix with these rows below, in the room that was left below it, or in a new place with room for more.

    Copying the vectors of 100,000 memories takes 200 ms, which every search after a write would wait for.  Who still
    reads the shorter matrix is not disturbed; only the longest one of a place may be given.
    """
    import numpy as np

    used, whole = len(matrix), len(matrix) + len(rows)
    place = matrix.base
    if not isinstance(place, np.ndarray) or not place.flags.writeable or len(place) < whole:
        place = np.empty((whole + whole // ROOM, matrix.shape[1]), np.float32)
        place[:used] = matrix
    place[used:whole] = rows
    longer: Vectors = place[:whole]
    return longer


def _products(matrix: Vectors, vector: Vectors) -> Vectors:
    """The product of every row with the vector, each worked out alike, so that equal rows give equal numbers.

    Without BLAS, on one thread: it is limited by memory and no slower, and the threads of BLAS go on waiting actively
    after every product, which took as much processor time again from the sources that work meanwhile (measured).
    """
    import numpy as np

    products: Vectors = np.einsum("ij,j->i", matrix, vector)
    return products


def _best_in(
    connection: sqlite3.Connection, copy: _Copy, scores: Vectors, condition: Condition, limit: int
) -> list[int]:
    """Indexes of the best scores in scope, best first, ties in order.

    Which of the very best are in scope is asked first: to ask it of all takes 35 ms with 100,000 memories, and the
    best of a broad scope stand among the best of all.
    """
    if condition.open:
        return _chosen(scores, None, limit)
    best = _chosen(scores, None, FIRST * limit)
    inside = _rows_in(connection, condition, copy.memories[best].tolist())
    found = [index for index in best if int(copy.memories[index]) in inside]
    if len(found) >= limit or len(best) == len(scores):
        return found[:limit]
    return _chosen(scores, _mask(connection, copy, condition), limit)


def _rows_in(connection: sqlite3.Connection, condition: Condition, rows: Sequence[int]) -> set[int]:
    """Those of these rows that are in scope."""
    # CROSS JOIN: one of these rows after another, not all rows of the scope along an index.
    kept = f"json_each(:among) k CROSS JOIN memories m ON m.row = k.value WHERE {condition.sql}"
    among = f"m.row IN (SELECT m.row FROM {kept})"
    found = all_rows(connection, query("rows_in_scope", among), condition.values | {"among": as_list(rows)})
    return {int(str(row)) for (row,) in found}


def _mask(connection: sqlite3.Connection, copy: _Copy, condition: Condition) -> NDArray[np.bool_]:
    """Which memories of the copy are in scope."""
    import numpy as np

    rows = all_rows(connection, query("rows_in_scope", condition.sql), condition.values)
    return np.isin(copy.memories, np.array([row[0] for row in rows], dtype=np.int64))


def _chosen(scores: Vectors, mask: NDArray[np.bool_] | None, limit: int) -> list[int]:
    """Indexes of the best scores, best first, ties in order."""
    import numpy as np

    candidates = np.arange(len(scores)) if mask is None else np.flatnonzero(mask)
    if len(candidates) > limit:
        bar = np.partition(scores[candidates], -limit)[-limit]
        candidates = candidates[scores[candidates] >= bar]
    order = np.argsort(-scores[candidates], kind="stable")[:limit]
    return [int(index) for index in candidates[order]]


def _unit_blobs(memory: MemoryId, windows: Vectors) -> list[bytes]:
    import numpy as np

    rows = np.atleast_2d(np.asarray(windows, dtype=np.float64))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise UsageError(f"A vector of the memory {memory} has no direction", "Check the embedding model.")
    return [row.tobytes() for row in (rows / lengths).astype(_STORED)]


def _space(connection: sqlite3.Connection, name: str) -> tuple[int | None, int | None]:
    found = connection.execute(query("space"), (name,)).fetchone()
    return (None, None) if found is None else (found[0], found[1])


def _cosine(score: np.float32) -> float:
    """Rounding may carry the product of unit vectors beyond 1."""
    return min(1.0, max(-1.0, float(score)))


def _require(space: str, dimension: int, offered: int) -> None:
    if dimension != offered:
        raise DimensionMismatch(
            f"The space {space} has {dimension} dimensions, the vector {offered}",
            "Use the model that made the stored vectors, or embed again with another space name.",
        )
