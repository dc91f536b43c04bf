"""JSON as people keep it (comments, trailing commas), taken apart with the place of everything in the text."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from memory_fabric.doors.install.faults import SyntaxFault

_BLANK = re.compile(r"(?:[ \t\r\n]+|//[^\r\n]*|/\*.*?\*/)*", re.DOTALL)
_DEEPEST = 200
"""Levels of nesting; no client's configuration has a tenth of it, and Python's own stack ends at 1,000."""

_decode = json.JSONDecoder().raw_decode


@dataclass(slots=True)
class Node:
    """A value that stands at ``text[start:end]``; ``members`` is None for what is neither an object nor a list."""

    start: int
    end: int
    is_object: bool = False
    members: list[Member] | None = None
    scalar: Any = None

    @property
    def value(self) -> Any:
        """What JSON says it is; of a key that stands twice the last one counts."""
        if self.members is None:
            return self.scalar
        if self.is_object:
            return {member.key: member.node.value for member in self.members}
        return [member.node.value for member in self.members]

    def at(self, step: str | int) -> int | None:
        """The index of the member with this key or number, or None."""
        members = self.members or []
        if isinstance(step, int):
            return step if not self.is_object and 0 <= step < len(members) else None
        found = [number for number, member in enumerate(members) if self.is_object and member.key == step]
        return found[-1] if found else None


@dataclass(slots=True)
class Member:
    """A member of an object or a list, from ``start`` (of its key, if it has one); ``comma`` is that behind it."""

    key: str | None
    start: int
    node: Node
    comma: int | None = field(default=None)


@lru_cache(maxsize=4)
def parse(text: str) -> Node | None:
    """The value in a text, or None where nothing stands but blanks and comments.

    Not to be changed: a change of a configuration looks at the same text several times, and each gets the same value.

    Raises:
        SyntaxFault: it is not JSON, comments and trailing commas apart.
    """
    reader = _Reader(text)
    start = reader.blank(0)
    if start == len(text):
        return None
    root = reader.node(start, 0)
    if (end := reader.blank(root.end)) != len(text):
        raise reader.fault(end, "something follows after the end")
    return root


@dataclass(slots=True)
class _Reader:
    text: str

    def fault(self, at: int, reason: str) -> SyntaxFault:
        return SyntaxFault(self.text.count("\n", 0, at) + 1, reason)

    def blank(self, at: int) -> int:
        match = _BLANK.match(self.text, at)
        return match.end() if match else at

    def node(self, at: int, depth: int) -> Node:
        if depth > _DEEPEST:
            raise self.fault(at, f"nested deeper than {_DEEPEST} levels")
        opening = self.text[at : at + 1]
        if opening == "{":
            return self._container(at, depth, "}")
        if opening == "[":
            return self._container(at, depth, "]")
        return self._scalar(at)

    def _scalar(self, at: int) -> Node:
        try:
            value, end = _decode(self.text, at)
        except json.JSONDecodeError as error:
            raise self.fault(error.pos, error.msg[:1].lower() + error.msg[1:]) from None
        return Node(at, end, scalar=value)

    def _container(self, start: int, depth: int, closing: str) -> Node:
        members: list[Member] = []
        at = self.blank(start + 1)
        while self.text[at : at + 1] != closing:
            if members and members[-1].comma is None:
                raise self.fault(at, f"expected ',' or '{closing}'")
            member = self._member(at, depth, closing == "}")
            at = self.blank(member.node.end)
            if self.text[at : at + 1] == ",":
                member.comma = at
                at = self.blank(at + 1)
            members.append(member)
        return Node(start, at + 1, closing == "}", members)

    def _member(self, at: int, depth: int, has_key: bool) -> Member:
        if not has_key:
            return Member(None, at, self.node(at, depth + 1))
        if self.text[at : at + 1] != '"':
            raise self.fault(at, "expected a name in double quotes")
        key = self._scalar(at)
        colon = self.blank(key.end)
        if self.text[colon : colon + 1] != ":":
            raise self.fault(colon, "expected ':'")
        return Member(key.scalar, at, self.node(self.blank(colon + 1), depth + 1))
