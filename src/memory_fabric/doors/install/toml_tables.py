"""Where the tables of a TOML file stand in its text."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_TOKEN = re.compile(
    r"""
      \#[^\n]*                                  # a remark
    | \"{3}(?:\\.|(?!\"{3}).)*\"{3,5}           # texts over several lines
    | '{3}(?:(?!'{3}).)*'{3,5}
    | "(?:\\.|[^"\\\n])*"
    | '[^'\n]*'
    | [\[\]{}\n]
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Table:
    """A header and the lines below it, ``text[start:end]``, without the blank lines and remarks behind them."""

    path: tuple[str, ...]
    start: int
    end: int


def tables(text: str) -> list[Table]:
    """The tables in the order of the text; the text is known to be TOML."""
    heads = [*_headers(text), (len(text), ())]
    return [Table(path, start, _end_of_body(text, start, end)) for (start, path), (end, _) in pairwise(heads)]


def _headers(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Offsets of the lines that begin a table, and the table's path."""
    depth, line = 0, 0
    for match in _TOKEN.finditer(text):
        mark = match.group()
        if mark == "\n":
            line = match.end()
        elif mark in "[{":
            if depth == 0 and mark == "[" and not text[line : match.start()].strip():
                yield line, _path(text[line:].split("\n", 1)[0].rstrip("\r"))
            depth += 1
        elif mark in "]}":
            depth -= 1


def _path(header: str) -> tuple[str, ...]:
    value = tomllib.loads(header)
    path: list[str] = []
    while isinstance(value, dict) and value:
        name, value = next(iter(value.items()))
        path.append(name)
        if isinstance(value, list):
            value = value[0]
    return tuple(path)


def _end_of_body(text: str, start: int, end: int) -> int:
    """Where the last line with something of the table ends: remarks and blanks behind it belong to what follows."""
    last = begun = start
    for match in _TOKEN.finditer(text, start, end):
        if text[begun : match.start()].strip():
            last = match.start()
        if match.group()[0] not in "#\n":
            last = match.end()
        begun = match.end()
    if text[begun:end].strip():
        last = end
    newline = text.find("\n", last, end)
    return end if newline < 0 else newline + 1
