"""Secrets out of text: the one function at the store's boundary, and again before anything is shown (F-PRIV-1).

The same function on both sides, so that a store written before a rule existed comes back clean (C-112).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memory_fabric.ingest.secret_names import is_named_secret, named_secrets
from memory_fabric.ingest.secret_tokens import Span, private_keys, tokens

_MARK = re.compile(r"(?:\[redacted:[a-z0-9-]+\])+\Z")


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without secrets."""

    text: str
    counts: Mapping[str, int]
    """Kind → secrets taken out; empty for most texts."""


def redact(text: str) -> Redacted:
    """The text with every secret replaced by ``[redacted:<kind>]``.

    Redacting again changes nothing.  Nothing else of the text changes.  Of an address the password goes and the user
    stays; of a header or an assignment the value goes and the name stays.  Time is linear in the length.
    """
    counts: Counter[str] = Counter()
    # A replacement can bare another secret beside it; each round leaves fewer characters outside marks, so this ends.
    while found := _merged(text):
        pieces: list[str] = []
        last = 0
        for start, end, kind in found:
            pieces += (text[last:start], f"[redacted:{kind}]")
            last = end
            counts[kind] += 1
        text = "".join((*pieces, text[last:]))
    return Redacted(text, counts)


def redact_value(value: Any, counts: Counter[str] | None = None) -> Any:
    """A JSON value with every string redacted, keys too; a field called like a secret is judged by its name as well.

    ``counts``, where given, is added to.
    """
    tally: Counter[str] = Counter() if counts is None else counts
    if isinstance(value, str):
        result = redact(value)
        tally.update(result.counts)
        return result.text
    if isinstance(value, list | tuple):
        return [redact_value(item, tally) for item in value]
    if isinstance(value, Mapping):
        return {redact_value(key, tally): _field(str(key), item, tally) for key, item in value.items()}
    return value


def _field(name: str, value: Any, tally: Counter[str]) -> Any:
    kind = is_named_secret(name, value) if isinstance(value, str) else None
    if kind is None:
        return redact_value(value, tally)
    tally[kind] += 1
    return f"[redacted:{kind}]"


def _spans(text: str) -> Iterator[tuple[str, Span]]:
    """Every secret found, most telling kinds first; they may overlap."""
    for span in private_keys(text):
        yield "private-key", span
    lowered = _lower(text)
    yield from tokens(text, lowered)
    yield from named_secrets(text, lowered)


def _lower(text: str) -> str:
    """Lower case with every character in its place: İ is the only one that would become two."""
    return text.replace("İ", "i").lower()


def _merged(text: str) -> list[tuple[int, int, str]]:
    """Spans in order, overlapping ones joined under the first kind found; marks of an earlier redaction left alone."""
    found = [
        (start, end, rank, kind)
        for rank, (kind, (start, end)) in enumerate(_spans(text))
        if not _MARK.match(text[start:end])
    ]
    merged: list[tuple[int, int, int, str]] = []
    for start, end, rank, kind in sorted(found):
        if merged and start < merged[-1][1]:
            first, last, best, name = merged[-1]
            merged[-1] = (first, max(last, end), *min((best, name), (rank, kind)))
        else:
            merged.append((start, end, rank, kind))
    return [(start, end, kind) for start, end, _, kind in merged]
