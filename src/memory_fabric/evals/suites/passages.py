"""Corpora of passages: each a document, known by a hash of its words, so that neither place nor name tells anything."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Corpus, Data, Question
from memory_fabric.evals.suites.fields import unique
from memory_fabric.model.memory import Memory
from memory_fabric.model.record import Document

DIGITS = 16
"""Hexadecimal digits of a passage's id: 64 bits, a collision among a million passages in 1 of 4 × 10⁷ corpora."""

NO_GOLD = "no passage is named as evidence"
NOT_HERE = "evidence that the corpus does not hold"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as its file gives it."""

    id: str
    text: str
    kind: str
    passages: tuple[tuple[str, str], ...]
    """Title and text of what answers it."""


def passage_id(title: str, text: str) -> str:
    """The opaque id of a passage: titles repeat (126 of MuSiQue's 1,890), title and text together do not."""
    return hashlib.sha256(f"{title}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def passage(memory: Memory) -> str:
    """The passage that a memory is, or is a part of."""
    return memory.origin.record or memory.id


def corpus_of(name: str, passages: Iterable[tuple[str, str]], asked: Sequence[Asked]) -> tuple[Corpus, Counter[str]]:
    """Passages (title, text) in their order and what is asked of them; the second value counts what is left out.

    A passage that stands there twice is one.  A question whose evidence the corpus does not hold completely is left
    out: it could not be answered.
    """
    documents = {passage_id(title, text): Document(passage_id(title, text), text, title) for title, text in passages}
    left_out: Counter[str] = Counter()
    questions = []
    for each in asked:
        gold = frozenset(passage_id(title, text) for title, text in each.passages)
        if not gold:
            left_out[NO_GOLD] += 1
        elif not gold <= documents.keys():
            left_out[NOT_HERE] += 1
        else:
            questions.append(Question(each.id, each.text, gold, (each.kind,)))
    return Corpus(name, tuple(documents.values()), tuple(questions), passage), left_out


def data_of(corpora: Sequence[tuple[Corpus, Mapping[str, int]]], folder: Path) -> Data:
    """Corpora, with what each leaves out, as a suite.

    Raises:
        UsageError: there is no question, or two have one id.
    """
    ids = [question.id for corpus, _ in corpora for question in corpus.questions]
    unique(folder, "question", ids)
    if not ids:
        raise UsageError(f"{folder}: no question can be scored", "give the corpus that belongs to the questions")
    left_out: Counter[str] = Counter()
    for _, missing in corpora:
        left_out.update(missing)
    return Data(tuple(corpus for corpus, _ in corpora), dict(left_out))


def first_parts(facts: object) -> list[str]:
    """Titles of ``supporting_facts`` ([[title, sentence]]), each once.

    Raises:
        TypeError, ValueError: they are of another shape.
    """
    if not isinstance(facts, list):
        raise TypeError(f"supporting_facts: {facts!r:.200}")
    titles = dict.fromkeys(title for title, _ in facts)
    if not all(isinstance(title, str) for title in titles):
        raise TypeError(f"supporting_facts: {facts!r:.200}")
    return list(titles)
