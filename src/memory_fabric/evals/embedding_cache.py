"""Vectors of passages kept between runs: the same data is embedded once, whatever is tried on it.

Questions are embedded anew each time, so that the time of a query stays what it is.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric.errors import UsageError

if TYPE_CHECKING:
    from memory_fabric.ports import Background, Embedder, Vectors

_STORED = "<f4"
_AT_ONCE = 500
"""Keys of one statement: SQLite takes 999 at least."""


def default_cache() -> Path:
    """Where the vectors lie: the system's folder for what can be made again."""
    import platformdirs

    return platformdirs.user_cache_path("memory-fabric") / "eval-embeddings.db"


class CachedEmbedder:
    """``ports.Embedder`` over another one; ``embed`` asks it only for texts whose vectors ``file`` lacks."""

    def __init__(self, embedder: Embedder, file: Path) -> None:
        """Keep the vectors in ``file``, made where it is not there.

        Raises:
            UsageError: the file cannot be made, or is something else.
        """
        self._embedder = embedder
        self._file = file
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as connection, connection:
                connection.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
                )
        except (OSError, sqlite3.Error) as error:
            raise UsageError(f"{file}: no cache of embeddings: {error}", "remove it, or use --no-cache") from error

    @property
    def space(self) -> str:
        """The embedder's own."""
        return self._embedder.space

    @property
    def dimension(self) -> int:
        """The embedder's own."""
        return self._embedder.dimension

    @property
    def prior(self) -> Background:
        """The embedder's own."""
        return self._embedder.prior

    def windows(self, text: str) -> list[str]:
        """The embedder's own."""
        return self._embedder.windows(text)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """See ``ports.Embedder``."""
        import numpy as np

        keys = [self._key(text) for text in texts]
        with closing(self._open()) as connection, connection:
            known = _read(connection, keys)
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            if missing:
                made = self._embedder.embed(list(missing.values())).astype(_STORED)
                known |= {key: row.tobytes() for key, row in zip(missing, made, strict=True)}
                rows = [(key, known[key]) for key in missing]
                connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        found = b"".join(known[key] for key in keys)
        return np.frombuffer(found, dtype=_STORED).reshape(len(texts), self.dimension).astype(np.float32)

    def embed_query(self, text: str) -> Vectors:
        """The embedder's own, never from the cache."""
        return self._embedder.embed_query(text)

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.space}\0{text}".encode("utf-8", "surrogatepass")).digest()

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=60)


def _read(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    distinct = list(dict.fromkeys(keys))
    known: dict[bytes, bytes] = {}
    for start in range(0, len(distinct), _AT_ONCE):
        part = distinct[start : start + _AT_ONCE]
        marks = ", ".join("?" * len(part))
        known.update(connection.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part).fetchall())
    return known
