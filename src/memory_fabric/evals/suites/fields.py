"""What stands in a suite's records, checked: texts, lists, times, no id twice, and something that is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from memory_fabric.clock import parse_instant
from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Corpus, Data

QUESTIONS = ("questions_*.json", "queries_*.json", "locomo_*.json")
"""Patterns of a set's file of questions (issue 4)."""

NO_EVIDENCE = "no usable evidence"
"""Why a question is left out: nothing that can be found is known to answer it."""


def text(row: Mapping[str, Any], key: str) -> str:
    """The string under a key.

    Raises:
        KeyError: it is not there.
        TypeError: something else is there.
    """
    value = row[key]
    if not isinstance(value, str):
        raise TypeError(f"{key}: {value!r:.100} is no text")
    return value


def listed(row: Mapping[str, Any], key: str) -> list[Any]:
    """The list under a key.

    Raises:
        KeyError: it is not there.
        TypeError: something else is there.
    """
    value = row[key]
    if not isinstance(value, list):
        raise TypeError(f"{key}: {value!r:.100} is no list")
    return value


def moment(value: object, form: str) -> datetime | None:
    """An instant as a set writes it (``form`` as for ``strptime``, taken as UTC) or in ISO 8601; None for all else.

    A record with a time that cannot be read is kept without one, as a user's would be: no measure depends on it.
    """
    try:
        return datetime.strptime(str(value), form).replace(tzinfo=UTC)
    except ValueError:
        return parse_instant(value)


def unique(path: Path, what: str, ids: Iterable[str]) -> None:
    """Nothing is there twice: answers are kept by question and memories by record, so one would replace the other.

    Raises:
        UsageError: an id is there twice.
    """
    twice = next((id_ for id_, count in Counter(ids).items() if count > 1), None)
    if twice is not None:
        raise UsageError(f"{path}: the {what} {twice} is there twice", "leave one out")


def data_of(path: Path, corpora: Sequence[Corpus], left_out: Mapping[str, int]) -> Data:
    """Corpora as a suite.

    Raises:
        UsageError: two questions have one id, or none can be scored.
    """
    ids = [question.id for corpus in corpora for question in corpus.questions]
    unique(path, "question", ids)
    if not ids:
        raise UsageError(f"{path}: it holds no question that can be scored", "see docs/commands.md")
    return Data(tuple(corpora), dict(left_out))
