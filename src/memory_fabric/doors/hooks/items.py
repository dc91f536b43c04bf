"""What is shown of one memory: a line that quotes it, with date and source; restatements as one line (C-146)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from memory_fabric.doors.hooks.fence import Item, without_orders
from memory_fabric.doors.hooks.recalled import Recalled
from memory_fabric.doors.snippet import passage
from memory_fabric.model.memory import Memory, MemoryKind
from memory_fabric.model.result import Candidate
from memory_fabric.text import analyse, jaccard

SAME = 0.85
"""Two lines whose words are more alike say the same: the measure and the limit of deduplication (F-DEDUP-1, -2).

Here episodic memories are collapsed too: nothing is lost, they are only not shown twice.
"""

_FOREIGN = re.compile(r"(?i)web|fetch|browser|http|tool|scrape|crawl|search|page")
"""Sources of notes whose words are of nobody in the session (C-108)."""


def items_of(found: Iterable[Candidate], terms: Collection[str], memory: Recalled, width: int) -> Iterator[Item]:
    """One item a candidate, those that say the same collapsed into the first, with how often it was said."""
    from memory_fabric.outgoing import clean_memory

    told: list[tuple[Memory, str, frozenset[str], set[str]]] = []
    for candidate in found:
        quoted = quotation(clean_memory(candidate.memory), terms, width)
        words = frozenset(analyse(quoted))
        sessions = {str(each.origin.session) for each in (candidate.memory, *candidate.absorbed)}
        same = next((each for each in told if jaccard(each[2], words) >= SAME), None)
        if same is not None:
            same[3].update(sessions)
        elif quoted:
            told.append((candidate.memory, quoted, words, sessions))
    for shown, quoted, _, sessions in told:
        often = f" · said in {len(sessions)} sessions" if len(sessions) > 1 else ""
        yield Item(shown.id, f"[{memory.label(shown)}{often}] {quoted}")


def quotation(memory: Memory, terms: Collection[str], width: int) -> str:
    """The words of a memory around these terms, quoted, and who said them."""
    said = passage(memory.text, terms, width)
    prompt, reply = without_orders(said.prompt), without_orders(said.reply)
    if memory.kind is MemoryKind.EXCHANGE:
        parts = (("asked", prompt), ("answered", reply))
    else:
        parts = ((_called(memory), prompt), ("", reply))
    return " — ".join(f"{who}: “{words}”" if who else f"“{words}”" for who, words in parts if words)


def _called(memory: Memory) -> str:
    source = f"{memory.metadata.get('source', '')} {memory.origin.source}"
    if memory.kind is MemoryKind.NOTE and _FOREIGN.search(source):
        return "note from a tool, unverified"
    return memory.kind.value
