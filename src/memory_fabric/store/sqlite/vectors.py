"""The table of vectors: exact search over a copy in memory, in large stores by codes that find what to read."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_fabric.errors import DimensionMismatch, UsageError
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Scope
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.owners import next_row
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows, memory_of
from memory_fabric.store.sqlite.scope import as_list
from memory_fabric.store.sqlite.vector_codes import BLOCK, keep_codes
from memory_fabric.store.sqlite.vector_copy import STORED, Copy, products, refreshed

if TYPE_CHECKING:
    from memory_fabric.ports import Background, Vectors
    from memory_fabric.store.sqlite.vector_coarse import Codes

EXACT = 50_000
"""Vectors of a space up to which a search multiplies all of them: four milliseconds, 75 MB (docs/decisions/0021)."""


class VectorTable:
    """The vectors of one file (``ports.VectorIndex``)."""

    def __init__(self, connections: Connections, exact: int = EXACT) -> None:
        """``exact``: vectors of a space up to which all are multiplied; counted in whole blocks of 256."""
        self._connections = connections
        self._exact = exact
        self._held: dict[int, Copy | Codes] = {}
        self._lock = threading.Lock()

    def nearest(self, space: str, vector: Vectors, scope: Scope, limit: int) -> list[tuple[MemoryId, float]]:
        """Memories by the cosine of their best window; ties by the order in which they were stored."""
        import numpy as np

        with self._connections.reading(scattered=True) as connection:
            row, dimension = _space(connection, space)
            if row is None or dimension is None:
                return []
            wanted = np.asarray(vector, dtype=np.float32).reshape(-1)
            _require(space, dimension, wanted.shape[0])
            if limit <= 0:
                return []
            near = self._current(connection, row, dimension).nearest(connection, wanted, scope, limit)
            found = all_rows(connection, query("ids_by_row"), {"rows": as_list(memory for memory, _ in near)})
        ids = {memory: str(id_) for memory, id_ in found}
        return [(MemoryId(ids[memory]), _cosine(score)) for memory, score in near]

    def cosines(self, space: str, vector: Vectors, ids: Sequence[MemoryId]) -> dict[MemoryId, float]:
        """The cosine of the best window of each of these memories, in the order asked."""
        import numpy as np

        with self._connections.reading(scattered=True) as connection:
            row, dimension = _space(connection, space)
            if row is None or dimension is None:
                return {}
            wanted = np.asarray(vector, dtype=np.float32).reshape(-1)
            _require(space, dimension, wanted.shape[0])
            values = {"ids": as_list(dict.fromkeys(ids)), "space": row}
            found = all_rows(connection, query("vectors_of"), values)
        best: dict[MemoryId, float] = {}
        data = b"".join(blob for _, blob in found)  # type: ignore[misc]
        scores = products(np.frombuffer(data, dtype=STORED).reshape(-1, dimension), wanted)
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
            assert row is not None  # noqa: S101 - it was just added
            for offered in sorted(dimensions):
                _require(space, dimension or 0, offered)
            found = all_rows(connection, query("memory_rows"), {"ids": as_list(blobs)})
            rows = {str(id_): memory for id_, memory in found}
            known = [(int(str(rows[id_])), windows) for id_, windows in blobs.items() if id_ in rows]
            connection.executemany(query("drop_space_vectors"), [(row, memory) for memory, _ in known])
            flat = [(memory, window, blob) for memory, windows in known for window, blob in enumerate(windows)]
            placed = list(enumerate(flat, next_row(connection, "vectors")))
            connection.executemany(query("add_vector"), [(at, row, *each) for at, each in placed])
            keep_codes(connection, row, [(at, memory, blob) for at, (memory, _, blob) in placed])

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
        return np.frombuffer(b"".join(blobs), dtype=STORED).reshape(count, dimension or 0).astype(np.float32)

    def _current(self, connection: sqlite3.Connection, space: int, dimension: int) -> Copy | Codes:
        """The vectors, or in a large space their codes, as this transaction sees the file."""
        with self._lock:
            changes = int(connection.execute(query("vector_state")).fetchone()[0])
            old = self._held.get(space)
            if old is None or old.changes != changes:
                self._held[space] = old = self._refreshed(old, connection, (space, dimension), changes)
            return old

    def _refreshed(
        self, old: Copy | Codes | None, connection: sqlite3.Connection, space: tuple[int, int], changes: int
    ) -> Copy | Codes:
        row, dimension = space
        blocks = int(connection.execute(query("count_vector_blocks"), (row,)).fetchone()[0])
        if blocks * BLOCK > self._exact:
            from memory_fabric.store.sqlite.vector_coarse import Codes, refreshed_codes

            return refreshed_codes(old if isinstance(old, Codes) else None, connection, row, changes)
        return refreshed(old if isinstance(old, Copy) else None, connection, row, dimension, changes)


def _unit_blobs(memory: MemoryId, windows: Vectors) -> list[bytes]:
    import numpy as np

    rows = np.atleast_2d(np.asarray(windows, dtype=np.float64))
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise UsageError(f"A vector of the memory {memory} has no direction", "Check the embedding model.")
    return [row.tobytes() for row in (rows / lengths).astype(STORED)]


def _space(connection: sqlite3.Connection, name: str) -> tuple[int | None, int | None]:
    found = connection.execute(query("space"), (name,)).fetchone()
    return (None, None) if found is None else (found[0], found[1])


def _cosine(score: float) -> float:
    """Rounding may carry the product of unit vectors beyond 1."""
    return min(1.0, max(-1.0, float(score)))


def _require(space: str, dimension: int, offered: int) -> None:
    if dimension != offered:
        raise DimensionMismatch(
            f"The space {space} has {dimension} dimensions, the vector {offered}",
            "Use the model that made the stored vectors, or embed again with another space name.",
        )
