"""What of an outside memory's answer is only our own word come back: it is no second witness (D-5, decision 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.result import Found, Hit
from memory_fabric.text import text_hash

if TYPE_CHECKING:
    from memory_fabric.ports import MemoryStore, Outbox


def marked(found: Sequence[Found], outbox: Outbox | None, memories: MemoryStore) -> list[Found]:
    """The answers, with every hit that we pushed there ourselves marked as an echo, in the name of our own memory.

    Its origin gets the source system and the session of the memory that it was made of, where that is known and still
    there.  A hit is ours when its text is, or any single observation in it: to be counted twice would be worse than
    not to be counted.
    """
    return [_marked(each, outbox, memories) if outbox is not None else each for each in found]


def _marked(found: Found, outbox: Outbox, memories: MemoryStore) -> Found:
    hashes = {hit.memory.id: list(_hashes(hit.memory)) for hit in found.hits if hit.memory.origin.outside}
    if not hashes:
        return found
    pushed = outbox.pushed(found.source, list(dict.fromkeys(each for some in hashes.values() for each in some)))
    if not pushed:
        return found
    known = {memory.id: memory for memory in memories.get([each for each in pushed.values() if each is not None])}
    return replace(found, hits=tuple(_echo(hit, hashes.get(hit.memory.id, ()), pushed, known) for hit in found.hits))


def _echo(
    hit: Hit,
    hashes: Sequence[str],
    pushed: Mapping[str, MemoryId | None],
    known: Mapping[MemoryId, Memory],
) -> Hit:
    ours = [pushed[each] for each in hashes if each in pushed]
    if not ours:
        return hit
    origin = replace(hit.memory.origin, echo=True)
    source = next((known[each] for each in ours if each is not None and each in known), None)
    if source is not None:
        origin = replace(origin, source=source.origin.source, session=source.origin.session)
    return replace(hit, memory=replace(hit.memory, origin=origin))


def _hashes(memory: Memory) -> Iterator[str]:
    """Hashes by which we would know it again: of the whole, and of each observation with and without its entity."""
    yield text_hash(memory.text)
    observations = memory.metadata.get("observations")
    for text in observations if isinstance(observations, list | tuple) else ():
        yield text_hash(str(text))
        yield text_hash(f"{memory.origin.record}: {text}")
