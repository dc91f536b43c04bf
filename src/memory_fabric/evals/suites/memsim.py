"""The suite ``memsim``: MemDaily of MemSim, Chinese; which of a person's messages answer a question.

``DIR`` holds one ``trajectories_*.jsonl`` (also ``.gz``), a trajectory a line: {file, tid, message_list [{mid,
message, time}], question_list [{qid, question, target_step_id [mid]}]}.  Source: nuster1128/MemSim, no licence found:
read, never copied here.

A corpus is one trajectory, about nine messages; an item is a message.  Short lists: for how text is cut into words
(README of the evaluation data).  Reported by the kind of question and by what it is about (``06_noisy_roles``: both).
"""

from __future__ import annotations

import re
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_fabric.evals.suite import Corpus, Data, Question
from memory_fabric.evals.suites.datafiles import json_lines, shaped, the_file
from memory_fabric.evals.suites.fields import NO_EVIDENCE, data_of, listed, moment, text, unique
from memory_fabric.evals.suites.items import record
from memory_fabric.model.record import Conversation, Said

_KIND = re.compile(r"\d+_(?P<kind>[a-z_]+)_(?P<about>[a-z]+)")
_TIME = re.compile(r"\d+")
_WHEN = "%Y %m %d %H %M"


def read(data: Path) -> Data:
    """Message level, within one trajectory.

    Raises:
        UsageError: the file is missing, is there twice, or is not of the documented shape; a trajectory is there twice.
    """
    path = the_file(data, "trajectories_*.jsonl", "trajectories.jsonl")
    left_out: Counter[str] = Counter()
    corpora = shaped(path, lambda content: [_corpus(row, left_out) for row in json_lines(content)])
    unique(path, "trajectory", (corpus.name for corpus in corpora))
    return data_of(path, corpora, left_out)


def _corpus(row: dict[str, Any], left_out: Counter[str]) -> Corpus:
    file = text(row, "file")
    name = f"{file}/{row['tid']}"
    turns = tuple(_turn(message) for message in listed(row, "message_list"))
    ids = frozenset(turn.id for turn in turns)
    questions = []
    for asked in listed(row, "question_list"):
        gold = frozenset(map(str, listed(asked, "target_step_id"))) & ids
        if not gold:
            left_out[NO_EVIDENCE] += 1
            continue
        questions.append(Question(f"{name}/{asked['qid']}", text(asked, "question"), gold, _categories(file), name))
    return Corpus(name, (Conversation(name, turns),), tuple(questions), record)


def _turn(row: dict[str, Any]) -> Said:
    return Said("user", text(row, "message"), str(row["mid"]), at=_moment(text(row, "time")))


def _moment(written: str) -> datetime | None:
    """The instant in "2024年04月01日 周一 08:37", taken as UTC; None for all else."""
    return moment(" ".join(_TIME.findall(written)), _WHEN)


def _categories(file: str) -> tuple[str, ...]:
    found = _KIND.fullmatch(file)
    if found is None:
        raise ValueError(f"file {file!r}")
    return (found["kind"], found["about"])
