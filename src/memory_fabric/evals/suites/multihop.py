"""The suite ``multihop``: HotpotQA and MuSiQue, each over its own passages; which of them hold an answer's facts.

Shapes: ``hipporag-train`` of the evaluation data, which are the official ones as HippoRAG packs them.  ``DIR`` holds
one or both pairs, each file also as ``.gz``:

- ``hotpotqa*.json`` [{_id, question, supporting_facts [[title, sentence]]}] and ``hotpotqa*_corpus.json``
  {title: [sentence]}, or [{title, text}] as HippoRAG 2 has it;
- ``musique*.json`` [{id, question, paragraphs [{title, paragraph_text, is_supporting}]}] and ``musique*_corpus.json``
  [{title, text}], where titles repeat.

Answers, decompositions and the triples that lie beside them are never read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Corpus, Data
from memory_fabric.evals.suites.datafiles import found, rows, shaped, the_file
from memory_fabric.evals.suites.fields import listed, text
from memory_fabric.evals.suites.passages import Asked, corpus_of, data_of, first_parts

CORPUS = "_corpus.json"
"""How the name of a file of passages ends."""

Passages = Sequence[tuple[str, str]]
"""Title and text of each."""


@dataclass(frozen=True, slots=True)
class _Set:
    """How one of the two is read."""

    passages: Callable[[str], Passages]
    question: Callable[[dict[str, object], dict[str, str]], Asked]
    """Given a row, and the texts of the corpus by title."""


def read(data: Path) -> Data:
    """Two corpora, or the one that is there; gold by title and text; ``hotpotqa`` and ``musique`` as categories.

    Raises:
        UsageError: neither pair is there, one of a pair is missing or there twice, a file is not of the documented
            shape, a question is there twice, or none can be scored.
    """
    here = [name for name in _SETS if found(data, f"{name}*.json")]
    if not here:
        raise UsageError(
            f"{data}: no file matches {' or '.join(f'{name}*.json' for name in _SETS)}, packed or not",
            "give the folder that holds the set's files",
        )
    return data_of([_corpus(data, name, _SETS[name]) for name in here], data)


def _corpus(data: Path, name: str, of: _Set) -> tuple[Corpus, Counter[str]]:
    passages = shaped(the_file(data, f"{name}*{CORPUS}"), of.passages)
    texts = dict(passages)
    questions = the_file(data, f"{name}*.json", but=f"*{CORPUS}")
    return corpus_of(
        name, passages, shaped(questions, lambda content: [of.question(row, texts) for row in rows(content)])
    )


def _hotpotqa_passages(content: str) -> Passages:
    """Sentences bring their own spaces."""
    corpus = json.loads(content)
    if isinstance(corpus, list):
        return _musique_passages(content)
    if not isinstance(corpus, dict):
        raise TypeError(f"not an object of titles: {corpus!r:.200}")
    return [(title, "".join(sentences)) for title, sentences in corpus.items()]


def _hotpotqa_question(row: dict[str, object], texts: dict[str, str]) -> Asked:
    """A title that is not in the corpus stands for a passage that is not there."""
    titles = first_parts(row["supporting_facts"])
    return Asked(
        text(row, "_id"), text(row, "question"), "hotpotqa", tuple((title, texts.get(title, "")) for title in titles)
    )


def _musique_passages(content: str) -> Passages:
    return [(text(row, "title"), text(row, "text")) for row in rows(content)]


def _musique_question(row: dict[str, object], texts: dict[str, str]) -> Asked:  # noqa: ARG001 - known by their texts
    supporting = [each for each in listed(row, "paragraphs") if _supports(each)]
    return Asked(
        text(row, "id"),
        text(row, "question"),
        "musique",
        tuple((text(each, "title"), text(each, "paragraph_text")) for each in supporting),
    )


def _supports(paragraph: dict[str, object]) -> bool:
    value = paragraph["is_supporting"]
    if not isinstance(value, bool):
        raise TypeError(f"is_supporting: {value!r:.200}")
    return value


_SETS = {
    "hotpotqa": _Set(_hotpotqa_passages, _hotpotqa_question),
    "musique": _Set(_musique_passages, _musique_question),
}
