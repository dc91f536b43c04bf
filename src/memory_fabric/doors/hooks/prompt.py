"""UserPromptSubmit: what earlier sessions say about this prompt, if it is surely about it (F-HOOK-1, F-HOOK-11)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric.doors.hooks.event import Event
from memory_fabric.doors.hooks.said import Said, silent

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.doors.hooks.fence import Item
    from memory_fabric.model.query import Scope
    from memory_fabric.model.result import Candidate
    from memory_fabric.ports import Store

SHORTEST = 20
"""Characters below which a prompt asks for nothing that can be looked up (F-HOOK-11)."""

MOST_ITEMS = 3

MOST_TERMS = 6
"""Words of a prompt that are searched, its rarest: a long prompt says in a few words what it is about, and every common
one costs milliseconds on a large memory (F-HOOK-11 has five).  With 8 the figures of ``bar`` are the same, with 5 they
are a little worse on both halves.
"""

MOST_UNKNOWN = 2
"""Of these, words that stand nowhere in the memory: they tell that a prompt is about other things, but a prompt that
brings many new names may still be about a known one."""

CONSIDERED = 40
"""Words of a prompt, from its beginning, among which those are chosen."""

MOST_ASKED = 1_000
"""Characters of a prompt that a resident server is asked: vectors want sentences, not the words that say most."""

COMMON, ENOUGH = 2_000, 2
"""Memories that hold a word from which on it is common: it is left out where so many rarer ones are left."""

LOOKED_AT = 10
"""Results among which the items are chosen: some were shown already, some say the same."""

PASSAGE, SHORT_PASSAGE = 420, 200
"""Characters quoted of one memory."""

SERVED = "serve.json"
"""The file of ``doors.resident``, named here too: where there is none, that is not even loaded."""

STEPS = ((0.70, MOST_ITEMS, PASSAGE), (0.85, 2, SHORT_PASSAGE), (1.01, 1, SHORT_PASSAGE))
"""Share of the context used, below which so many items of that length are shown: less as it fills up (F-CMD-8)."""


def recall(home: Path, event: Event) -> Said:
    """What to put into the context, or why nothing.

    Raises:
        MemoryFabricError: settings or store are not usable.
        OSError: the list of what was shown cannot be written.
    """
    prompt = typed(event.prompt)
    if len(prompt) < SHORTEST:
        return silent("short prompt")
    if prompt.startswith("/"):
        return silent("command")
    from memory_fabric.doors.hooks.used import used_share

    share = used_share(event.transcript) or 0.0
    most, width = next((items, width) for below, items, width in STEPS if share < below)
    found = _relevant(home, event, prompt, width)
    return _said(home, event, found, most) if found else silent("nothing relevant")


def typed(prompt: str) -> str:
    """What the user typed: without the blocks that clients put into prompts (formats.md §1.4)."""
    if "<" in prompt:
        from memory_fabric.ingest.formats.claude_text import own_words

        return own_words(prompt).text
    return prompt.strip()


def _relevant(home: Path, event: Event, prompt: str, width: int) -> list[Item]:
    """Items above the bar, best first; of other sessions than this one, whose words are in the context already."""
    from memory_fabric.doors.hooks.bar import above_bar
    from memory_fabric.doors.hooks.recalled import recalled
    from memory_fabric.text import analyse

    with recalled(home, event.cwd) as memory:
        store = memory.fabric.store
        question = focused(prompt, store)
        if not question:
            return []
        found = _with_vectors(home, memory.fabric, prompt[:MOST_ASKED], event.cwd)
        if found is None:
            found = searched(memory.fabric, question, memory.scope)
        terms = tuple(dict.fromkeys(analyse(question)))
        chosen = [
            each
            for each in above_bar(found, terms, store)
            if memory.may_show(each.memory) and each.memory.origin.session != event.session
        ]
        if not chosen:
            return []
        from memory_fabric.doors.hooks.items import items_of

        return list(items_of(chosen, terms, memory, width))


def searched(fabric: Fabric, question: str, scope: Scope) -> list[Candidate]:
    """What text and graph find, best first, not redacted yet."""
    answer = fabric.search(question, scope, limit=LOOKED_AT, outside=False, redacted=False)
    return [each.candidate for each in answer.results]


def _with_vectors(home: Path, fabric: Fabric, prompt: str, cwd: str) -> list[Candidate] | None:
    """What the resident server finds, as our own store has it; None where none answers."""
    if not (home / SERVED).exists():
        return None
    from memory_fabric.doors.hooks.resident import ask_resident
    from memory_fabric.model.memory import MemoryId
    from memory_fabric.model.result import Candidate

    told = ask_resident(home, prompt, cwd, LOOKED_AT)
    if told is None:
        return None
    ids = [MemoryId(id_) for each in told for id_ in (each.id, *each.absorbed)]
    known = {memory.id: memory for memory in fabric.store.get(ids)}
    return [
        Candidate(
            known[MemoryId(each.id)],
            0.0,
            each.found_by,
            absorbed=tuple(known[MemoryId(id_)] for id_ in each.absorbed if id_ in known),
        )
        for each in told
        if each.id in known
    ]


def focused(prompt: str, store: Store) -> str:
    """The words of a prompt that say most, in its order; a prompt of few words as it is.

    Empty where all of them together say too little for anything to pass the bar: then there is nothing to search.
    """
    from memory_fabric.doors.hooks.bar import may_pass
    from memory_fabric.text import analyse

    words = [(word, analyse(word)) for word in prompt.split()]
    terms = list(dict.fromkeys(term for _, found in words for term in found if len(term) > 1))
    counted = store.rarest(terms[:CONSIDERED], COMMON)
    unknown = [term for term, count in counted.items() if not count][:MOST_UNKNOWN]
    known = [term for term, count in counted.items() if count]
    telling = sum(counted[term] < COMMON for term in known)
    chosen = [*unknown, *known[: max(telling, ENOUGH)]][:MOST_TERMS]
    if not may_pass([counted[term] for term in chosen if counted[term]], store.count()):
        return ""
    if len(chosen) == len(terms):
        return prompt
    return " ".join(dict.fromkeys(part for word, found in words for part in _parts(word, found, frozenset(chosen))))


def _parts(word: str, found: Sequence[str], chosen: frozenset[str]) -> list[str]:
    """What of a word is asked: of an identifier the parts that were chosen, of a path all, since it names a file."""
    if chosen.isdisjoint(found):
        return []
    if chosen.issuperset(found) or "/" in word or "." in word.strip(".,;:!?"):
        return [word]
    from memory_fabric.text import analyse

    # What is asked must be read as the chosen token and no other: the whole without its joints, parts by their stems.
    written = [word.strip(".,;:!?()[]{}\"'`").replace("_", "").lower(), *found]
    readings = {tuple(analyse(each)): each for each in reversed(written)}
    return [readings[term,] for term in found if term in chosen and (term,) in readings]


def _said(home: Path, event: Event, found: list[Item], most: int) -> Said:
    """The first items that this session was not shown yet."""
    from memory_fabric.doors.hooks.fence import Block, fenced
    from memory_fabric.doors.hooks.shown import once

    output: str = ""
    items: tuple[Item, ...] = ()

    def choose(shown: frozenset[str]) -> list[str]:
        nonlocal output, items
        fresh = tuple(each for each in found if each.key not in shown)[:most]
        output, items = fenced([Block("", fresh)], event.name)
        return [item.key for item in items]

    if not once(home, event.session, choose):
        return silent("another hook was at it")
    return Said("said", output, items=len(items)) if items else silent("shown before")
