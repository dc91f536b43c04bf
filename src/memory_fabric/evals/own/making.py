"""What the makers of questions hand over: a set, and why other questions were not made."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeVar

from memory_fabric.evals.suite import Question

T = TypeVar("T")


class Bias(StrEnum):
    """The sets, and with it the retriever that each favours (F-EVAL-1)."""

    COMMITS = "commits"
    """The subject of a commit → the session that made it.  Favours vectors."""
    SINGLE_HOP = "single-hop"
    """Vague words → the passage that they are about (F-EVAL-2).  Favours vectors."""
    CROSS_SESSION = "cross-session"
    """A thing, and what one session says beside it → the passages about it in the others (F-EVAL-3).  Favours the
    graph."""


@dataclass(frozen=True, slots=True)
class Made:
    """The questions of one set."""

    bias: Bias
    questions: tuple[Question, ...]
    skipped: Counter[str] = field(default_factory=Counter)
    """Reason → what no question was made of; skipping is allowed, and counted (F-EVAL-2)."""
    gold_from: Counter[str] = field(default_factory=Counter)
    """How the right answers are known → questions."""
    known: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Question → passages that it takes for known: those of the session that its hint is from."""


def draw(values: Iterable[T], id_of: Callable[[T], str]) -> list[T]:
    """In an order that is chance, and the same each time: by the SHA-256 of their ids."""
    return sorted(values, key=lambda value: hashlib.sha256(id_of(value).encode()).hexdigest())


def short_id(bias: Bias, key: str) -> str:
    """A question's id, from which nothing can be read."""
    return f"{bias.value}-{hashlib.sha256(key.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
