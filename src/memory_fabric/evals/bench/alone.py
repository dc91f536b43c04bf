"""What the two engines take by themselves on the same texts, vectors and questions: the least a search could take."""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric.embed import open_embedder
from memory_fabric.evals.bench.asking import LIMIT, ROUNDS
from memory_fabric.evals.bench.build import Built
from memory_fabric.evals.bench.figures import Lap, both, lapped, rounded, took
from memory_fabric.evals.bench.synthetic import batches
from memory_fabric.text import STOP_WORDS

if TYPE_CHECKING:
    from memory_fabric.ports import Vectors

_WORD = re.compile(r"\w+")


def numpy_alone(built: Built, questions: Sequence[str], queries: int) -> dict[str, Any] | None:
    """The question's embedding, then every product with all windows, each memory's best, and the best ten of those.

    None without vectors.
    """
    if built.bases is None:
        return None
    import numpy as np

    embedder = open_embedder(built.settings.embedder, built.settings.embedding)
    embedder.embed_query("the model is loaded before the time is taken")
    embedding = [lapped(lambda q=question: embedder.embed_query(q)) for question in questions]  # type: ignore[misc]
    asked = [embedder.embed_query(question) for question in questions]
    matrix, starts = _matrix(built, embedder.dimension)

    def search(vector: Vectors) -> object:
        scores = np.maximum.reduceat(matrix @ vector, starts)
        best = np.argpartition(scores, -min(LIMIT, len(scores)))[-LIMIT:]
        return best[np.argsort(-scores[best])]

    search(asked[0])
    searching = [lapped(lambda v=vector: search(v)) for vector in asked]  # type: ignore[misc]
    return {
        "embed_query": both(_rounds(embedding, queries)),
        "numpy": both(_rounds(searching, queries)),
        "vectors": len(matrix),
        "matrix_mebibytes": rounded(matrix.nbytes / (1 << 20)),
    }


def fts5_alone(built: Built, questions: Sequence[str], queries: int) -> dict[str, Any]:
    """A plain FTS5 table of the texts (porter), asked for any of the question's words, the best ten by its bm25.

    Once without stop words, which is what we ask it, and once with every word, as it comes.
    """
    with tempfile.TemporaryDirectory(prefix="memory-fabric-bench-") as folder:
        file = Path(folder) / "plain.db"
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("CREATE VIRTUAL TABLE plain USING fts5(text, tokenize = 'porter unicode61')")
            texts = [(r.memory.text,) for b in batches(built.language, built.seed, built.memories) for r in b.records]

            def fill() -> None:
                connection.executemany("INSERT INTO plain (text) VALUES (?)", texts)
                connection.commit()

            filling, _ = took(fill)
            asked = {"fts5": _matched(connection, questions, queries, lambda word: word not in STOP_WORDS)}
            asked["fts5_every_word"] = _matched(connection, questions[:queries], queries, lambda _: True)
        size = file.stat().st_size
    return {
        **asked,
        "fts5_memories_a_second": rounded(built.memories / filling),
        "fts5_bytes_a_memory": rounded(size / built.memories),
    }


def ratios(modes: dict[str, Any], alone: dict[str, Any]) -> dict[str, float]:
    """Our p50 over theirs; what uses vectors embeds the question, so that counts on both sides."""
    fts5 = alone["fts5"]["ms"]["p50"]
    found = {"text / fts5": rounded(modes["text"]["ms"]["p50"] / fts5)}
    if "numpy" in alone:
        exact = alone["embed_query"]["ms"]["p50"] + alone["numpy"]["ms"]["p50"]
        found["vector / (embedding + numpy)"] = rounded(modes["vector"]["ms"]["p50"] / exact)
        found["auto / (embedding + numpy + fts5)"] = rounded(modes["auto"]["ms"]["p50"] / (exact + fts5))
    return found


def _matrix(built: Built, dimension: int) -> tuple[Vectors, Any]:
    import numpy as np

    assert built.bases is not None, "asked for only where there are some"  # noqa: S101
    matrix = np.empty((built.figures["vectors"], dimension), np.float32)
    starts, at = [], 0
    for block in built.bases.all(built.memories):
        for rows in block.values():
            starts.append(at)
            matrix[at : at + len(rows)] = rows
            at += len(rows)
    return matrix, np.array(starts)


def _matched(
    connection: sqlite3.Connection, questions: Sequence[str], queries: int, wanted: Callable[[str], bool]
) -> dict[str, dict[str, float]]:
    sql = "SELECT rowid FROM plain WHERE plain MATCH ? ORDER BY rank LIMIT ?"
    laps = []
    for question in questions:
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(question.lower())) if wanted(word))
        laps.append(lapped(lambda m=match: connection.execute(sql, (m or '""', LIMIT)).fetchall()))  # type: ignore[misc]
    return both(_rounds(laps, queries))


def _rounds(laps: Sequence[Lap], queries: int) -> list[Sequence[Lap]]:
    return [laps[at : at + queries] for at in range(0, min(len(laps), ROUNDS * queries), queries)]
