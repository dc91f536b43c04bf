"""A question becomes a ``Query``: topic words, entity hints, intent, time (F-PARSE-1).  Never raises on any text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from memory_fabric import text as texts
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import Entity
from memory_fabric.model.query import Intent, Query, Scope, Window
from memory_fabric.model.vocabulary import Kind
from memory_fabric.search.timewords import window_of, without_time

MAX_HINTS = 8
"""Entities that a question may start from (F-TRAV-9)."""

MAX_NAME_WORDS = 4
"""Longest name, in words, that is looked up in the graph."""

MAX_CHARACTERS = 8000
"""How much of a question is read; a prompt with a pasted file in it is a question to its hook too."""

MAX_TERMS = 64
"""Analysed words that are searched; a pasted page is cut here."""

ACTIVITY = frozenset(
    "work worked working happen happened happening activity progress recent recently lately latest newest session "
    "sessions everything anything week month day last past previous early late end beginning".split()
)
"""Words that ask what was going on, not about what; alone beside a time they name no topic."""

FindEntities = Callable[[Sequence[str]], Sequence[Entity]]
"""Entities of the graph by name or alias (``ports.Graph.find``)."""


def parse(
    question: str, lexicon: Lexicon, find: FindEntities, scope: Scope, now: datetime, around: datetime | None = None
) -> Query:
    """The parsed question; an empty one asks for recent memories, or for those near ``around`` (F-PARSE-7)."""
    text, wider = _without_scope_words(texts.clean(question), lexicon)
    asked = text[:MAX_CHARACTERS]
    spotted = lexicon.spot(asked)
    actors = {word for item in spotted if lexicon.is_agent(item.canonical) for word in texts.words(item.name)}
    window, intent = window_of(asked, now), _intent(asked, lexicon)
    topic = _topic_words(without_time(asked, now))
    if (window or around or intent is Intent.RECENT) and ACTIVITY.issuperset(word.casefold() for word in topic):
        topic, intent = [], Intent.RECENT
    semantic = " ".join(word for word in topic if not actors.issuperset(texts.words(word))) or " ".join(topic)
    hints = [item.canonical for item in spotted]
    known = find(_names(asked))
    hints += [entity.name for entity in known]
    hints += [word for word in texts.words(asked) if word in lexicon.topics]
    return Query(
        text=text.strip(),
        semantic=semantic,
        terms=tuple(dict.fromkeys(texts.analyse(semantic)))[:MAX_TERMS],
        entity_hints=_strongest(hints),
        intent=intent,
        window=window if topic else None,
        scope=replace(
            scope,
            projects=None if wider else scope.projects,
            window=scope.window if topic or window is None else _within(scope.window, window),
        ),
        now=now,
        named=frozenset(entity.id for entity in known if entity.kind is Kind.ARTIFACT),
        around=around,
        all_projects=wider,
    )


def _without_scope_words(text: str, lexicon: Lexicon) -> tuple[str, bool]:
    """The question without the phrases that widen its scope, and whether there were any (F-PARSE-9)."""
    phrases = "|".join(map(re.escape, sorted(lexicon.wider_scope, key=len, reverse=True)))
    shorter, count = re.subn(rf"(?<!\w)(?:across )?(?:{phrases})(?!\w)", " ", text, flags=re.IGNORECASE)
    return shorter, count > 0


def _within(limits: Window, asked: Window) -> Window:
    """The time asked about, inside the limits that the user set; empty, never inverted, where they do not meet."""
    since = max((at for at in (limits.since, asked.since) if at is not None), default=None)
    before = min((at for at in (limits.before, asked.before) if at is not None), default=None)
    return Window(since, max(since, before) if since and before else before)


def _intent(text: str, lexicon: Lexicon) -> Intent:
    """The first intent one of whose words or phrases stands in the question."""
    plain = f" {' '.join(texts.words(text))} "
    for intent, phrases in lexicon.intents.items():
        if any(f" {' '.join(texts.words(phrase))} " in plain for phrase in phrases):
            return Intent(intent)
    return Intent.GENERAL


def _topic_words(text: str) -> list[str]:
    """Words as written, without stop words and question words (F-PARSE-3)."""
    return [word for raw in text.split() if (word := raw.strip(".,;:!?\"'()[]{}")) and texts.analyse(word)]


def _names(text: str) -> list[str]:
    """Runs of up to four words that could be an entity's name; single stop words are none."""
    plain = [word.strip(".,;:!?\"'()[]{}`") for word in text.split()]
    runs = [
        " ".join(plain[start : start + length])
        for length in range(1, MAX_NAME_WORDS + 1)
        for start in range(len(plain) - length + 1)
    ]
    return list(dict.fromkeys(run for run in runs if len(run) > 1 and texts.analyse(run)))


def _strongest(names: Sequence[str]) -> tuple[str, ...]:
    """Each entity once: more words first, then longer, then by name; at most eight (F-TRAV-9)."""
    unique = {texts.entity_key(name): name for name in reversed(names)}
    ordered = sorted(unique.items(), key=lambda item: (-len(item[0].split()), -len(item[0]), item[0]))
    return tuple(name for _, name in ordered[:MAX_HINTS])
