"""Giving vectors to what has none, with a bar, and without a model with a notice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_fabric.errors import EmbedderUnavailable

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.doors.cli.progress import Bars


def embedded(fabric: Fabric, shown: Bars) -> tuple[int, str | None]:
    """Memories that were embedded, and a notice where the model is not to be had: nothing else suffers (F-ERR-13)."""
    try:
        pending = fabric.pending()
        done = fabric.embed(progress=shown.counted("embedding", pending)) if pending else None
    except EmbedderUnavailable as error:
        hint = f" ({error.hint})" if error.hint else ""
        return 0, f"no vectors, text and graph search work: {error.message}{hint}"
    if done is None:
        return 0, None
    failed = f"{len(done.failed)} memories could not be embedded" if done.failed else None
    return done.memories, failed
