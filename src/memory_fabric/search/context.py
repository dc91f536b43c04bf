"""What a new session should know of its project, within a token budget (F-CMD-9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Session, Statement, StatementKind
from memory_fabric.model.query import Scope
from memory_fabric.search.history import HistoryItem, history
from memory_fabric.text import fold, split_exchange

if TYPE_CHECKING:
    from memory_fabric.ports import Store

DECISIONS, PROBLEMS, SESSIONS, PREFERENCES = 5, 3, 5, 3
"""Items of each kind at most (F-CMD-9: 5 decisions, 3 blockers, 5 recent)."""

CHARACTERS_PER_TOKEN = 4
"""Rough size of a token in English text; budgets are kept on the safe side of it."""

OPEN_FOR = timedelta(minutes=30)
"""A problem counts as open when its session ended within this time of it: nobody worked on after it."""

LOOKED_AT = 300
"""Newest memories among which the recent sessions are looked for: a long session alone has a hundred."""

TELLING = 15
"""Characters of a prompt that can stand for a session: "yes, do it" cannot, unless nothing else was said."""

LINE = 240
"""Characters of one item."""


Item = tuple[str, MemoryId]
"""One line, and the memory that it was taken from."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its items, whole items only."""

    title: str
    items: tuple[str, ...]
    ids: tuple[MemoryId, ...] = ()
    """The memory that each item was taken from."""


@dataclass(frozen=True, slots=True)
class Context:
    """Sections in the order of their worth, and how many items the budget left out."""

    sections: tuple[Section, ...]
    tokens: int
    left_out: int

    @property
    def text(self) -> str:
        """Markdown, quoted as data with dates (F-HOOK-4)."""
        return "\n\n".join(
            "\n".join((f"## {section.title}", *(f"- {item}" for item in section.items))) for section in self.sections
        )


def load(store: Store, scope: Scope, budget: int = 2000) -> Context:
    """Recent decisions that still hold, open problems, standing preferences and recent sessions of a scope."""
    decisions = _distinct(item for item in history(store, scope, limit=40) if item.superseded_by is None)
    preferences = _distinct(history(store, scope, (StatementKind.PREFERENCE,), limit=20))
    recent = store.recent(scope, LOOKED_AT)
    sections = [
        ("Decisions", [_told(item, often) for item, often in decisions][:DECISIONS]),
        ("Open problems", [_item(memory, problem.text) for memory, problem in _open_problems(store, scope)][:PROBLEMS]),
        ("Preferences", [_told(item, often) for item, often in preferences][:PREFERENCES]),
        ("Recent work", list(_sessions(store, recent))[:SESSIONS]),
    ]
    return _within(sections, budget)


def _within(sections: Iterable[tuple[str, list[Item]]], budget: int) -> Context:
    left, used, kept, left_out = budget * CHARACTERS_PER_TOKEN, 0, [], 0
    for title, items in sections:
        chosen: list[Item] = []
        for item in items:
            cost = len(item[0]) + 3 + (0 if chosen else len(title) + 5)
            if used + cost > left:
                left_out += 1
                continue
            chosen.append(item)
            used += cost
        if chosen:
            kept.append(Section(title, tuple(line for line, _ in chosen), tuple(id_ for _, id_ in chosen)))
    return Context(tuple(kept), -(-used // CHARACTERS_PER_TOKEN), left_out)


def _distinct(items: Iterable[HistoryItem]) -> list[tuple[HistoryItem, int]]:
    """The same words once, told by the newest, with the number of memories that say them (C-146)."""
    newest: dict[str, HistoryItem] = {}
    said: dict[str, set[MemoryId]] = {}
    for item in items:
        words = fold(item.statement.text)
        newest.setdefault(words, item)
        said.setdefault(words, set()).add(item.memory.id)
    return [(item, len(said[words])) for words, item in newest.items()]


def _told(item: HistoryItem, often: int) -> Item:
    return _item(item.memory, item.statement.text, f"said {often} times; " if often > 1 else "")


def _open_problems(store: Store, scope: Scope) -> Iterator[tuple[Memory, Statement]]:
    """Problems that the user reported at the end of a session."""
    rows = store.statements((StatementKind.PROBLEM,), scope, 60)
    ends = store.sessions(list({memory.origin.session for memory, _ in rows}))
    for memory, statement in rows:
        session = ends.get(memory.origin.session)
        if statement.speaker == "user" and session is not None and _last_words(memory, session):
            yield memory, statement


def _last_words(memory: Memory, session: Session) -> bool:
    return memory.at is not None and session.ended_at is not None and session.ended_at - memory.at <= OPEN_FOR


def _sessions(store: Store, recent: Iterable[Memory]) -> Iterator[Item]:
    """One line a session, newest first: its title, or the first thing asked in it, as far back as ``recent`` goes."""
    newest: dict[str, Memory] = {}
    asked: dict[str, str] = {}
    for memory in recent:
        if not memory.metadata.get("sidechain"):
            newest.setdefault(memory.origin.session, memory)
            prompt = split_exchange(memory.text)[0]
            known_so_far = asked.get(memory.origin.session, "")
            if memory.kind is not MemoryKind.SUMMARY and len(prompt) >= min(TELLING, len(known_so_far)):
                asked[memory.origin.session] = prompt
    known = store.sessions([memory.origin.session for memory in newest.values()])
    for memory in newest.values():
        session = known.get(memory.origin.session)
        title = (session.title if session else None) or asked.get(memory.origin.session)
        if title:
            yield _item(memory, title)


def _item(memory: Memory, text: str, note: str = "") -> Item:
    day = f"{memory.at:%Y-%m-%d}: " if memory.at else ""
    line = " ".join(text.split())
    short = line if len(line) <= LINE else line[: LINE - 1].rstrip() + "…"
    return f"{day}{short} ({note}{memory.id})", memory.id
