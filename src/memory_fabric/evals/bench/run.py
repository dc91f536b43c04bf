"""Every size in turn: make the store, ask, write, start processes, and compare."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_fabric import __version__
from memory_fabric.evals.bench.alone import fts5_alone, numpy_alone, ratios
from memory_fabric.evals.bench.asking import LIMIT, ROUNDS, WITHOUT_VECTORS, asked, needed
from memory_fabric.evals.bench.build import EMBEDDED, Built, Progress, build, home_below, kept_language
from memory_fabric.evals.bench.figures import forget_peak, machine, peak_rss, versions, within
from memory_fabric.evals.bench.lag import lag
from memory_fabric.evals.bench.process import cold_start
from memory_fabric.evals.bench.synthetic import PER_SESSION, Language, questions
from memory_fabric.evals.bench.vectors import NOISE
from memory_fabric.model.query import Mode
from memory_fabric.settings import Settings

SEED = 20_261_130

BESIDE = 200_000
"""Memories up to which numpy and FTS5 are also measured alone, and a copy of the store is written to: beyond, these
would take 7 GB of memory, 13 GB of disk and half an hour at a million."""

BUDGETS = {
    10_000: {"p50": 10.0, "p95": 20.0},
    100_000: {"p50": 20.0, "p95": 50.0},
    1_000_000: {"p50": 60.0, "p95": 150.0},
}
"""Memories → milliseconds that a search with the model's own embedding of the question may take (design §6)."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be measured."""

    sizes: tuple[int, ...] = (10_000, 100_000)
    """Memories of each store."""
    queries: int = 100
    """Questions a mode and round."""
    keep: Path | None = None
    """Where the stores stay, to be used again; None makes them in a temporary folder."""


def run(wish: Wish, settings: Settings, now: datetime, tell: Progress | None = None) -> dict[str, Any]:
    """Measure; a dictionary that JSON can hold.

    Raises:
        UsageError: ``keep`` holds something else.
        StoreError, EmbedderUnavailable: what was measured failed.
    """
    told = tell or (lambda *_: None)
    language = kept_language(wish.keep, SEED) if wish.keep else Language.of(SEED)
    sizes = [_measured(replace(wish, sizes=(size,)), settings, language, told) for size in sorted(set(wish.sizes))]
    return {
        "benchmark": "bench",
        "version": __version__,
        "date": f"{now:%Y-%m-%d}",
        "seed": SEED,
        "embedder": settings.embedder,
        "queries": wish.queries,
        "rounds": ROUNDS,
        "limit": LIMIT,
        "machine": machine(),
        "versions": versions(),
        "notes": _notes(settings.embedder),
        "sizes": sizes,
    }


def _measured(wish: Wish, settings: Settings, language: Language, tell: Progress) -> dict[str, Any]:
    (size,) = wish.sizes
    with ExitStack() as stack:
        folder = wish.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memory-fabric-bench-")))
        home = home_below(folder.resolve(), size, settings.embedder, language)
        home.mkdir(parents=True, exist_ok=True)
        own = Settings(home=home, embedder=settings.embedder)
        built = build(own, language, SEED, size, tell)
        peaks = {"building": built.figures.pop("building_peak_rss_mebibytes")}
        count = needed(settings.embedder, wish.queries)
        tell("making questions", 0, count)
        asking = questions(language, SEED, size, count)
        started = cold_start(own, asking[0], _modes(settings.embedder))
        forget_peak()
        found = asked(own, asking, wish.queries, lambda done: tell("asking", done, ROUNDS))
        peaks["asking"] = peak_rss()
        beside: dict[str, Any] = {}
        if size <= BESIDE:
            tell("writing", 0, 1)
            beside |= lag(built)
            tell("numpy and FTS5 alone", 0, 1)
            beside["alone"] = _alone(built, asking, wish.queries)
            beside["times_alone"] = ratios(found["modes"], beside["alone"])
    best = found["modes"][_modes(settings.embedder)[0]]["ms"]
    budget = next((BUDGETS[limit] for limit in sorted(BUDGETS) if size <= limit), {})
    return {
        "memories": size,
        "sessions": -(-size // PER_SESSION),
        **built.figures,
        "search": found,
        "budget": within(best, budget),
        **beside,
        "cold_start": started,
        "peak_rss_mebibytes": peaks,
        "machine": machine(),
    }


def _modes(embedder: str) -> Sequence[str]:
    """The default and the text alone; without vectors the text alone."""
    return (WITHOUT_VECTORS[0].value,) if embedder == "none" else (Mode.AUTO.value, Mode.TEXT.value)


def _alone(built: Built, asking: Sequence[str], queries: int) -> dict[str, Any]:
    some = asking[: ROUNDS * queries]
    return {**(numpy_alone(built, some, queries) or {}), **fts5_alone(built, some, queries)}


def _notes(embedder: str) -> list[str]:
    """What a reader must know to believe a figure, and no more of it."""
    notes = [
        "The memory is invented: words of this program's documentation as often as they stand there, a tenth made-up "
        "identifiers, in sessions of twenty exchanges. It says nothing about how good the answers are.",
        "`ms` is by the clock, on a machine that may be shared, `cpu_ms` is processor time of all threads; each "
        "is the median of the rounds.",
        "No question is asked twice.",
    ]
    if embedder != "none":
        notes.append(
            f"The embedder itself made the vectors of the first {EMBEDDED:,} memories; the others' are those with a "
            f"random direction of length {NOISE} added, brought to length 1. Questions are embedded by it, always."
        )
    return notes
