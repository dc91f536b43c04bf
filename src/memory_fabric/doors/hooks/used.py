"""How much of its context a session has used, from the last reply in its transcript (F-CMD-8, F-CMD-9)."""

from __future__ import annotations

import os
import re
from pathlib import Path

WINDOW = 200_000
"""Tokens of a context; a session that has used more has the larger one."""

LARGER_WINDOW = 1_000_000

TAIL = 262_144
"""Bytes of the transcript's end that are looked at: a few records, however long a tool's result was."""

_USAGE = re.compile(rb'"usage"\s*:\s*\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}')
_COUNTS = re.compile(
    rb'"(?:input_tokens|cache_read_input_tokens|cache_creation_input_tokens|output_tokens)"\s*:\s*(\d+)'
)


def used_share(transcript: str) -> float | None:
    """The share of the context that is used, in [0, 1]; None where the transcript does not say.

    The last reply's own counts: what it read (new, cached and newly cached) and what it wrote.  A nested breakdown of
    the same tokens (``cache_creation``) has other keys.
    """
    try:
        with Path(transcript).open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL))
            tail = file.read(TAIL)
    except OSError:
        return None
    usages = _USAGE.findall(tail)
    if not usages:
        return None
    tokens = sum(int(count) for count in _COUNTS.findall(usages[-1]))
    return min(1.0, tokens / (WINDOW if tokens <= WINDOW else LARGER_WINDOW))
