"""What of an outside memory's answer is only our own word come back: it is no second witness (D-5, decision 3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.result import Found, Hit
from memory_fabric.text import text_hash

if TYPE_CHECKING:
    from memory_fabric.ports import MemoryStore, Outbox


def marked(found: Sequence[Found], outbox: Outbox | None, memories: MemoryStore) -> tuple[list[Found], list[str]]:
    """The answers, with every hit that we pushed there ourselves marked as an echo, in the name of our own memory.

    Its origin gets the source system and the session of the memory that it was made of, where that is known and still
    there.  A hit is ours when its text is, or any single observation in it: to be counted twice would be worse than
    not to be counted.  What was forgotten here since is left out, and a sentence says how much (decision 11).
    """
    if outbox is None:
        return list(found), []
    answers = [_marked(each, outbox, memories) for each in found]
    notes = [
        f"{each.source}: {gone} left out that you have forgotten; it still lies there"
        for each, answer in zip(found, answers, strict=True)
        if (gone := len(each.hits) - len(answer.hits))
    ]
    return answers, notes


def _marked(found: Found, outbox: Outbox, memories: MemoryStore) -> Found:
    hashes = {hit.memory.id: list(_hashes(hit.memory)) for hit in found.hits if hit.memory.origin.outside}
    if not hashes:
        return found
    pushed = outbox.pushed(found.source, list(dict.fromkeys(each for some in hashes.values() for each in some)))
    if not pushed:
        return found
    sources = [each for each in pushed.values() if each is not None]
    known = {memory.id: memory for memory in memories.get(sources)}
    forgotten = memories.forgotten([each for each in sources if each not in known])
    ours = _Ours(pushed, known, forgotten)
    return replace(found, hits=tuple(kept for hit in found.hits if (kept := ours.told(hit)) is not None))


@dataclass(frozen=True, slots=True)
class _Ours:
    """What we know of the texts that we pushed to one memory."""

    pushed: Mapping[str, MemoryId | None]
    """Hash of a text → the memory it was made of, where one was."""
    known: Mapping[MemoryId, Memory]
    forgotten: frozenset[MemoryId]

    def told(self, hit: Hit) -> Hit | None:
        """The hit as an echo where it is one, without what was forgotten; None when nothing is left of it."""
        memory = hit.memory
        made_of = [self.pushed[each] for each in _hashes(memory) if memory.origin.outside and each in self.pushed]
        if not made_of:
            return hit
        if self.forgotten.intersection(each for each in made_of if each is not None):
            rest = self._without_forgotten(memory)
            if rest is None:
                return None
            memory = rest
        origin = replace(memory.origin, echo=True)
        source = next((self.known[each] for each in made_of if each is not None and each in self.known), None)
        if source is not None:
            origin = replace(origin, source=source.origin.source, session=source.origin.session)
        return replace(hit, memory=replace(memory, origin=origin))

    def _without_forgotten(self, memory: Memory) -> Memory | None:
        """A node without its forgotten observations; None for a text that was forgotten as a whole."""
        name, observations = memory.origin.record, _observations(memory)
        kept = [text for text in observations if not self._is_forgotten(f"{name}: {text}", text)]
        if self._is_forgotten(memory.text) or not kept:
            return None
        text = ". ".join([str(name), *kept])
        return replace(memory, text=text, metadata={**memory.metadata, "observations": kept})

    def _is_forgotten(self, *texts: str) -> bool:
        return any(self.pushed.get(text_hash(text)) in self.forgotten for text in texts)


def _observations(memory: Memory) -> list[str]:
    observations = memory.metadata.get("observations")
    return [str(text) for text in observations] if isinstance(observations, list | tuple) else []


def _hashes(memory: Memory) -> Iterator[str]:
    """Hashes by which we would know it again: of the whole, and of each observation with and without its entity."""
    yield text_hash(memory.text)
    for text in _observations(memory):
        yield text_hash(text)
        yield text_hash(f"{memory.origin.record}: {text}")
