"""How much a result may hold, and where the next page begins (C-082).

Clients cut a result off at about 25,000 tokens, some much earlier; a page ends well before, and says how to go on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

TOKENS = 2_400
"""Default budget of a result.  A token is taken as 4 bytes and everything is sent twice, as text and structured, so
this is 19.2 kB: with its envelope a result stays below 20 kB (issue 3, C-082)."""

FEWEST, MOST = 100, 12_000
"""Range of a budget that a client may ask for."""

_BYTES = 2 * 4


class Budget:
    """What is left of a result's size."""

    def __init__(self, tokens: int = TOKENS) -> None:
        self.left = tokens * _BYTES

    def take(self, value: Any, *, keep: int = 0) -> bool:
        """Whether the value still fits, ``keep`` bytes left over; if so, its size is taken off."""
        size = weight(value)
        if size > self.left - keep:
            return False
        self.left -= size
        return True

    def fitting(self, values: Iterable[Any], *, keep: int = 0) -> Iterator[Any]:
        """The first values that fit, ``keep`` bytes left over."""
        for value in values:
            if not self.take(value, keep=keep):
                return
            yield value


def weight(value: Any) -> int:
    """Bytes of a JSON value in a result: once as it is, once more inside a string, and its comma in both."""
    text = compact(value)
    return len(text.encode()) + len(compact(text).encode())


def compact(value: Any) -> str:
    """JSON without blanks, in the characters of the text itself."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
