"""Ask every question of a suite, of the memory or of the baseline, and measure each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from time import monotonic
from typing import Protocol

from memory_fabric.app import Fabric
from memory_fabric.evals.baseline import Bm25
from memory_fabric.evals.measures import measure
from memory_fabric.evals.outcome import KEPT, Outcome
from memory_fabric.model.memory import Memory
from memory_fabric.model.query import Mode, Scope
from memory_fabric.model.result import Answer
from memory_fabric.sources.neighbours import LENT_AT_MOST, vector_context
from memory_fabric.text import split_exchange

Progress = Callable[[str, int, int], None]
"""Told what is being done, how far it is and how much there is."""


class Asked(Protocol):
    """One question of a suite."""

    @property
    def id(self) -> str:
        """Unique in its suite."""
        ...

    @property
    def text(self) -> str:
        """What is asked, and nothing else of what the suite knows."""
        ...

    @property
    def around(self) -> datetime | None:
        """The instant that is asked about beside the text, or None."""
        ...

    @property
    def gold(self) -> frozenset[str]:
        """The right items, at least one."""
        ...

    @property
    def categories(self) -> tuple[str, ...]:
        """What it is reported under besides the whole."""
        ...

    @property
    def group(self) -> str:
        """What it shares with others, such as a conversation; empty for nothing."""
        ...


class Corpus(Protocol):
    """What one store is asked."""

    @property
    def questions(self) -> Sequence[Asked]:
        """A closed list: each is measured, answered or not."""
        ...

    def ranking(self, memories: Iterable[Memory]) -> list[str]:
        """The items that memories stand for, in their order, each once."""
        ...


@dataclass(frozen=True, slots=True)
class Answered:
    """All answers of one mode."""

    outcomes: tuple[Outcome, ...]
    outages: Counter[str]
    """Source → questions that it did not answer."""

    def __add__(self, other: Answered) -> Answered:
        """Those of several stores together."""
        return Answered(self.outcomes + other.outcomes, self.outages + other.outages)


def ask(fabric: Fabric, corpus: Corpus, mode: Mode, depth: int, tell: Progress) -> Answered:
    """Every question through the public search, for its first ``depth`` memories."""
    deviations = _deviations(fabric)
    outcomes, outages = [], Counter[str]()
    for number, question in enumerate(corpus.questions, 1):
        started = monotonic()
        answer = fabric.search(question.text, Scope(), mode=mode, limit=depth, around=question.around)
        seconds = monotonic() - started
        ranking = corpus.ranking(result.candidate.memory for result in answer.results)
        outages.update(outage.source for outage in answer.outages)
        outcomes.append(
            _outcome(
                question,
                ranking,
                seconds,
                score=answer.results[0].score if answer.results else None,
                confidence=_confidence(answer, deviations),
                graph=answer.mix.get("graph", 0.0) if len(answer.mix) > 1 else None,
            )
        )
        tell("asking", number, len(corpus.questions))
    return Answered(tuple(outcomes), outages)


def ask_baseline(fabric: Fabric, corpus: Corpus, depth: int, tell: Progress) -> Answered:
    """Every question of plain BM25 over the items, each with all text that the store holds of it."""
    index = Bm25.of(_documents(fabric, corpus))
    outcomes = []
    for number, question in enumerate(corpus.questions, 1):
        started = monotonic()
        ranked = index.rank(question.text, depth)
        outcomes.append(_outcome(question, [item for item, _ in ranked], monotonic() - started))
        tell("asking", number, len(corpus.questions))
    return Answered(tuple(outcomes), Counter())


def _documents(fabric: Fabric, corpus: Corpus) -> dict[str, str]:
    """Item → its text, oldest memory first; without the labels that our own text form adds."""
    parts: dict[str, list[str]] = {}
    for memory in reversed(fabric.store.recent(Scope(superseded=True), fabric.store.count())):
        for item in corpus.ranking([memory]):
            parts.setdefault(item, []).extend(split_exchange(memory.text))
    return {item: "\n".join(texts) for item, texts in parts.items()}


def _outcome(
    question: Asked,
    ranking: Sequence[str],
    seconds: float,
    *,
    score: float | None = None,
    confidence: float | None = None,
    graph: float | None = None,
) -> Outcome:
    return Outcome(
        id=question.id,
        gold=question.gold,
        ranking=tuple(ranking[:KEPT]),
        measures=measure(ranking, question.gold),
        categories=question.categories,
        milliseconds=seconds * 1000,
        group=question.group,
        score=score,
        confidence=confidence,
        graph=graph,
    )


def _deviations(fabric: Fabric) -> float:
    """Deviations from the background to a perfect match: what turns a share of one back into its unit."""
    if fabric.embedder is None:
        return 0.0
    background = fabric.store.background(fabric.embedder.space) or fabric.embedder.prior
    lent = vector_context(fabric.store.statistics(()).mean_length) * LENT_AT_MOST
    return (fabric.embedder.prior.best - background.mean) / background.deviation * (1.0 + lent)


def _confidence(answer: Answer, deviations: float) -> float | None:
    """As far as the results show it: at the depth asked for, the best vector hit is among them but for rare folds."""
    shares = [each.candidate.found_by["vector"] for each in answer.results if "vector" in each.candidate.found_by]
    return max(shares) * deviations if shares else None
