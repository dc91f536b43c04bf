"""Make the sets of a store, ask them of a copy in every mode, and report both halves."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from memory_fabric import __version__
from memory_fabric.app import Fabric
from memory_fabric.clock import utcnow
from memory_fabric.errors import UsageError
from memory_fabric.evals.asking import Answered, Progress, ask, ask_baseline
from memory_fabric.evals.baseline import BASELINE
from memory_fabric.evals.half import Half
from memory_fabric.evals.outcome import Outcome, summary
from memory_fabric.evals.own.aside import copy, take_out
from memory_fabric.evals.own.commits import commits, given
from memory_fabric.evals.own.crossing import cross_session
from memory_fabric.evals.own.figures import Asked, Known, figures, paired, service_times
from memory_fabric.evals.own.making import Bias, Made
from memory_fabric.evals.own.passages import single_hop
from memory_fabric.evals.own.snapshot import Snapshot, snapshot
from memory_fabric.evals.own.tuning import Scores, numbers, sweep
from memory_fabric.evals.own.verdict import verdict
from memory_fabric.evals.own.watched import Watched
from memory_fabric.evals.own.wording import Wording
from memory_fabric.evals.significance import SEED
from memory_fabric.evals.suite import Corpus, Question
from memory_fabric.evals.surroundings import machine
from memory_fabric.model.memory import Memory
from memory_fabric.model.query import Mode
from memory_fabric.search.route import Routing
from memory_fabric.text import analyse

SUITE = "own"

LIMIT = 200
"""Questions a set: some hundred a half, where the interval of a mean reciprocal rank is about ±0.08."""

DEPTH = 50
"""Memories asked for each question, as in the suite ``commits``."""

DEPTHS = (5, 10, 20, 60, 120)
"""Those of ``--sweep-k`` (F-EVAL-4)."""

TUNED = "auto, tuned"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What is to be evaluated."""

    questions: Path | None = None
    """File of the set ``commits`` in place of the commits that are known."""
    limit: int = LIMIT
    half: Half | None = None
    """Only this half is asked."""
    tune: bool = False
    ablate: bool = False
    sweep_k: bool = False
    each: bool = False
    """Every question's outcome is reported too."""


def made_of(fabric: Fabric, wishes: Wishes) -> tuple[list[Made], Snapshot]:
    """The three sets of a store, and what the store holds.

    Raises:
        UsageError: no question can be made of it, or the file of questions is of another shape.
    """
    held = snapshot(fabric.export())
    wording = Wording(held)
    sets = [
        given(held, wishes.questions) if wishes.questions else commits(held, wishes.limit),
        single_hop(held, wording, wishes.limit),
        cross_session(held, wording, wishes.limit),
    ]
    if not any(made.questions for made in sets):
        raise UsageError("no question can be made of this memory", "read more transcripts: memory-fabric ingest")
    return sets, held


def evaluate(fabric: Fabric, wishes: Wishes, tell: Progress | None = None) -> dict[str, object]:
    """The report: see docs/commands.md.  The store itself is only read.

    Raises:
        UsageError: as ``made_of``; tuning is wished for with one half alone; a half holds no question.
    """
    if wishes.tune and wishes.half:
        raise UsageError("--tune needs both halves", "leave out --half")
    sets, held = made_of(fabric, wishes)
    with _aside(fabric, sets) as copied:
        return _Study(copied, sets, held, wishes, tell or _silent).report()


def _silent(what: str, done: int, of: int) -> None:
    """Nobody watches."""


@contextmanager
def _aside(source: Fabric, sets: Sequence[Made]) -> Iterator[Watched]:
    """A copy of the store, without what tells who made a commit, and without memories elsewhere."""
    with tempfile.TemporaryDirectory(prefix="memory-fabric-own-") as folder:
        copy(source, Path(folder))
        with Watched.open(replace(source.settings, home=Path(folder))) as fabric:
            subjects = [each.text for made in sets if made.bias is Bias.COMMITS for each in made.questions]
            take_out(fabric, subjects)
            yield fabric


@dataclass(frozen=True, slots=True)
class _Study:
    """One store under evaluation."""

    fabric: Watched
    sets: Sequence[Made]
    held: Snapshot
    wishes: Wishes
    tell: Progress

    def report(self) -> dict[str, object]:
        left = self._not_run()
        modes = [BASELINE, *(mode.value for mode in _MODES if mode.value not in left)]
        asked: Asked = {}
        times: dict[str, object] = {}
        for mode in modes:
            asked[mode] = self._ask(mode)
            times[mode] = service_times(asked[mode].outcomes, self.fabric.service)
        found: dict[str, object] = {}
        if self.wishes.tune:
            found["tune"], asked[TUNED] = self._tune()
        if self.wishes.ablate:
            found["ablate"] = self._ablate()
        if self.wishes.sweep_k:
            found["sweep_k"] = {str(depth): self._at(depth) for depth in DEPTHS}
        halves = figures(asked, self._known)
        tests = paired(asked, Mode.AUTO.value, self._known)
        report = {**self._about(), "not_run": left, "figures": halves, "tests": tests, "milliseconds": times, **found}
        report["verdict"] = verdict(halves, tests)
        return {**report, **(self._each(asked) if self.wishes.each else {})}

    @property
    def _known(self) -> Known:
        return {id_: items for made in self.sets for id_, items in made.known.items()}

    def _not_run(self) -> dict[str, str]:
        left = {"hybrid, semantic seeds": "the graph starts from names alone"}
        if self.fabric.embedder is None:
            left[Mode.VECTOR.value] = "embedding is switched off"
        elif self.fabric.embedder.space not in self.fabric.store.coverage():
            left[Mode.VECTOR.value] = "no memory has vectors yet"
        return left

    def _questions(self, half: Half | None) -> dict[Bias, tuple[Question, ...]]:
        """By set, those of one half or of all that are asked."""
        wanted = half or self.wishes.half
        chosen = {
            made.bias: tuple(each for each in made.questions if wanted in (None, Half.of(each.id)))
            for made in self.sets
        }
        return {bias: questions for bias, questions in chosen.items() if questions}

    def _ask(self, mode: str, depth: int = DEPTH, half: Half | None = None) -> Answered:
        self.fabric.service.clear()
        found: Answered | None = None
        for bias, questions in self._questions(half).items():
            corpus = Corpus(bias.value, (), questions, _session if bias is Bias.COMMITS else _passage)
            if mode == BASELINE:
                some = ask_baseline(self.fabric, corpus, depth, self.tell)
            else:
                some = ask(self.fabric, corpus, Mode(mode), depth, self.tell)
            found = found + some if found else some
        if found is None:
            raise UsageError("this half holds no question", "leave out --half, or read more transcripts")
        return found

    def _tune(self) -> tuple[dict[str, object], Answered]:
        """The sweep on the tuning half, and ``auto`` with what it chose, asked of both."""

        def ask_with(routing: Routing) -> Scores:
            with self.fabric.changed(routing=routing):
                answered = self._ask(Mode.AUTO.value, half=Half.TUNE)
            return _scores(answered.outcomes)

        start = self.fabric.routing
        trials = sweep(ask_with, start)
        best = trials[-1].routing
        with self.fabric.changed(routing=best):
            after = self._ask(Mode.AUTO.value)
        proposal = None if best == start else numbers(best)
        return {"proposal": proposal, "now": numbers(start), "trials": [trial.as_json() for trial in trials]}, after

    def _ablate(self) -> dict[str, object]:
        """``auto`` with each source left out."""
        asked: Asked = {}
        for source in self.fabric.sources:
            with self.fabric.changed(without=(source,)):
                asked[f"auto without {source}"] = self._ask(Mode.AUTO.value)
        return dict(figures(asked, self._known))

    def _at(self, depth: int) -> Mapping[str, object]:
        """``auto`` asked for so many memories, with so many hits from every source."""
        with self.fabric.changed(per_source=depth):
            return figures({Mode.AUTO.value: self._ask(Mode.AUTO.value, depth)}, self._known)

    def _about(self) -> dict[str, object]:
        embedder = self.fabric.embedder
        return {
            "suite": SUITE,
            "mode": Mode.AUTO.value,
            "n": sum(map(len, self._questions(None).values())),
            "sets": {made.bias.value: self._set(made) for made in self.sets},
            "memories": self.fabric.store.count(),
            "without_vectors": self.fabric.pending(),
            "depth": DEPTH,
            "model": embedder.space if embedder else None,
            "date": f"{utcnow():%Y-%m-%d}",
            "seed": SEED,
            "version": __version__,
            "machine": machine(),
        }

    def _set(self, made: Made) -> dict[str, object]:
        shared = [self._shared(made.bias, each) for each in made.questions]
        return {
            "n": len(made.questions),
            "gold_from": dict(made.gold_from),
            "skipped": dict(made.skipped),
            "words_shared": round(fmean(shared), 3) if shared else None,
        }

    def _shared(self, bias: Bias, question: Question) -> float:
        """Share of the question's index terms that stand in what answers it: how literal the wording is."""
        terms = set(analyse(question.text))
        of = self.held.sessions
        chunks = (id_ for gold in question.gold for id_ in (of[gold] if bias is Bias.COMMITS else (gold,)))
        held: set[str] = set().union(*(self.held.terms[id_] for id_ in chunks))
        return len(terms & held) / len(terms) if terms else 0.0

    def _each(self, asked: Asked) -> dict[str, object]:
        """As ``eval run --all-modes`` gives it, for ``eval compare`` and ``eval report``."""
        return {
            "modes": {
                name: {
                    "suite": SUITE,
                    "mode": name,
                    "n": len(each.outcomes),
                    **summary(each.outcomes),
                    "outages": dict(each.outages),
                    "questions": [outcome.as_json() for outcome in each.outcomes],
                }
                for name, each in asked.items()
            }
        }


_MODES = (Mode.TEXT, Mode.VECTOR, Mode.GRAPH, Mode.HYBRID, Mode.AUTO)


def _session(memory: Memory) -> str:
    return str(memory.origin.session)


def _passage(memory: Memory) -> str:
    return str(memory.id)


def _scores(outcomes: Sequence[Outcome]) -> Scores:
    by_set: dict[str, list[float]] = {}
    for outcome in outcomes:
        by_set.setdefault(outcome.categories[0], []).append(outcome.measures["mrr"])
    return {name: fmean(values) for name, values in by_set.items()}
