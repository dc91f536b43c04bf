"""Exact search: the vectors of one space in memory, every one multiplied with the question's."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_fabric.model.query import Scope
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import all_rows
from memory_fabric.store.sqlite.scope import Condition, as_list, memories_in

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memory_fabric.ports import Vectors

STORED = "<f4"

ROOM = 8
"""An eighth more than needed is kept free where vectors are appended to."""

FIRST = 10
"""So many times the memories asked for are looked at first, the best of all, for those in scope."""

Near = list[tuple[int, float]]
"""Rows of memories with their cosine, best first."""


@dataclass(frozen=True, slots=True)
class Copy:
    """The vectors of one space, a memory's windows side by side."""

    changes: int
    """What the store's count of changes was when this was right."""
    removals: int
    last: int
    """The greatest row it holds."""
    matrix: Vectors
    starts: NDArray[np.int64]
    """Where each memory's windows begin."""
    memories: NDArray[np.int64]
    """The row of each memory, in the same order."""

    def nearest(self, connection: sqlite3.Connection, vector: Vectors, scope: Scope, limit: int) -> Near:
        """The nearest memories in scope by their best window; ties in the order in which they were stored."""
        import numpy as np

        if not len(self.memories):
            return []
        scores = np.maximum.reduceat(products(self.matrix, vector), self.starts)
        keep = _best_in(connection, self, scores, memories_in(scope), limit)
        return [(int(self.memories[i]), float(scores[i])) for i in keep]


def refreshed(old: Copy | None, connection: sqlite3.Connection, space: int, dimension: int, changes: int) -> Copy:
    """The copy as this transaction sees the file: grown by new rows, made anew when vectors went."""
    removals = int(connection.execute(query("vector_state")).fetchone()[1])
    if old is not None and old.removals != removals:
        old = None
    new = all_rows(connection, query("new_vectors"), (space, old.last if old else 0))
    if old is not None and not new:
        return replace(old, changes=changes)
    return _grown(old, new, changes, removals, dimension)


def _grown(old: Copy | None, new: Sequence[tuple[object, ...]], changes: int, removals: int, dimension: int) -> Copy:
    import numpy as np

    data = b"".join(row[2] for row in new)  # type: ignore[misc]
    matrix = np.frombuffer(data, dtype=STORED).reshape(-1, dimension)
    owners = np.array([row[1] for row in new], dtype=np.int64)
    starts = np.flatnonzero(np.diff(owners, prepend=-1)).astype(np.int64)
    memories, last = owners[starts], int(str(new[-1][0])) if new else 0
    if old is None:
        return Copy(changes, removals, last, matrix, starts, memories)
    return Copy(
        changes,
        removals,
        last,
        _appended(old.matrix, matrix),
        np.concatenate([old.starts, starts + len(old.matrix)]),
        np.concatenate([old.memories, memories]),
    )


def _appended(matrix: Vectors, rows: Vectors) -> Vectors:
    """The matrix with these rows below, in the room that was left below it, or in a new place with room for more.

    Copying all vectors is what every search after a write would wait for.  Who still reads the shorter matrix is not
    disturbed; only the longest one of a place may be given.
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


def products(matrix: Vectors, vector: Vectors) -> Vectors:
    """The product of every row with the vector, each worked out alike, so that equal rows give equal numbers.

    Without BLAS, on one thread: it is limited by memory and no slower, and the threads of BLAS go on waiting actively
    after every product, which took as much processor time again from the sources that work meanwhile (measured).
    """
    import numpy as np

    found: Vectors = np.einsum("ij,j->i", matrix, vector)
    return found


def _best_in(
    connection: sqlite3.Connection, copy: Copy, scores: Vectors, condition: Condition, limit: int
) -> list[int]:
    """Indexes of the best scores in scope, best first, ties in order.

    Which of the very best are in scope is asked first: to ask it of all takes long, and the best of a broad scope
    stand among the best of all.
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


def _mask(connection: sqlite3.Connection, copy: Copy, condition: Condition) -> NDArray[np.bool_]:
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
