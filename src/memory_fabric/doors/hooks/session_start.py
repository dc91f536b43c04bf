"""SessionStart: what a new session should know, and work of earlier sessions taken up (F-HOOK-1, -10, -13, -21)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from memory_fabric.doors.hooks.event import Event
from memory_fabric.doors.hooks.said import Said, silent

if TYPE_CHECKING:
    from memory_fabric.doors.hooks.fence import Block
    from memory_fabric.search.context import Context

BUDGET = 1_000
"""Tokens of the context that a new session is given: what F-HOOK-10 allows for decisions alone (3,000 characters), and
as much again for the rest would be too much of a prompt that nobody asked for."""

RESTORED = frozenset({"compact", "resume"})
"""Sources after which the manifest of this session is put back."""

STEPS = ((0.40, (5, 3, 3, 5)), (0.70, (3, 1, 2, 3)), (0.90, (1, 1, 1, 0)), (1.01, (0, 0, 0, 0)))
"""Share of the context used, below which so many decisions, problems, preferences and sessions are shown (F-CMD-9)."""

SECTIONS = ("Decisions", "Open problems", "Preferences", "Recent work")
_TITLES_ONLY = "Recent work"
"""A session's title is not its content: a memory that stands for one may still be recalled."""


def open_session(home: Path, event: Event) -> Said:
    """What to put into the context, or why nothing.

    Raises:
        MemoryFabricError: settings or store are not usable.
        OSError: the list of what was shown cannot be written.
    """
    from memory_fabric.doors.hooks.manifest import restored
    from memory_fabric.doors.hooks.recalled import recalled
    from memory_fabric.doors.hooks.used import used_share

    share = (used_share(event.transcript) or 0.0) if event.source == "resume" else 0.0
    limits = next(limits for below, limits in STEPS if share < below)
    if not any(limits):
        return silent("the context is nearly full")
    with recalled(home, event.cwd) as memory:
        context = memory.fabric.load(memory.scope, budget=BUDGET)
    blocks = [*(restored(home, event.session) if event.source in RESTORED else []), *_blocks(context, limits)]
    return _said(home, event, blocks) if blocks else silent("nothing to tell")


def _blocks(context: Context, limits: tuple[int, ...]) -> list[Block]:
    """The sections of a context, each cut to its limit."""
    from memory_fabric.doors.hooks.fence import Block, Item, without_orders

    most = dict(zip(SECTIONS, limits, strict=True))
    blocks = []
    for section in context.sections:
        prefix = "session " if section.title == _TITLES_ONLY else ""
        items = tuple(
            Item(prefix + id_, without_orders(line)) for line, id_ in zip(section.items, section.ids, strict=True)
        )[: most[section.title]]
        if items:
            blocks.append(Block(section.title, items))
    return blocks


def _said(home: Path, event: Event, blocks: list[Block]) -> Said:
    """The items that this session was not shown yet."""
    from memory_fabric.doors.hooks.fence import Block, Item, fenced
    from memory_fabric.doors.hooks.shown import once

    output: str = ""
    items: tuple[Item, ...] = ()

    def choose(shown: frozenset[str]) -> list[str]:
        nonlocal output, items
        fresh = [Block(each.title, tuple(item for item in each.items if item.key not in shown)) for each in blocks]
        output, items = fenced(fresh, event.name)
        return [item.key for item in items]

    if not once(home, event.session, choose, event.source):
        return silent("another hook was at it")
    return Said("said", output, items=len(items)) if items else silent("shown before")
