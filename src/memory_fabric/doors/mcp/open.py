"""``open_memory``: whole texts by id, over as many pages as they need (progressive disclosure)."""

from __future__ import annotations

import re

from memory_fabric.doors.mcp.arguments import BadArgument, Json
from memory_fabric.doors.mcp.memory_shapes import Labels, held, opened_json
from memory_fabric.doors.mcp.paging import TOKENS, Budget, weight
from memory_fabric.doors.mcp.tool import Call, Reply
from memory_fabric.model.memory import Memory

_CURSOR = re.compile(r"(\d{1,6}):(\d{1,9})")

_LEAST = 200
"""Characters of a text that are worth beginning on what is left of a page."""


def open_memory(call: Call) -> Reply:
    """The memories of these ids in that order, from the cursor on, as far as the budget goes.

    Raises:
        BadArgument: no ids, or a cursor that is none of ours.
    """
    ids = list(dict.fromkeys(call.arguments["ids"]))
    if not ids:
        raise BadArgument("ids", "is empty")
    place, offset = _begin(call.arguments["cursor"])
    found = held(call.fabric, ids)
    missing = [each for each in ids if each not in found]
    memories = list({memory.id: memory for memory in found.values()}.values())
    labels = Labels.of(call.fabric, memories)
    budget = Budget(call.arguments["max_tokens"] or TOKENS)
    budget.take(missing)
    shown: list[Json] = []
    while place < len(memories):
        part, end = _part(memories[place], labels, offset, budget, must=not shown)
        if part is None:
            break
        shown.append(part)
        if end < len(memories[place].text):
            offset = end
            break
        place, offset = place + 1, 0
    after = f"{place}:{offset}" if place < len(memories) else None
    more = f"There is more: call open_memory again with the same ids and cursor={after}."
    return Reply({"memories": shown, "missing": missing, "next": after}, notes=(more,) if after else ())


def _begin(cursor: str | None) -> tuple[int, int]:
    """Which of the memories, and which character of its text."""
    if cursor is None:
        return 0, 0
    match = _CURSOR.fullmatch(cursor.strip())
    if match is None:
        raise BadArgument("cursor", f"{cursor[:40]!r} is not one that this tool gave")
    return int(match[1]), int(match[2])


def _part(memory: Memory, labels: Labels, offset: int, budget: Budget, *, must: bool) -> tuple[Json | None, int]:
    """The memory from a character on, as much of it as fits, and where it ended; None where too little fits."""
    rest = memory.text[offset:]
    whole = opened_json(memory, labels, rest, complete=offset == 0)
    if budget.take(whole):
        return whole, len(memory.text)
    room = budget.left - weight(opened_json(memory, labels, "", complete=False))
    fits = _fitting(rest, room)
    if fits < _LEAST and not must:
        return None, offset
    fits = max(fits, _LEAST)
    budget.left = 0
    return opened_json(memory, labels, rest[:fits], complete=False), offset + fits


def _fitting(text: str, room: int) -> int:
    """How many characters of a text weigh no more than ``room``."""
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if weight(text[:middle]) <= room:
            low = middle
        else:
            high = middle - 1
    return low
