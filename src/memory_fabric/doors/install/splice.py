"""One change of a text, small enough to be written down and taken back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Splice:
    """At offset ``at`` (characters from 0) ``removed`` was replaced by ``inserted``."""

    at: int
    removed: str
    inserted: str

    @classmethod
    def between(cls, before: str, after: str) -> Splice:
        """The shortest splice that makes ``after`` of ``before``."""
        shorter = min(len(before), len(after))
        start = _longest(shorter, lambda n: before[:n] == after[:n])
        end = _longest(shorter - start, lambda n: before[len(before) - n :] == after[len(after) - n :])
        return cls(start, before[start : len(before) - end], after[start : len(after) - end])

    def undo(self, text: str) -> str | None:
        """The text as it was before, or None if this is not the text that the splice made."""
        end = self.at + len(self.inserted)
        return text[: self.at] + self.removed + text[end:] if text[self.at : end] == self.inserted else None


def _longest(most: int, same: Callable[[int], bool]) -> int:
    """The largest number up to ``most`` for which ``same`` holds, as it does for every smaller one."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if same(middle):
            least = middle
        else:
            most = middle - 1
    return least


def steps(texts: Sequence[str]) -> tuple[Splice, ...]:
    """The splices from each text to the next."""
    return tuple(Splice.between(a, b) for a, b in pairwise(texts) if a != b)


def undo_all(text: str, splices: Iterable[Splice]) -> str | None:
    """The text before the first of the splices, or None if they did not make this text."""
    found: str | None = text
    for splice in reversed(tuple(splices)):
        if found is None:
            return None
        found = splice.undo(found)
    return found
