"""The suite ``longmemeval``: the sessions with an assistant that answer, in one pool or in each question's haystack.

``DIR`` holds one of two forms; source of both: xiaowu0162/LongMemEval (MIT).

- Pooled: one ``questions_*.json`` ([{question_id, question_type, abstention, question, gold_sessions}]) and
  ``sessions.jsonl`` or ``sessions.jsonl.gz``, a line a session: {session_id, date, turns [{role, content}]}.
- Official: one ``longmemeval_*.json`` ([{question_id, question_type, question, haystack_session_ids, haystack_dates,
  haystack_sessions [[{role, content}]], answer_session_ids}]), see ``official``.

The question's date and the marked turns are not read.  An item is a session, both roles are stored.  Abstention
questions have sessions that resemble what is asked but do not answer: they are left out.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Corpus, Data, Question
from memory_fabric.evals.suites.datafiles import found, json_lines, rows, shaped, the_file
from memory_fabric.evals.suites.fields import NO_EVIDENCE, QUESTIONS, data_of, listed, moment, text, unique
from memory_fabric.evals.suites.items import conversation
from memory_fabric.evals.suites.official import WHEN, Instance, instance, pool
from memory_fabric.model.memory import Memory
from memory_fabric.model.record import Conversation, Said

ABSTENTION = "abstention"

SESSIONS = "sessions.jsonl"
OFFICIAL = "longmemeval_*.json"
"""``longmemeval_s.json``, ``longmemeval_s_cleaned.json``, ``longmemeval_m.json``, ``longmemeval_oracle.json``."""


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
    pooled, official = found(data, SESSIONS), found(data, OFFICIAL)
    if pooled and official:
        names = ", ".join(path.name for path in (*pooled, *official))
        raise UsageError(f"{data}: files of both forms: {names}", "give a folder that holds one of them")
    if not pooled and not official:
        raise UsageError(f"{data}: neither {SESSIONS} nor {OFFICIAL}, packed or not", "unpack the set's files into it")
    return _pooled(data, merged=merged) if pooled else _official(the_file(data, OFFICIAL), merged=merged)


def _pooled(data: Path, *, merged: bool) -> Data:
    asked, place = the_file(data, *QUESTIONS), the_file(data, SESSIONS)
    sessions = shaped(place, lambda content: tuple(map(_session, json_lines(content))))
    unique(place, "session", (session.id for session in sessions))
    left_out: Counter[str] = Counter()
    questions = shaped(asked, lambda content: tuple(map(_asked, rows(content))))
    return data_of(asked, [_corpus("pool", sessions, questions, left_out, merged=merged)], left_out)


def _official(path: Path, *, merged: bool) -> Data:
    """A corpus a question; one for all where the haystacks hold evidence alone, since nothing could be missed there."""
    left_out: Counter[str] = Counter()
    asked, shared = shaped(path, _instances)
    if shared:
        return data_of(path, [_corpus("pool", shared, asked, left_out, merged=merged)], left_out)
    corpora = [_corpus(each.id, each.haystack, (each,), left_out, merged=merged) for each in asked]
    return data_of(path, [corpus for corpus in corpora if corpus.questions], left_out)


def _instances(content: str) -> tuple[tuple[Instance, ...], tuple[Conversation, ...]]:
    asked = tuple(map(instance, rows(content)))
    return asked, pool(asked)


def _corpus(
    name: str,
    sessions: tuple[Conversation, ...],
    asked: tuple[Instance, ...],
    left_out: Counter[str],
    *,
    merged: bool,
) -> Corpus:
    names = _same(sessions) if merged else {session.id: session.id for session in sessions}
    questions = []
    for each in asked:
        items = frozenset(names.get(id_, id_) for id_ in each.gold)
        reason = ABSTENTION if each.abstention else None if items else NO_EVIDENCE
        if reason:
            left_out[reason] += 1
            continue
        questions.append(Question(each.id, each.text, items, (each.kind,)))
    return Corpus(name, sessions, tuple(questions), partial(_item, names))


def _session(row: dict[str, Any]) -> Conversation:
    turns = tuple(Said(text(turn, "role"), text(turn, "content")) for turn in listed(row, "turns"))
    return Conversation(text(row, "session_id"), turns, at=moment(row.get("date"), WHEN))


def _asked(row: dict[str, Any]) -> Instance:
    return Instance(
        text(row, "question_id"),
        text(row, "question"),
        text(row, "question_type"),
        frozenset(map(str, listed(row, "gold_sessions"))),
        bool(row.get("abstention")),
    )


def _same(sessions: tuple[Conversation, ...]) -> dict[str, str]:
    """Session → the first session with the same turns."""
    first: dict[tuple[Said, ...], str] = {}
    return {session.id: first.setdefault(session.turns, session.id) for session in sessions}


def _item(names: Mapping[str, str], memory: Memory) -> str:
    id_ = conversation(memory)
    return names.get(id_, id_)
