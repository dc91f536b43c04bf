"""Run one suite over a store built for it through the public API, and report what was measured."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import monotonic

from memory_fabric.app import Fabric
from memory_fabric.errors import UsageError
from memory_fabric.evals.commits import Commits, Question, read_commits
from memory_fabric.evals.measures import evaluate
from memory_fabric.model.query import Mode, Scope
from memory_fabric.settings import Settings

SUITES = ("commits",)

DEPTH = 50
"""Memories asked for each question: enough for ten distinct sessions."""

Progress = Callable[[str, int, int], None]
"""Told what is being done, how far it is and how much there is."""


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite by its name, and where its data lies."""

    name: str
    data: Path
    transcripts: Path


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
    if suite.name not in SUITES:
        raise UsageError(f"suite {suite.name!r} is not known", f"choose one of: {', '.join(SUITES)}")
    commits = read_commits(suite.data, suite.transcripts)
    tell = progress or (lambda *_: None)
    with ExitStack() as stack:
        home = keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="memory-fabric-eval-")))
        chosen = replace(settings or Settings.load(), home=home, tool_calls="ignore")
        fabric = stack.enter_context(Fabric.open(chosen))
        fabric.ingest([suite.transcripts], progress=lambda _, number, of: tell("reading", number, of))
        if mode not in (Mode.TEXT, Mode.GRAPH):
            total = fabric.pending()
            fabric.embed(progress=lambda done: tell("embedding", done, total))
        return {"suite": suite.name, "mode": mode.value, **_measure(fabric, commits, mode, tell)}


def _measure(fabric: Fabric, commits: Commits, mode: Mode, tell: Progress) -> dict[str, object]:
    rankings: dict[str, list[str]] = {}
    seconds: list[float] = []
    for number, question in enumerate(commits.questions, 1):
        started = monotonic()
        answer = fabric.search(question.text, Scope(), mode=mode, limit=DEPTH)
        seconds.append(monotonic() - started)
        rankings[question.id] = commits.items(result.candidate.memory for result in answer.results)
        tell("asking", number, len(commits.questions))
    everything = {question.id: question for question in commits.questions}
    kept = {id_: question for id_, question in everything.items() if not question.verbatim}
    seconds.sort()
    return {
        "n": len(everything),
        "left_out": commits.left_out,
        "metrics": _figures(rankings, everything),
        "by": {"not_verbatim": {"n": len(kept), **_figures(rankings, kept)}} if kept else {},
        "milliseconds": {
            "p50": round(median(seconds) * 1000, 2),
            "p95": round(seconds[int(0.95 * (len(seconds) - 1))] * 1000, 2),
        },
        "memories": fabric.store.count(),
    }


def _figures(rankings: Mapping[str, list[str]], questions: Mapping[str, Question]) -> dict[str, float]:
    return evaluate(rankings, {id_: question.gold for id_, question in questions.items()})
