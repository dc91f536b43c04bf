"""The suite ``languages``: the same memories and the same questions in several languages, a store a language.

``DIR`` holds one ``parallel.json``: {languages [code], conversations [{id, at, turns [{id, speaker, CODE…}]}],
documents [{id, title {CODE…}, text {CODE…}}], questions [{id, gold [id], CODE…}]}, with the text under each code.
``tests/quality/languages`` is such a folder.

An item is a turn or a document.  A question is reported under its language, and is called ``CODE/id``, so that the
answers of two languages can be compared question by question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Corpus, Data, Question
from memory_fabric.evals.suites.datafiles import shaped, strings, the_file
from memory_fabric.evals.suites.fields import data_of, listed, moment, text, unique
from memory_fabric.evals.suites.items import record
from memory_fabric.model.record import Conversation, Document, Said

_WHEN = "%Y-%m-%d"


def read(data: Path) -> Data:
    """A corpus a language, in the order in which the file lists them.

    Raises:
        UsageError: the file is missing or not of the documented shape, an id is there twice, or gold names no item.
    """
    path = the_file(data, "parallel.json")
    corpora = shaped(path, lambda content: tuple(_corpora(dict(json.loads(content)))))
    for corpus in corpora:
        items = _items(corpus)
        unique(path, "item", items)
        strange = {gold for question in corpus.questions for gold in question.gold}.difference(items)
        if strange:
            raise UsageError(f"{path}: gold {min(strange)} is no item", "name a turn or a document")
    return data_of(path, corpora, {})


def _corpora(content: Mapping[str, Any]) -> Iterator[Corpus]:
    for code in strings(listed(content, "languages")):
        chats = (_conversation(row, code) for row in listed(content, "conversations"))
        pages = (_document(row, code) for row in listed(content, "documents"))
        questions = tuple(_question(row, code) for row in listed(content, "questions"))
        yield Corpus(code, (*chats, *pages), questions, record)


def _conversation(row: Mapping[str, Any], code: str) -> Conversation:
    turns = (Said(text(turn, "speaker"), text(turn, code), text(turn, "id")) for turn in listed(row, "turns"))
    return Conversation(text(row, "id"), tuple(turns), at=moment(row.get("at"), _WHEN))


def _document(row: Mapping[str, Any], code: str) -> Document:
    return Document(text(row, "id"), text(row["text"], code), text(row["title"], code))


def _question(row: Mapping[str, Any], code: str) -> Question:
    name = text(row, "id")
    gold = frozenset(strings(listed(row, "gold")))
    if not gold:
        raise ValueError(f"{name}: no gold")
    return Question(f"{code}/{name}", text(row, code), gold, (code,))


def _items(corpus: Corpus) -> list[str]:
    found: list[str] = []
    for each in corpus.records:
        found.extend(turn.id for turn in each.turns) if isinstance(each, Conversation) else found.append(each.id)
    return found
