"""Fill a store through its public interface, and note how fast it went and how large it became."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric.app import Fabric
from memory_fabric.embed.backfill import backfill, texts_of
from memory_fabric.errors import UsageError
from memory_fabric.evals.bench.figures import forget_peak, machine, peak_rss, rounded, took
from memory_fabric.evals.bench.synthetic import PER_SESSION, Language, batches
from memory_fabric.evals.bench.vectors import Bases, Recording, recorded
from memory_fabric.settings import Settings
from memory_fabric.text import text_hash

if TYPE_CHECKING:
    from memory_fabric.ports import Embedder

EMBEDDED = 1_000
"""Memories that the model embeds itself: about 3,000 texts, one or two minutes on two cores."""

BASES_FILE, BUILT_FILE, WORDS_FILE = "bases.npz", "built.json", "words.json"

Progress = Callable[[str, int, int], None]
"""Told what is being done, how far it is and how much there is."""


@dataclass(frozen=True)
class Built:
    """A filled store."""

    settings: Settings
    language: Language
    seed: int
    memories: int
    bases: Bases | None
    """None without an embedder."""
    figures: dict[str, Any]


def build(settings: Settings, language: Language, seed: int, memories: int, tell: Progress) -> Built:
    """The store of so many memories in ``settings.home``: made, or as an earlier run with the same words left it.

    Raises:
        UsageError: the folder holds something else.
    """
    made_of = {"memories": memories, "seed": seed, "embedder": settings.embedder, "words": len(language.words)}
    note = settings.home / BUILT_FILE
    if note.exists():
        kept = json.loads(note.read_text(encoding="utf-8"))
        if kept["made_of"] != made_of:
            raise UsageError(f"{settings.home} was made of {kept['made_of']}, not {made_of}", "choose another folder")
        bases = Bases.load(settings.home / BASES_FILE) if settings.embedder != "none" else None
        return Built(settings, language, seed, memories, bases, {**kept["figures"], "made_in_this_run": False})
    if settings.store.exists():
        raise UsageError(f"{settings.store} is a memory that `bench` did not finish making", "choose another folder")
    figures: dict[str, Any] = {"ingest": {}, "machine_building": machine()}
    forget_peak()
    bases = _filled(settings, language, seed, memories, figures, tell)
    figures["building_peak_rss_mebibytes"] = peak_rss()
    note.write_text(json.dumps({"made_of": made_of, "figures": figures}), encoding="utf-8")
    return Built(settings, language, seed, memories, bases, {**figures, "made_in_this_run": True})


def _filled(
    settings: Settings, language: Language, seed: int, memories: int, figures: dict[str, Any], tell: Progress
) -> Bases | None:
    with Fabric.open(settings) as fabric:
        spent = 0.0
        for number, batch in enumerate(batches(language, seed, memories)):
            spent += took(lambda batch=batch: fabric.store.save(batch))[0]  # type: ignore[misc]
            tell("saving", number * PER_SESSION, memories)
    figures["ingest"]["without_vectors"] = _rate(memories, spent)
    size = _size(settings)
    figures["store"] = {"bytes_without_vectors": size, "bytes_a_memory_without_vectors": rounded(size / memories)}
    if settings.embedder == "none":
        return None
    with Fabric.open(settings) as fabric:
        bases = _embedded(fabric, language, seed, min(EMBEDDED, memories), figures, tell)
        _derived(fabric, bases, memories, tell)
        figures["vectors"] = sum(len(rows) for block in bases.all(memories) for rows in block.values())
    bases.save(settings.home / BASES_FILE)
    size = _size(settings)
    figures["store"] |= {"bytes": size, "bytes_a_memory": rounded(size / memories)}
    return bases


def _embedded(
    fabric: Fabric, language: Language, seed: int, memories: int, figures: dict[str, Any], tell: Progress
) -> Bases:
    """Embed the first memories as any ingest does, and keep what the model gave."""
    embedder = _embedder(fabric)
    embedder.embed(["the model is loaded before the time is taken"])
    recording = Recording(embedder)
    made = 0

    def count(done: int) -> None:
        nonlocal made
        made = done
        tell("embedding", done, memories)

    done = backfill(fabric.store, recording, batch=PER_SESSION, progress=count, stop=lambda: made >= memories)
    saving = figures["ingest"]["without_vectors"]
    seconds = done.seconds + done.memories * saving["seconds"] / saving["memories"]
    figures["ingest"]["with_vectors"] = {
        **_rate(done.memories, seconds),
        "texts_a_second": rounded(done.windows / done.seconds),
    }
    said = [record.memory for batch in batches(language, seed, memories) for record in batch.records]
    return recorded(recording, [texts_of(memory, embedder) for memory in said], seed)


def _derived(fabric: Fabric, bases: Bases, memories: int, tell: Progress) -> None:
    """Vectors for the rest, and the calibration that every embedding ends with."""
    embedder = _embedder(fabric)
    done = len(bases.vectors)
    for block in bases.blocks(memories):
        fabric.store.put(embedder.space, block)
        done += len(block)
        tell("deriving vectors", done, memories)
    fabric.embed()


def _embedder(fabric: Fabric) -> Embedder:
    embedder = fabric.embedder
    assert embedder is not None, "asked for only where there is one"  # noqa: S101
    return embedder


def _rate(memories: int, seconds: float) -> dict[str, float]:
    return {"memories": memories, "seconds": rounded(seconds), "memories_a_second": rounded(memories / seconds)}


def _size(settings: Settings) -> int:
    """Bytes of a closed store: the file, and the journal beside it if one was left."""
    return sum(path.stat().st_size for path in settings.store.parent.glob(f"{settings.store.name}*"))


def kept_language(folder: Path, seed: int) -> Language:
    """The words that the stores below a folder are made of; the program's of today where there are none yet.

    They stay as they were: else every changed sentence of the documentation would make every kept store a stranger.
    """
    file = folder / WORDS_FILE
    if not file.exists():
        language = Language.of(seed)
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([seed, language.words, language.cumulative, language.files]), encoding="utf-8")
        return language
    made_for, words, cumulative, files = json.loads(file.read_text(encoding="utf-8"))
    if made_for != seed:
        raise UsageError(f"{file} was made for seed {made_for}, not {seed}", "choose another folder")
    return Language(tuple(words), tuple(cumulative), tuple(files))


def home_below(folder: Path, memories: int, embedder: str, language: Language) -> Path:
    """Where a store is kept: one folder for each of what it is made of; the words change with the program's."""
    words = text_hash(" ".join(language.words))[:8]
    return folder / f"{memories}-{embedder}-{words}"
