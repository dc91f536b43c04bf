"""Run one suite over stores built for it through the public API, and report what was measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric import __version__
from memory_fabric.app import Fabric
from memory_fabric.errors import UsageError
from memory_fabric.evals.asking import Answered, Corpus, Progress, ask, ask_baseline
from memory_fabric.evals.baseline import BASELINE
from memory_fabric.evals.commits import read_commits
from memory_fabric.evals.embedding_cache import CachedEmbedder
from memory_fabric.evals.half import Half, Halved
from memory_fabric.evals.outcome import summary
from memory_fabric.evals.significance import SEED
from memory_fabric.evals.suite import Corpus as Given
from memory_fabric.evals.suite import Reader
from memory_fabric.evals.suites import MEASURED, READERS
from memory_fabric.evals.surroundings import machine
from memory_fabric.model.query import Mode
from memory_fabric.search.recipes import RECIPES
from memory_fabric.settings import Settings

if TYPE_CHECKING:
    from memory_fabric.ports import Embedder

SIDE_BY_SIDE = tuple(map(str, (Mode.TEXT, Mode.VECTOR, Mode.GRAPH, Mode.HYBRID, Mode.AUTO)))
"""Every mode, the best fixed one included (F-EVAL-6)."""

DEPTH = 50
"""Memories asked for each question of ``commits``: enough for ten distinct sessions."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite by its name, where its data lies, and which part of it that is."""

    name: str
    data: Path
    transcripts: Path | None = None
    split: str = ""
    """A label for the report: ``dev``, ``sealed``; it chooses nothing."""
    half: Half | None = None
    """The half of the questions that is asked; None asks all.  The stores hold everything in any case."""


def _silent(what: str, done: int, of: int) -> None:
    """Nobody watches."""


@dataclass(frozen=True, slots=True)
class Means:
    """What stores are made with."""

    settings: Settings
    keep: Path | None = None
    """Folder in which stores stay, to be found again; None makes them in a temporary folder."""
    cache: Path | None = None
    """File that keeps the vectors of passages for the next run; None embeds anew."""
    progress: Progress | None = None
    """Told how far it is."""

    @property
    def tell(self) -> Progress:
        """To whom progress is told, were it nobody."""
        return self.progress or _silent

    def embedder(self, names: Sequence[str]) -> Embedder | None:
        """One for all stores, so that its model is loaded once; None where no mode asks vectors."""
        if not _vectors(names) or self.settings.embedder == "none":
            return None
        from memory_fabric.embed import open_embedder

        embedder = open_embedder(self.settings.embedder, self.settings.embedding)
        return CachedEmbedder(embedder, self.cache) if self.cache else embedder


@dataclass(frozen=True, slots=True)
class _Store:
    """One store to build, and what is asked of it."""

    corpus: Corpus
    fill: Callable[[Fabric, Progress], object]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A suite's data as it is run."""

    stores: Sequence[_Store]
    left_out: int | Mapping[str, int]
    """Questions that cannot be measured, by reason where there are several."""
    depth: int


def _commits(suite: Suite) -> _Prepared:
    folder = suite.transcripts
    if folder is None:
        raise UsageError(f"suite {suite.name!r} asks about transcripts", "name their folder: --transcripts DIR")
    commits = read_commits(suite.data, folder, dated=suite.name == DATED)

    def fill(fabric: Fabric, tell: Progress) -> object:
        return fabric.ingest([folder], progress=lambda _, number, of: tell("reading", number, of))

    return _Prepared([_Store(commits, fill)], commits.left_out, DEPTH)


def of_records(read: Reader) -> Callable[[Suite], _Prepared]:
    """A suite whose reader gives conversations and documents, a store a corpus (``evals.suite``)."""

    def prepare(suite: Suite) -> _Prepared:
        data = read(suite.data)
        return _Prepared(list(map(_of_corpus, data.corpora)), data.left_out, data.depth)

    return prepare


def _of_corpus(corpus: Given) -> _Store:
    return _Store(corpus, lambda fabric, _: fabric.add(corpus.records))


COMMITS, DATED = "commits", "commits-dated"


def suites() -> tuple[str, ...]:
    """Every suite that can be run."""
    return (COMMITS, DATED, *READERS, *MEASURED)


def _prepared(suite: Suite) -> _Prepared:
    return _commits(suite) if suite.name in (COMMITS, DATED) else of_records(_named(READERS[suite.name]))(suite)


def _named(place: str) -> Any:
    """What stands at ``module:function``, imported now."""
    module, _, function = place.partition(":")
    return getattr(import_module(module), function)


def _measured(suite: Suite, mode: Mode) -> dict[str, object]:
    """A suite that asks no store: its figures by set, no mean over sets that have nothing in common."""
    found = dict(_named(MEASURED[suite.name])(suite.data))
    sets = found.pop("sets")
    about = {"split": suite.split, "version": __version__, "machine": machine()}
    total = sum(each.get("n", each.get("texts", 0)) for each in sets.values())
    return {**found, "suite": suite.name, "mode": mode.value, "n": total, "metrics": {}, "by": sets, **about}


def run(suite: Suite, mode: Mode = Mode.AUTO, means: Means | None = None) -> dict[str, object]:
    """Build the suite's stores, ask every question, measure.

    The main figure keeps tool calls out of the store, because ``git commit -m`` contains the question; ``by`` gives
    the figures of each category, for ``commits`` those without the questions whose words stand in the text.

    Raises:
        UsageError: the suite is not known, or its data is missing or of another shape.
    """
    _require(suite)
    if suite.name in MEASURED:
        return _measured(suite, mode)
    return _run(suite, [mode.value], means or Means(Settings.load()))[mode.value]


def run_all(suite: Suite, means: Means | None = None) -> dict[str, object]:
    """The baseline and every mode, on the same questions and stores: the report of ``auto``, with all in ``modes``.

    Modes that nothing can answer without an embedder are named in ``not_run``, with the reason.

    Raises:
        UsageError: as ``run``.
    """
    _require(suite)
    if suite.name in MEASURED:
        raise UsageError(f"suite {suite.name!r} asks no store: it has no modes", "leave out --all-modes")
    chosen = means or Means(Settings.load())
    left = {} if chosen.settings.embedder != "none" else {Mode.VECTOR.value: "embedding is switched off"}
    names = [BASELINE, *(name for name in SIDE_BY_SIDE if name not in left)]
    modes = _run(suite, names, chosen)
    auto = {name: value for name, value in modes[Mode.AUTO.value].items() if name != "questions"}
    return {**auto, "not_run": left, "modes": modes}


def _require(suite: Suite) -> None:
    if suite.name not in suites():
        raise UsageError(f"suite {suite.name!r} is not known", f"choose one of: {', '.join(suites())}")


def _run(suite: Suite, names: Sequence[str], means: Means) -> dict[str, dict[str, object]]:
    """Mode, or the baseline's name → its report; each store is built once."""
    prepared = _prepared(suite)
    embedder = means.embedder(names)
    model = embedder.space if embedder else None
    answered: dict[str, Answered] = {}
    memories = 0
    for number, store in enumerate(prepared.stores, 1):
        corpus = Halved(store.corpus, suite.half) if suite.half else store.corpus
        keep = means.keep
        home = keep / f"{number:04}" if keep and len(prepared.stores) > 1 else keep
        with _built(store, embedder, home, means) as fabric:
            memories += fabric.store.count()
            for name in names:
                found = _ask(fabric, corpus, name, prepared.depth, means.tell)
                answered[name] = answered[name] + found if name in answered else found
    if not any(each.outcomes for each in answered.values()):
        raise UsageError(f"suite {suite.name!r} has no question in this part", "leave out --half, or name fuller data")
    half = suite.half.value if suite.half else None
    about = {"split": suite.split, "half": half, "seed": SEED, "version": __version__, "machine": machine()}
    return {
        name: {
            "suite": suite.name,
            "mode": name,
            "n": len(each.outcomes),
            "left_out": prepared.left_out,
            **summary(each.outcomes),
            "memories": memories,
            "outages": dict(each.outages),
            "model": model if _vectors([name]) else None,
            **about,
            "questions": [outcome.as_json() for outcome in each.outcomes],
        }
        for name, each in answered.items()
    }


def _ask(fabric: Fabric, corpus: Corpus, name: str, depth: int, tell: Progress) -> Answered:
    if name == BASELINE:
        return ask_baseline(fabric, corpus, depth, tell)
    return ask(fabric, corpus, Mode(name), depth, tell)


def _vectors(names: Sequence[str]) -> bool:
    """Whether one of them asks vectors."""
    return any("vector" in RECIPES[Mode(name)] for name in names if name != BASELINE)


@contextmanager
def _built(store: _Store, embedder: Embedder | None, keep: Path | None, means: Means) -> Iterator[Fabric]:
    """A store that holds everything, with vectors where there is an embedder."""
    with ExitStack() as stack:
        home = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memory-fabric-eval-")))
        settings = replace(means.settings, home=home, tool_calls="ignore")
        fabric = stack.enter_context(Fabric.open(settings, embedder=embedder))
        store.fill(fabric, means.tell)
        if embedder:
            total = fabric.pending()
            fabric.embed(progress=lambda done: means.tell("embedding", done, total))
        yield fabric
