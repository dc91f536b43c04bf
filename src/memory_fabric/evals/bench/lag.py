"""How long it takes from a write until a search finds what was written."""

from __future__ import annotations

import random
import tempfile
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from memory_fabric.app import Fabric
from memory_fabric.embed.backfill import embed_now
from memory_fabric.evals.bench.build import Built
from memory_fabric.evals.bench.figures import percentiles, spread, took
from memory_fabric.evals.bench.synthetic import BEGIN, PROJECTS
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, Session, SessionId
from memory_fabric.model.query import Mode, Scope
from memory_fabric.ports import Batch, Record

NOTES = 10
"""Memories written, one after another."""

SEARCHES, ASKED = 40, 8
"""Searches while another thread embeds, and words of each."""

LENGTH = (30, 60)
"""Words of each."""


def lag(built: Built) -> dict[str, Any]:
    """Milliseconds of writing into a copy of the store, and of searching meanwhile.

    ``lag_ms``: least, middle and greatest of ten memories written one at a time: ``text`` is saving and the text search
    that finds it; ``vector`` saving, embedding and the vector search that finds it.  A warm process writes and asks; a
    search looks for news by itself, so there is nothing to wait for between.  ``while_embedding_ms``: searches of a
    process in which another thread saves and embeds without a pause.
    """
    with tempfile.TemporaryDirectory(prefix="memory-fabric-bench-", dir=built.settings.home.parent) as folder:
        settings = replace(built.settings, home=Path(folder))
        with Fabric.open(built.settings, read_only=True) as original:
            original.store.back_up(settings.store)
        with Fabric.open(settings) as fabric:
            _warm(fabric, built)
            laps = [_written(fabric, _note(built, number)) for number in range(NOTES)]
            found = {"lag_ms": {name: spread([lap[name] for lap in laps], 1000) for name in laps[0]}}
            return found if fabric.embedder is None else {**found, **_while_embedding(fabric, built)}


def _while_embedding(fabric: Fabric, built: Built) -> dict[str, Any]:
    """Searches in the default mode, beside a thread that writes one note after another."""
    done, written = threading.Event(), 0

    def write() -> None:
        nonlocal written
        while not done.is_set():
            memory = _note(built, 2 * NOTES + written)
            fabric.store.save(_batch(memory))
            embed_now(fabric.store, fabric.embedder, [memory])
            written += 1

    thread = threading.Thread(target=write, name="memory-fabric-bench-writing")
    thread.start()
    try:
        asking = [" ".join(_note(built, -1 - number).text.split()[:ASKED]) for number in range(SEARCHES)]
        laps = [took(lambda q=question: fabric.search(q))[0] for question in asking]  # type: ignore[misc]
    finally:
        done.set()
        thread.join()
    return {"while_embedding_ms": {"n": SEARCHES, **percentiles([laps]), "notes_written": written}}


def _warm(fabric: Fabric, built: Built) -> None:
    """Load model and vectors, by questions that have a topic: others ask for the newest memories alone."""
    for mode in (Mode.TEXT, Mode.VECTOR):
        fabric.search(_note(built, NOTES).text, mode=mode)


def _written(fabric: Fabric, memory: Memory) -> dict[str, float]:
    saving, _ = took(lambda: fabric.store.save(_batch(memory)))
    found = _search(fabric, memory, Mode.TEXT)
    if fabric.embedder is None:
        return {"save": saving, "text": saving + found}
    embedding, _ = took(lambda: embed_now(fabric.store, fabric.embedder, [memory]))
    near = _search(fabric, memory, Mode.VECTOR)
    return {"save": saving, "embed": embedding, "text": saving + found, "vector": saving + embedding + near}


def _batch(memory: Memory) -> Batch:
    session = Session(memory.origin.session, "note", memory.project, None, None, memory.at, memory.at)
    return Batch(projects=PROJECTS[:1], sessions=(session,), records=(Record(memory, seq=0),))


def _search(fabric: Fabric, memory: Memory, mode: Mode) -> float:
    """Seconds of the search; a memory that is not found is a bug."""
    seconds, answer = took(lambda: fabric.search(memory.text, Scope(), mode=mode))
    if memory.id not in {result.candidate.memory.id for result in answer.results}:
        raise AssertionError(f"{memory.id} was saved, and {mode.value} search does not find it")
    return seconds


def _note(built: Built, number: int) -> Memory:
    chance = random.Random(f"{built.seed} note {number}")  # noqa: S311 - invented texts
    text = built.language.text(chance, LENGTH)
    session = SessionId(f"bench-note-{number}")
    origin = Origin("note", session, "", 1, 1, f"note-{number}")
    return Memory(MemoryId(f"n_{number:010d}"), text, MemoryKind.NOTE, PROJECTS[0].id, BEGIN, origin)
