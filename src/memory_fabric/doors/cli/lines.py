"""Lines for people: wrapping by display width, short paths, dates, counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from memory_fabric.model.memory import Origin

WIDEST = 100
"""Columns of running text at most: longer lines are hard to read."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_ESCAPE = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?)")
_PIECE = re.compile(r"\S+|\s+")


def plain(text: str) -> str:
    """Text that a terminal only shows: remembered escape sequences and control characters are left out."""
    return _CONTROL.sub("", _ESCAPE.sub("", text))


def one_line(text: str, width: int) -> str:
    """The text in one line of at most ``width`` columns."""
    line = " ".join(plain(text).split())
    if columns(line) <= width:
        return line
    return _cut(line, max(1, width - 1)).rstrip() + "…"


def columns(text: str) -> int:
    """Columns of a terminal that a text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _cut(text: str, width: int) -> str:
    taken = 0
    for place, character in enumerate(text):
        taken += _columns(character)
        if taken > width:
            return text[:place]
    return text


def wrap(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """The text in lines of at most ``width`` columns, broken at spaces, and anywhere in wide scripts and long words.

    ``first`` and ``rest`` stand before the first line and the others, and count.
    """
    lines: list[str] = []
    lead, line, used = first, "", columns(first)
    for piece in _pieces(text, max(1, width - max(columns(first), columns(rest)))):
        size = columns(piece)
        if line and used + size > width:
            lines.append(lead + line.rstrip())
            lead, line, used = rest, "", columns(rest)
        if line or not piece.isspace():
            line += piece
            used += size
    return [*lines, lead + line.rstrip()] if line.strip() or not lines else lines


def _pieces(text: str, room: int) -> Iterator[str]:
    """Words and spaces; wide characters one by one; words longer than a line in parts."""
    for match in _PIECE.finditer(text):
        word = match.group()
        if not word.isascii() and columns(word) > len(word):
            yield from word
            continue
        while len(word) > room:
            yield word[:room]
            word = word[room:]
        yield word


def short_path(path: str, short: Mapping[str, str] | None = None) -> str:
    """The path with ``~`` for the user's home; ``short`` names further folders and what stands for them."""
    for folder, name in {**(short or {}), str(Path.home()): "~"}.items():
        if path == folder or path.startswith((folder + "/", folder + "\\")):
            return name + path[len(folder) :]
    return path


def place(origin: Origin, short: Mapping[str, str] | None = None) -> str:
    """``~/file:first-last``, as far as it is known, else the source system."""
    if origin.file is None:
        return origin.source
    path = plain(short_path(origin.file, short))
    if origin.first_line is None:
        return path
    last = "" if origin.last_line in {None, origin.first_line} else f"-{origin.last_line}"
    return f"{path}:{origin.first_line}{last}"


def day(at: datetime | None) -> str:
    """The date in UTC, or ``undated``."""
    return f"{at.astimezone(UTC):%Y-%m-%d}" if at is not None else "undated"


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 file``, ``1,204 files``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def tally(counts: Mapping[str, int], *, most: int = 8) -> str:
    """Counts by name, largest first: ``user 120, assistant 118, and 3 more kinds (7)``; nothing is left unsaid."""
    ordered = sorted(((n, name) for name, n in counts.items() if n), key=lambda item: (-item[0], item[1]))
    shown = [f"{name.replace('_', ' ')} {number:,}" for number, name in ordered[:most]]
    rest = ordered[most:]
    if rest:
        kinds = "kind" if len(rest) == 1 else "kinds"
        shown.append(f"and {len(rest)} more {kinds} ({sum(n for n, _ in rest):,})")
    return ", ".join(shown)


def size(number: int) -> str:
    """``812 B``, ``4.2 MB``."""
    amount = float(number)
    for unit in ("B", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("unreachable")


def rows(pairs: Iterable[tuple[str, str]], width: int, label: int = 12) -> list[str]:
    """``label  text`` lines with a hanging indent; empty texts are left out."""
    lines: list[str] = []
    for name, text in pairs:
        if text:
            lines.extend(wrap(text, width, f"  {name:<{label}}", " " * (label + 2)))
    return lines
