"""The suite ``2wiki``: 2WikiMultihopQA over HippoRAG's 6,119 passages; which of them hold an answer's facts.

Shapes: ``2wiki-hipporag`` of the evaluation data, or HippoRAG's own files.  ``DIR`` holds one ``corpus.json``
([{title, text}], titles unique; also ``2wikimultihopqa_corpus.json``) and one ``questions_*.json`` ([{id, type,
question, gold_titles}]; also ``2wikimultihopqa.json`` with ``_id`` and ``supporting_facts`` [[title, sentence]]), each
also as ``.gz``.  Answers and evidence triples are never read.
"""

from __future__ import annotations

from pathlib import Path

from memory_fabric.evals.suite import Data
from memory_fabric.evals.suites.datafiles import rows, shaped, the_file
from memory_fabric.evals.suites.fields import text, unique
from memory_fabric.evals.suites.passages import Asked, corpus_of, data_of, first_parts


def read(data: Path) -> Data:
    """One corpus; gold by title; types (compositional, comparison, bridge_comparison, inference) as categories.

    Raises:
        UsageError: a file is missing, is there twice or is not of the documented shape; a title or a question is there
            twice; no question can be scored.
    """
    path = the_file(data, "corpus.json", "2wikimultihopqa_corpus.json")
    passages = shaped(path, lambda content: [(text(row, "title"), text(row, "text")) for row in rows(content)])
    unique(path, "title", (title for title, _ in passages))
    texts = dict(passages)
    questions = the_file(data, "questions_*.json", "2wikimultihopqa.json")
    asked = shaped(questions, lambda content: [_asked(row, texts) for row in rows(content)])
    return data_of([corpus_of("2wiki", passages, asked)], data)


def _asked(row: dict[str, object], texts: dict[str, str]) -> Asked:
    """A title that is not in the corpus stands for a passage that is not there."""
    titles = row["gold_titles"] if "gold_titles" in row else first_parts(row["supporting_facts"])
    if not isinstance(titles, list) or not all(isinstance(title, str) for title in titles):
        raise TypeError(f"titles: {titles!r:.200}")
    return Asked(
        text(row, "id" if "id" in row else "_id"),
        text(row, "question"),
        text(row, "type"),
        tuple((title, texts.get(title, "")) for title in titles),
    )
