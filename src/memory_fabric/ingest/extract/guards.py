"""Which prompts are not read for statements (F-INTENT-6)."""

from __future__ import annotations

import re

MIN_PROMPT, MAX_PROMPT = 15, 50_000
"""Characters of a prompt that is read."""

MAX_NON_TEXTUAL = 0.3
"""Share of signs that are neither letters, digits, space nor common punctuation; above, it is no text."""

_DATA_URI = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.-]+)*[;,]")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{1024}")
"""1 KB or more without a break."""

_SIGN = re.compile(r"[^\w\s.,;:!?'\"()\-—–’“”…。、，！？「」]|_")


def noise_reason(prompt: str, noise: tuple[str, ...] = ()) -> str | None:
    """Why a prompt is not read, or None when it is."""
    prompt = prompt.strip()
    if len(prompt) < MIN_PROMPT:
        return "too short"
    if len(prompt) > MAX_PROMPT:
        return "too long"
    if _DATA_URI.search(prompt):
        return "data URI"
    if _BASE64.search(prompt):
        return "base64"
    folded = prompt[:2_000].casefold()
    if any(mark in folded for mark in noise):
        return "system noise"
    return "not textual" if len(_SIGN.findall(prompt)) > MAX_NON_TEXTUAL * len(prompt) else None
