"""Run one suite over a store built for it through the public API, and report what was measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from memory_fabric import __version__
from memory_fabric.app import Fabric
from memory_fabric.errors import UsageError
from memory_fabric.evals.asking import Answered, Data, Progress, ask, ask_baseline
from memory_fabric.evals.commits import read_commits
from memory_fabric.evals.outcome import summary
from memory_fabric.evals.significance import SEED
from memory_fabric.evals.surroundings import machine
from memory_fabric.model.query import Mode
from memory_fabric.search.recipes import RECIPES
from memory_fabric.settings import Settings

SUITES: Mapping[str, Callable[[Path, Path], Data]] = {"commits": read_commits}
"""Name → reader of its data, given the folder of the data and that of the transcripts."""

BASELINE = "bm25"
"""Name of the lexical baseline beside the modes."""

SIDE_BY_SIDE = (Mode.TEXT, Mode.VECTOR, Mode.GRAPH, Mode.HYBRID, Mode.AUTO)
"""Every mode, the best fixed one included (F-EVAL-6)."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite by its name, where its data lies, and which part of it that is."""

    name: str
    data: Path
    transcripts: Path
    split: str = ""
    """A label for the report: ``dev``, ``odd half``; it chooses nothing."""


def run(
    suite: Suite,
    mode: Mode = Mode.AUTO,
    *,
    settings: Settings | None = None,
    keep: Path | None = None,
    progress: Progress | None = None,
) -> dict[str, object]:
    """Build the suite's store (in ``keep``, or in a temporary folder), ask every question, measure.

    The main figure keeps tool calls out of the store, because ``git commit -m`` contains the question; ``by`` gives
    the figure without the questions whose words stand in the text.

    Raises:
        UsageError: the suite is not known, or its data is missing or of another shape.
    """
    tell = progress or _silent
    with _built(suite, (mode,), settings, keep, tell) as built:
        return built.report(mode.value, ask(built.fabric, built.data, mode, tell))


def run_all(
    suite: Suite, *, settings: Settings | None = None, keep: Path | None = None, progress: Progress | None = None
) -> dict[str, object]:
    """The baseline and every mode, on the same questions and one store: the report of ``auto``, with all in ``modes``.

    Modes that nothing can answer without an embedder are named in ``not_run``, with the reason.

    Raises:
        UsageError: as ``run``.
    """
    tell = progress or _silent
    with _built(suite, SIDE_BY_SIDE, settings, keep, tell) as built:
        chosen = [mode for mode in SIDE_BY_SIDE if RECIPES[mode] != {"vector"} or built.fabric.embedder is not None]
        modes = {BASELINE: built.report(BASELINE, ask_baseline(built.fabric, built.data, tell))}
        for mode in chosen:
            modes[mode.value] = built.report(mode.value, ask(built.fabric, built.data, mode, tell))
    left = {mode.value: "embedding is switched off" for mode in SIDE_BY_SIDE if mode not in chosen}
    auto = {name: value for name, value in modes[Mode.AUTO.value].items() if name != "questions"}
    return {**auto, "not_run": left, "modes": modes}


@dataclass(frozen=True, slots=True)
class _Built:
    """A suite, and the store that holds what it asks about."""

    suite: Suite
    data: Data
    fabric: Fabric

    def report(self, mode: str, answered: Answered) -> dict[str, object]:
        """The result file's object for one mode."""
        embedder = self.fabric.embedder
        vectors = mode in set(Mode) and "vector" in RECIPES[Mode(mode)] and embedder is not None
        return {
            "suite": self.suite.name,
            "mode": mode,
            "n": len(answered.outcomes),
            "left_out": self.data.left_out,
            **summary(answered.outcomes),
            "memories": self.fabric.store.count(),
            "outages": dict(answered.outages),
            "split": self.suite.split,
            "seed": SEED,
            "model": embedder.space if embedder is not None and vectors else None,
            "version": __version__,
            "machine": machine(),
            "questions": [outcome.as_json() for outcome in answered.outcomes],
        }


@contextmanager
def _built(
    suite: Suite, modes: tuple[Mode, ...], settings: Settings | None, keep: Path | None, tell: Progress
) -> Iterator[_Built]:
    """Read the data, fill the store, and embed it where one of the modes asks vectors."""
    if suite.name not in SUITES:
        raise UsageError(f"suite {suite.name!r} is not known", f"choose one of: {', '.join(SUITES)}")
    data = SUITES[suite.name](suite.data, suite.transcripts)
    with ExitStack() as stack:
        home = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memory-fabric-eval-")))
        chosen = replace(settings or Settings.load(), home=home, tool_calls="ignore")
        fabric = stack.enter_context(Fabric.open(chosen))
        fabric.ingest([suite.transcripts], progress=lambda _, number, of: tell("reading", number, of))
        if any("vector" in RECIPES[mode] for mode in modes):
            total = fabric.pending()
            fabric.embed(progress=lambda done: tell("embedding", done, total))
        yield _Built(suite, data, fabric)


def _silent(what: str, done: int, of: int) -> None:
    """Nobody watches."""
