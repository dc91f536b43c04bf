"""The suite ``locomo``: the turns of a long conversation between two people that answer a question.

``DIR`` holds one ``locomo_*.json``, or the official ``locomo10.json`` (snap-research/LoCoMo, CC BY-NC 4.0: read, never
copied here): [{sample_id, conversation {session_N [{speaker, dia_id, text, blip_caption?}], session_N_date_time},
qa [{question, evidence [dia_id], category}]}].  Summaries and observations, which a model wrote, are not read.

A corpus is one conversation, a turn's text is "text [image: caption]".  Evidence rule: every "D3:7" that stands in the
evidence and, without leading zeros, names a turn of the conversation, once each; a question without any is left out.
Over the ten conversations this leaves 1,982 of 1,986 questions and 2,819 pieces of evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from memory_fabric.evals.suite import Corpus, Data, Question
from memory_fabric.evals.suites.datafiles import rows, shaped, the_file
from memory_fabric.evals.suites.fields import NO_EVIDENCE, QUESTIONS, data_of, listed, moment, text, unique
from memory_fabric.evals.suites.items import conversation, record
from memory_fabric.model.memory import Memory
from memory_fabric.model.record import Conversation, Said

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
"""Numbers of the official file, and the names of the paper."""

ADVERSARIAL = "adversarial"
"""Asks what the conversation does not say about that person; its evidence is the turn that misleads."""

ANSWERABLE = "answerable"
"""All but the adversarial questions."""

_SESSION = re.compile(r"session_(\d+)")
_TURN = re.compile(r"D(\d+):(\d+)")
_WHEN = "%I:%M %p on %d %B, %Y"


def read(data: Path) -> Data:
    """Turn level: an item is a turn.

    Raises:
        UsageError: a file is missing, is there twice, or is not of the documented shape; it is named.
    """
    return _read(data, record, lambda turn, _: turn)


def read_sessions(data: Path) -> Data:
    """Session level: a session stands where its first turn stands, and the gold is the sessions of the gold turns.

    Raises:
        UsageError: as ``read``.
    """
    return _read(data, conversation, lambda _, session: session)


def _read(data: Path, item: Callable[[Memory], str], gold: Callable[[str, str], str]) -> Data:
    path = the_file(data, *QUESTIONS, "locomo10.json")
    left_out: Counter[str] = Counter()
    corpora = shaped(path, lambda content: tuple(_corpus(row, item, gold, left_out) for row in rows(content)))
    unique(path, "conversation", (corpus.name for corpus in corpora))
    return data_of(path, corpora, left_out)


def _corpus(
    row: dict[str, Any], item: Callable[[Memory], str], gold: Callable[[str, str], str], left_out: Counter[str]
) -> Corpus:
    name = text(row, "sample_id")
    said = row["conversation"]
    if not isinstance(said, dict):
        raise TypeError(f"conversation of {name}")
    sessions = tuple(_sessions(name, said))
    items = {_plain(turn.id): gold(turn.id, session.id) for session in sessions for turn in session.turns}
    questions = []
    for number, asked in enumerate(listed(row, "qa"), 1):
        found = frozenset(items[id_] for id_ in _ids(asked.get("evidence")) if id_ in items)
        if not found:
            left_out[NO_EVIDENCE] += 1
            continue
        questions.append(
            Question(f"{name}/{number}", text(asked, "question"), found, _categories(asked["category"]), name)
        )
    return Corpus(name, sessions, tuple(questions), item)


def _sessions(name: str, said: Mapping[str, Any]) -> Iterable[Conversation]:
    """In their order; a date without a session, which the file has, is none."""
    numbers = sorted(int(found[1]) for key in said if (found := _SESSION.fullmatch(key)))
    for number in numbers:
        key = f"session_{number}"
        turns = tuple(map(_turn, listed(said, key)))
        yield Conversation(f"{name}/{key}", turns, at=moment(said.get(f"{key}_date_time"), _WHEN))


def _turn(row: dict[str, Any]) -> Said:
    caption = row.get("blip_caption")
    words = text(row, "text")
    return Said(text(row, "speaker"), f"{words} [image: {caption}]".strip() if caption else words, text(row, "dia_id"))


def _plain(id_: str) -> tuple[int, int]:
    """Session and turn of an id.

    Raises:
        ValueError: it is no such id.
    """
    found = _TURN.fullmatch(id_)
    if found is None:
        raise ValueError(f"{id_!r} is no turn's id")
    return int(found[1]), int(found[2])


def _ids(evidence: object) -> Iterable[tuple[int, int]]:
    """Every turn that evidence names, however it is written: a list of strings, some with several ids."""
    strings = evidence if isinstance(evidence, list) else [evidence]
    return ((int(session), int(turn)) for each in strings for session, turn in _TURN.findall(str(each)))


def _categories(number: object) -> tuple[str, ...]:
    if not isinstance(number, int) or number not in CATEGORIES:
        raise ValueError(f"category {number!r}")
    name = CATEGORIES[number]
    return (name,) if name == ADVERSARIAL else (name, ANSWERABLE)
