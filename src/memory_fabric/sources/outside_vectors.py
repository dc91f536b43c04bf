"""Vectors of memories that are kept elsewhere: made when a question meets them, and kept for the next (decision 6)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.text import split_exchange, text_hash

if TYPE_CHECKING:
    from memory_fabric.ports import Embedder, Vectors

WINDOWS = 4
"""Windows of one memory that are embedded, from its beginning: about 500 tokens."""

FRESH = 64
"""Windows that one question may have embedded; short notes take 2 to 4 ms each on two cores, full windows 11."""

KEPT = 1024
"""Texts whose vectors are kept, those used last: about 3 MB."""


class Outside:
    """Cosines of a question with memories that no index of ours holds."""

    def __init__(self, embedder: Embedder, fresh: int = FRESH, kept: int = KEPT) -> None:
        self._embedder = embedder
        self._fresh = fresh
        self._most = kept
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = threading.Lock()

    def cosines(self, vector: Vectors, memories: Sequence[Memory]) -> dict[MemoryId, float]:
        """The cosine of the best window of each memory, in [-1, 1].

        Those for which the question's share of new windows was used up are left out: they count by their text.

        Raises:
            EmbedderUnavailable: the model cannot be used.
        """
        if not memories:
            return {}
        keys = {memory.id: text_hash(memory.text) for memory in memories}
        with self._lock:
            self._embed({keys[memory.id]: memory.text for memory in memories if memory.text.strip()})
            found = {id_: self._kept[key] for id_, key in keys.items() if key in self._kept}
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return {id_: min(1.0, max(-1.0, float((rows @ vector).max()))) for id_, rows in found.items()}

    def _embed(self, texts: dict[str, str]) -> None:
        """Have vectors of what has none yet, in one call, and put all of these last in the order of forgetting."""
        wanted: dict[str, list[str]] = {}
        room = self._fresh
        for key, text in texts.items():
            if key in self._kept:
                self._kept.move_to_end(key)
                continue
            windows = self._embedder.windows("\n".join(half for half in split_exchange(text) if half))[:WINDOWS]
            if len(windows) > room:
                break
            room -= len(windows)
            wanted[key] = windows
        if not wanted:
            return
        rows = self._embedder.embed([window for windows in wanted.values() for window in windows])
        start = 0
        for key, windows in wanted.items():
            self._kept[key] = rows[start : start + len(windows)]
            start += len(windows)
