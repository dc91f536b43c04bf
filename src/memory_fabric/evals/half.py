"""Two halves of a suite's questions: numbers are set with one, the other is reported (F-EVAL-5)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from memory_fabric.model.memory import Memory

if TYPE_CHECKING:
    from memory_fabric.evals.asking import Asked, Corpus


class Half(StrEnum):
    """Which half: fixed by the question's id, the same in every run."""

    TUNE = "tune"
    CHECK = "check"

    @classmethod
    def of(cls, question: str) -> Half:
        """By the last hexadecimal digit of the id's SHA-256: even is for tuning, odd for checking."""
        return cls.CHECK if int(hashlib.sha256(question.encode()).hexdigest()[-1], 16) % 2 else cls.TUNE


@dataclass(frozen=True, slots=True)
class Halved:
    """``Corpus`` of which one half of the questions is asked; it is stored whole."""

    corpus: Corpus
    half: Half

    @property
    def questions(self) -> Sequence[Asked]:
        """Those of the half, in their order."""
        return [each for each in self.corpus.questions if Half.of(each.id) is self.half]

    def ranking(self, memories: Iterable[Memory]) -> list[str]:
        """As the whole corpus."""
        return self.corpus.ranking(memories)
