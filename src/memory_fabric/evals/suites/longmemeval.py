"""The suite ``longmemeval``: the sessions with an assistant that answer, in one pool for all questions.

``DIR`` holds one ``questions_*.json`` ([{question_id, question_type, abstention, question, gold_sessions}]) and
``sessions.jsonl`` or ``sessions.jsonl.gz``, a line a session: {session_id, date, turns [{role, content}]}.  Source:
xiaowu0162/LongMemEval (MIT), sessions under ids that say nothing.

The question's date and the marked turns are not read.  An item is a session, both roles are stored.  Abstention
questions have sessions that resemble what is asked but do not answer: they are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from memory_fabric.evals.suite import Corpus, Data, Question
from memory_fabric.evals.suites.datafiles import json_lines, rows, shaped, the_file
from memory_fabric.evals.suites.fields import NO_EVIDENCE, QUESTIONS, data_of, listed, moment, text, unique
from memory_fabric.evals.suites.items import conversation
from memory_fabric.model.memory import Memory
from memory_fabric.model.record import Conversation, Said

ABSTENTION = "abstention"

_WHEN = "%Y/%m/%d (%a) %H:%M"


def read(data: Path) -> Data:
    """Scored by the sessions' ids.

    Raises:
        UsageError: a file is missing, is there twice, or is not of the documented shape; it is named.
    """
    return _read(data, merged=False)


def read_merged(data: Path) -> Data:
    """Sessions of identical text are one item, under the id that comes first: which of them is found is chance.

    Raises:
        UsageError: as ``read``.
    """
    return _read(data, merged=True)


def _read(data: Path, *, merged: bool) -> Data:
    asked, pool = the_file(data, *QUESTIONS), the_file(data, "sessions.jsonl")
    sessions = shaped(pool, lambda content: tuple(map(_session, json_lines(content))))
    unique(pool, "session", (session.id for session in sessions))
    names = _same(sessions) if merged else {session.id: session.id for session in sessions}
    left_out: Counter[str] = Counter()
    questions = shaped(asked, lambda content: _questions(rows(content), names, left_out))
    return data_of(asked, [Corpus("pool", sessions, questions, partial(_item, names))], left_out)


def _session(row: dict[str, Any]) -> Conversation:
    turns = tuple(Said(text(turn, "role"), text(turn, "content")) for turn in listed(row, "turns"))
    return Conversation(text(row, "session_id"), turns, at=moment(row.get("date"), _WHEN))


def _same(sessions: tuple[Conversation, ...]) -> dict[str, str]:
    """Session → the first session with the same turns."""
    first: dict[tuple[Said, ...], str] = {}
    return {session.id: first.setdefault(session.turns, session.id) for session in sessions}


def _item(names: Mapping[str, str], memory: Memory) -> str:
    id_ = conversation(memory)
    return names.get(id_, id_)


def _questions(found: list[dict[str, Any]], names: Mapping[str, str], left_out: Counter[str]) -> tuple[Question, ...]:
    questions = []
    for row in found:
        items = frozenset(names.get(id_, id_) for id_ in map(str, listed(row, "gold_sessions")))
        reason = ABSTENTION if row.get("abstention") else None if items else NO_EVIDENCE
        if reason:
            left_out[reason] += 1
            continue
        questions.append(
            Question(text(row, "question_id"), text(row, "question"), items, (text(row, "question_type"),))
        )
    return tuple(questions)
