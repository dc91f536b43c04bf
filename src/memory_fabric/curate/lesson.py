"""What should be done instead, from the words themselves (F-CMD-2)."""

from __future__ import annotations

import re

from memory_fabric.lexicon import Lexicon

_END = re.compile(r"[.!?;]+(?=\s|\Z)|\n|\Z")


def lesson_of(text: str, lexicon: Lexicon) -> str | None:
    """From the first lesson cue ("should have", "instead use", "better to") to the end of its sentence; None without.

    A sentence that ends with the cue teaches nothing.
    """
    cues = "|".join(lexicon.cues["lesson"])
    for match in re.finditer(rf"(?<!\w)(?:{cues})(?!\w)", text, re.IGNORECASE):
        end = _END.search(text, match.end())
        lesson = text[match.start() : end.start() if end else len(text)].strip()
        if len(lesson) > len(match.group()):
            return lesson
    return None
