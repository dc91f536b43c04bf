"""Changes of a TOML configuration that leave everything else as it stands.

What is added is one table at the end: it can stand there whatever precedes it, and be cut out again as a whole.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from typing import Any

from memory_fabric.doors.install.faults import SyntaxFault
from memory_fabric.doors.install.toml_tables import tables

Steps = tuple[str | int, ...]

_LINE = re.compile(r"at line (\d+)")


def value_of(text: str) -> dict[str, Any]:
    """What the text says.

    Raises:
        SyntaxFault: it is not TOML.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _LINE.search(str(error))
        line = int(found.group(1)) if found else text.count("\n") + 1
        reason = re.sub(r" \(at [^)]*\)$", "", str(error))
        raise SyntaxFault(line, reason[:1].lower() + reason[1:]) from None


def add(text: str, place: Sequence[str], key: str | None, value: Any, newline: str) -> tuple[str, list[Steps]]:
    """The text with the table ``place.key`` at its end; it needs no containers.

    Raises:
        SyntaxFault: the container is closed: written as ``{…}``, or not a table.
    """
    if key is None:
        raise SyntaxFault(1, "lists are not extended in TOML")
    path = (*place, key)
    end = "" if not text or text.endswith("\n") else newline
    blank = newline if text.strip() else ""
    lines = [f"[{'.'.join(map(_name, path))}]", *(f"{_name(name)} = {_literal(item)}" for name, item in value.items())]
    new = text + end + blank + "".join(line + newline for line in lines)
    try:
        tomllib.loads(new)
    except tomllib.TOMLDecodeError:
        where = ".".join(place)
        line = next((n for n, row in enumerate(text.split("\n"), 1) if row.lstrip().startswith(place[0])), 1)
        raise SyntaxFault(line, f"{where} is closed: write its members as [{where}.NAME] tables") from None
    return new, []


def remove(text: str, path: Steps) -> str:
    """The text without the table at ``path``, the tables in it, and the blank line before each."""
    for table in reversed(tables(text)):
        if table.path[: len(path)] == path:
            before, after = text[: table.start], text[table.end :]
            if not after.strip() or after[0] in "\r\n":
                before = re.sub(r"(?<=\n)\r?\n\Z", "", before)
            text = before + after
    if _has(value_of(text), path):
        raise SyntaxFault(1, f"{'.'.join(map(str, path))} is not written as a table of its own: take it out by hand")
    return text


def swap(text: str, path: Steps, value: Any, newline: str) -> tuple[str, str]:
    """The text with another table at ``path``, and the text of the one that stood there."""
    old = newline.join(
        text[table.start : table.end].rstrip("\r\n") for table in tables(text) if table.path[: len(path)] == path
    )
    *place, key = map(str, path)
    return add(remove(text, path), place, key, value, newline)[0], old + newline


def restore(text: str, path: Steps, old: str, newline: str) -> str:
    """The text with the table ``old``, verbatim, in place of the one at ``path``."""
    text = remove(text, path)
    return text + (newline if text.strip() else "") + old


def prune(text: str, made: Iterable[Steps]) -> str:
    """The text as it is: an added table needs no containers."""
    del made
    return text


def _has(value: Any, path: Steps) -> bool:
    for step in path:
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return True


def _name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else _text(name)


def _literal(value: Any) -> str:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_name(name)} = {_literal(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return json.dumps(value)


def _text(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
