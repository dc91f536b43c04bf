"""The suite ``beam``: the messages of a long chat with an assistant that answer a probing question.

``DIR`` holds a folder for each conversation (or one folder that holds them): ``chat.json`` [{batch_number, turns
[[{role, id, time_anchor?, content}]]}], ``chat_trunecated.json`` (sic) where the authors cut it, which is then read
instead, and ``probing_questions.json`` {ability: [{question, source_chat_ids}]}, which the authors keep in a folder
``probing_questions``.  Source: mohammadtavakoli78/BEAM, CC BY-SA 4.0: read, never copied here.

A corpus is one conversation, an item a message.  A batch, months after the one before it, is stored as a conversation
at the time that its first anchor gives.  ``source_chat_ids`` are ids in lists and dictionaries of any depth; those that
the chat does not hold are dropped, and a question without any is left out.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Corpus, Data, Question
from memory_fabric.evals.suites.datafiles import rows, shaped, the_file
from memory_fabric.evals.suites.fields import NO_EVIDENCE, data_of, listed, moment, text, unique
from memory_fabric.evals.suites.items import record
from memory_fabric.model.record import Conversation, Said

FIVE = frozenset(
    {
        "information_extraction",
        "temporal_reasoning",
        "knowledge_update",
        "contradiction_resolution",
        "multi_session_reasoning",
    }
)
"""Abilities that search can serve, says the README of the evaluation data; reported as ``five``."""

SIX = FIVE | {"preference_following"}
"""Those that issue 4 names its aim for; reported as ``six``."""

ABSTENTION = "abstention"

CHATS = ("chat_trunecated.json", "chat.json")
"""The first that is there is read."""

_ASKED = "probing_questions.json"
_APART = "probing_questions"
_WHEN = "%B-%d-%Y"
_MARK = re.compile(r"\s*->->[\s\d,]*\)?\s*\Z")
"""What the generator left behind a user's message, such as `` ->-> 1,2``: nobody wrote it."""


def read(data: Path) -> Data:
    """Message level, within one conversation.

    Raises:
        UsageError: a file is missing, is there twice, or is not of the documented shape; it is named.
    """
    folders = _folders(data)
    left_out: Counter[str] = Counter()
    return data_of(data, [_corpus(folder, left_out) for folder in folders], left_out)


def _folders(data: Path) -> list[Path]:
    """Folders of conversations, in the order of their numbers."""
    for below in (f"*/{_APART}", "*", f"*/*/{_APART}", "*/*"):
        found = {path.parents[below.endswith(_APART)] for path in data.glob(f"{below}/{_ASKED}*")}
        if found:
            return sorted(found, key=lambda folder: (len(folder.name), folder.name))
    raise UsageError(f"{data}: no folder in it holds a {_ASKED}", "unpack the set's archive and give its folder")


def _corpus(folder: Path, left_out: Counter[str]) -> Corpus:
    path = _chat(folder)
    batches = shaped(path, lambda content: tuple(_batch(folder.name, row) for row in rows(content)))
    ids = [turn.id for batch in batches for turn in batch.turns]
    unique(path, "message", ids)
    asked = the_file(folder / _APART if (folder / _APART).is_dir() else folder, _ASKED)
    questions = shaped(asked, lambda content: tuple(_questions(folder.name, content, frozenset(ids), left_out)))
    return Corpus(folder.name, batches, questions, record)


def _chat(folder: Path) -> Path:
    cut, whole = CHATS
    return the_file(folder, cut if any((folder / name).exists() for name in (cut, f"{cut}.gz")) else whole)


def _batch(name: str, row: dict[str, Any]) -> Conversation:
    messages = [message for group in listed(row, "turns") for message in group]
    anchors = [row.get("time_anchor"), *(message.get("time_anchor") for message in messages)]
    times = (moment(anchor, _WHEN) for anchor in anchors if anchor)
    return Conversation(
        f"{name}/batch_{row['batch_number']}",
        tuple(Said(text(each, "role"), _MARK.sub("", text(each, "content")), str(each["id"])) for each in messages),
        at=next((at for at in times if at is not None), None),
    )


def _questions(name: str, content: str, ids: frozenset[str], left_out: Counter[str]) -> Iterator[Question]:
    for ability, probes in dict(json.loads(content)).items():
        for number, probe in enumerate(probes, 1):
            gold = frozenset(_flat(probe.get("source_chat_ids"))) & ids
            reason = ABSTENTION if ability == ABSTENTION else None if gold else NO_EVIDENCE
            if reason:
                left_out[reason] += 1
                continue
            yield Question(f"{name}/{ability}/{number}", text(probe, "question"), gold, _categories(ability), name)


def _flat(ids: object) -> Iterator[str]:
    """Ids in lists and dictionaries of any depth."""
    if isinstance(ids, dict):
        ids = list(ids.values())
    if isinstance(ids, list):
        for each in ids:
            yield from _flat(each)
    elif ids is not None:
        yield str(ids)


def _categories(ability: str) -> tuple[str, ...]:
    return (ability, *(name for name, abilities in (("five", FIVE), ("six", SIX)) if ability in abilities))
