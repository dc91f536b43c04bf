"""A question, parsed once at the edge."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from memory_fabric.model.graph import EntityId
from memory_fabric.model.memory import ProjectId


class Intent(StrEnum):
    """What the question is after (F-PARSE-6); favours kinds of statement, never sets the graph's weight."""

    DECISION = "decision"
    PATTERN = "pattern"
    PREFERENCE = "preference"
    PROBLEM = "problem"
    QUESTION = "question"
    RECENT = "recent"
    GENERAL = "general"


class Mode(StrEnum):
    """Which retrievers may answer (F-ROUTE-1, design §7)."""

    AUTO = "auto"
    HYBRID = "hybrid"
    VECTOR = "vector"
    GRAPH = "graph"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Window:
    """A span of time, ``since`` inclusive, ``before`` exclusive; None is open."""

    since: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """What may be found; every source applies it in its base query (decision 10, C-148)."""

    projects: tuple[ProjectId, ...] | None = None
    """None is all projects; an empty tuple finds nothing."""
    window: Window = Window()
    """Hard limits given by the user (``--since``, ``--before``); the question's own time words only favour."""
    kinds: tuple[str, ...] = ()
    """Memory kinds or statement kinds; empty is all."""
    categories: tuple[str, ...] = ()
    as_of: datetime | None = None
    """Facts as they were believed then; None is now."""
    superseded: bool = False
    """Also show facts that were superseded."""


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed question."""

    text: str
    """As asked."""
    semantic: str
    """Without stop words, question words and actor names (F-PARSE-3)."""
    terms: tuple[str, ...]
    """Analysed tokens for the full text (``text.analyse``), each once, in order."""
    entity_hints: tuple[str, ...]
    """Names of known entities in the question, longest first, at most 8 (F-PARSE-4, F-TRAV-9)."""
    intent: Intent
    window: Window | None
    """The time the question asks about (F-PARSE-8), or None."""
    scope: Scope
    now: datetime
    named: frozenset[EntityId] = frozenset()
    """Files, commits and other artifacts of the graph that the question names: what touched them answers it."""
    around: datetime | None = None
    """An instant that the question is about, beside its words: a commit's, a ticket's.  What lies near it is lifted."""
    all_projects: bool = False
    """The question itself widened its scope (F-PARSE-9)."""
