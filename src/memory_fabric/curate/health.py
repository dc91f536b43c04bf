"""Is everything well: what ``doctor`` shows (design promise 1: nothing is dropped without a place to look it up)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from memory_fabric.clock import utcnow
from memory_fabric.errors import MemoryFabricError
from memory_fabric.ports import Embedder, Store

NAMED = 5
"""Names that one line gives as examples."""


class Verdict(StrEnum):
    """How a check ended."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    verdict: Verdict
    detail: str
    remedy: str = ""


def examine(store: Store, open_embedder: Callable[[], Embedder | None]) -> Iterator[Check]:
    """Every check, in the order in which faults explain each other."""
    faults = store.check()
    if faults:
        yield from (Check("store", Verdict.FAIL, fault, "restore a backup, or ingest again") for fault in faults)
    else:
        yield Check("store", Verdict.OK, "integrity, references and permissions are sound")
    yield from _reading(store)
    yield from _links(store)
    yield from _queues(store)
    yield from _vectors(store, open_embedder)


def _reading(store: Store) -> Iterator[Check]:
    """Files that could not be read, and lines that were broken."""
    entries = store.entries()
    failed = [entry for entry in entries if entry.error and Path(entry.path).exists()]
    broken = [(entry.path, entry.skipped["broken json"]) for entry in entries if entry.skipped.get("broken json")]
    yield from (Check("source file", Verdict.FAIL, f"{entry.path}: {entry.error}") for entry in failed)
    yield from (Check("source file", Verdict.WARN, f"{path}: {count} broken lines left out") for path, count in broken)
    if not failed and not broken:
        yield Check("source files", Verdict.OK, f"{len(entries)} read")


def _links(store: Store) -> Iterator[Check]:
    """Relations that a client wrote to a name that no entity has (C-048)."""
    waiting = store.unresolved(NAMED + 1)
    if waiting:
        names = ", ".join(waiting[:NAMED]) + (" and more" if len(waiting) > NAMED else "")
        yield Check("relations", Verdict.WARN, f"to names without an entity: {names}", "create those entities")


def _queues(store: Store) -> Iterator[Check]:
    """What waits to be pushed to other memories; nothing is said where nothing was ever pushed."""
    for target, backlog in store.backlog(utcnow()).items():
        if not backlog.waiting or backlog.oldest is None:
            yield Check("pushing", Verdict.OK, f"{target}: nothing waits, {backlog.sent} sent")
            continue
        why = f": {backlog.last_error}" if backlog.last_error else ""
        detail = f"{target}: {backlog.waiting} wait since {backlog.oldest:%Y-%m-%d}{why}"
        yield Check("pushing", Verdict.WARN, detail, "run `memory-fabric sync`")


def _vectors(store: Store, open_embedder: Callable[[], Embedder | None]) -> Iterator[Check]:
    total = store.count()
    try:
        embedder = open_embedder()
        if embedder is None:
            yield Check("embedder", Verdict.WARN, "switched off: text and graph only", "set `embedder`")
            return
        embedder.embed_query("Is the embedder well?")
    except MemoryFabricError as error:
        yield Check("embedder", Verdict.FAIL, error.message, error.hint)
        return
    yield Check("embedder", Verdict.OK, f"{embedder.space}, {embedder.dimension} dimensions")
    covered = store.coverage().get(embedder.space, 0)
    verdict = Verdict.OK if covered == total else Verdict.WARN
    remedy = "" if covered == total else "run `memory-fabric ingest` to embed the rest"
    yield Check("vectors", verdict, f"{covered} of {total} memories", remedy)
    background = store.background(embedder.space)
    if background is None:
        yield Check(
            "calibration", Verdict.WARN, "none yet: the model's prior is used", "ingest more, then run it again"
        )
    else:
        detail = f"unrelated pairs: {background.mean:.3f} ± {background.deviation:.3f} (n = {background.pairs})"
        yield Check("calibration", Verdict.OK, detail)
