"""Changes of a JSON configuration that leave everything else as it stands: comments, order, spacing.

A path leads from the root: names of members and numbers of list items.  Texts are without a byte order mark.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from memory_fabric.doors.install.faults import SyntaxFault
from memory_fabric.doors.install.jsonc import Member, Node, parse

Steps = tuple[str | int, ...]

_REMARK = re.compile(r"[ \t]*(?://[^\r\n]*|/\*(?:(?!\*/)[^\r\n])*\*/(?=[ \t]*(?:\r?\n|\Z)))")
"""A comment that ends the line."""
_INDENT = "  "
"""What the clients themselves write."""


def value_of(text: str) -> dict[str, Any]:
    """What the text says; nothing is an empty object.

    Raises:
        SyntaxFault: it is not JSON, or no object.
    """
    root = parse(text)
    if root is None:
        return {}
    if not root.is_object:
        raise SyntaxFault(text.count("\n", 0, root.start) + 1, "expected an object")
    found: dict[str, Any] = root.value
    return found


def add(text: str, place: Sequence[str], key: str | None, value: Any, newline: str) -> tuple[str, list[Steps]]:
    """The text with a further member ``key`` (None: a further item) in the container at ``place``.

    Also the paths of the containers that had to be made for it, outermost first.

    Raises:
        SyntaxFault: something other than a container stands in its way.
    """
    root = parse(text)
    if root is None:
        whole = _nested(place, key, value)
        made: list[Steps] = [tuple(place[:depth]) for depth in range(len(place) + 1)]
        return text + json.dumps(whole, indent=_INDENT, ensure_ascii=False).replace("\n", newline) + newline, made
    node = root
    for depth, name in enumerate(place):
        _expect(text, node, True, place[:depth])
        index = node.at(name)
        if index is None:
            inner = _nested(place[depth + 1 :], key, value)
            made = [tuple(place[:more]) for more in range(depth + 1, len(place) + 1)]
            return _Layout(text, root, newline).inserted(node, name, inner), made
        node = _members(node)[index].node
    _expect(text, node, key is not None, place)
    return _Layout(text, root, newline).inserted(node, key, value), []


def remove(text: str, path: Steps) -> str:
    """The text without the member at ``path`` and its comma."""
    container, index = _find(text, path)
    members = _members(container)
    member = members[index]
    start = _start_of_blank(text, member.start)
    if member.comma is not None:
        end = member.comma + 1
        if "\n" not in text[start : member.start]:
            start = member.start
            end += len(text[end:]) - len(text[end:].lstrip(" \t"))
        cuts = [(start, end)]
    elif index:
        comma = members[index - 1].comma
        cuts = [(start, member.node.end)] if comma is None else [(comma, comma + 1), (start, member.node.end)]
    else:
        cuts = [(start, member.node.end)]
    if len(members) == 1:
        rest = text[container.start + 1 : cuts[0][0]] + text[cuts[-1][1] : container.end - 1]
        if not rest.strip():
            cuts = [(container.start + 1, container.end - 1)]
    for start, end in reversed(cuts):
        text = text[:start] + text[end:]
    return text


def swap(text: str, path: Steps, value: Any, newline: str) -> tuple[str, str]:
    """The text with another value at ``path``, and the text of the value that stood there."""
    container, index = _find(text, path)
    member = _members(container)[index]
    layout = _Layout(text, parse(text) or container, newline)
    rendered = layout.rendered(value, layout.indent_of_line(member.start), "\n" in text)
    return _put(text, member.node, rendered), text[member.node.start : member.node.end]


def restore(text: str, path: Steps, old: str, newline: str) -> str:
    """The text with ``old`` at ``path``, verbatim; where the path is gone it is added anew."""
    try:
        container, index = _find(text, path)
    except LookupError:
        return add(text, [str(step) for step in path[:-1]], str(path[-1]), json.loads(_plain(old)), newline)[0]
    return _put(text, _members(container)[index].node, old)


def prune(text: str, made: Iterable[Steps]) -> str:
    """The text without those of the containers that are empty, innermost first."""
    for path in sorted(made, key=len, reverse=True):
        root = parse(text)
        node = root and _descend(root, path)
        if not root or not node or node.members or text[node.start + 1 : node.end - 1].strip():
            continue
        text = remove(text, path) if path else text[: root.start] + text[root.end :]
    return text


def _plain(text: str) -> str:
    """The JSON in a text, without comments and trailing commas."""
    node = parse(text)
    return json.dumps(None if node is None else node.value)


def _put(text: str, node: Node, new: str) -> str:
    return text[: node.start] + new + text[node.end :]


def _nested(place: Sequence[str], key: str | None, value: Any) -> Any:
    whole = [value] if key is None else {key: value}
    for name in reversed(place):
        whole = {name: whole}
    return whole


def _members(node: Node) -> list[Member]:
    return node.members or []


def _expect(text: str, node: Node, is_object: bool, place: Sequence[str]) -> None:
    if node.members is None or node.is_object is not is_object:
        where = ".".join(place) or "the whole"
        what = "an object" if is_object else "a list"
        raise SyntaxFault(text.count("\n", 0, node.start) + 1, f"{where} is not {what}")


def _descend(root: Node, path: Steps) -> Node | None:
    node = root
    for step in path:
        index = node.at(step)
        if index is None:
            return None
        node = _members(node)[index].node
    return node


def _find(text: str, path: Steps) -> tuple[Node, int]:
    root = parse(text)
    container = _descend(root, path[:-1]) if root else None
    index = container.at(path[-1]) if container else None
    if container is None or index is None:
        raise LookupError(path)
    return container, index


def _start_of_blank(text: str, at: int) -> int:
    while at and text[at - 1] in " \t\r\n":
        at -= 1
    return at


class _Layout:
    """How a text is laid out, and how something new is laid out like it."""

    def __init__(self, text: str, root: Node, newline: str) -> None:
        self.text = text
        self.newline = newline
        members = _members(root)
        self.one_line = bool(members) and "\n" not in text[root.start : root.end]
        first = text[root.start + 1 : members[0].start] if members else ""
        self.unit = (first.rpartition("\n")[2] if "\n" in first else "") or _INDENT
        if self.unit.strip():
            self.unit = _INDENT

    def indent_of_line(self, at: int) -> str:
        """What the line of this place begins with."""
        line = self.text[self.text.rfind("\n", 0, at) + 1 : at]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def rendered(self, value: Any, indent: str, spread: bool) -> str:
        """A value as text; ``indent`` is that of its first line."""
        if not spread:
            return json.dumps(value, ensure_ascii=False, separators=self._separators())
        return json.dumps(value, indent=self.unit, ensure_ascii=False).replace("\n", self.newline + indent)

    def _separators(self) -> tuple[str, str]:
        return (", ", ": ") if re.search(r'":[ \t]', self.text) else (",", ":")

    def _named(self, key: str | None, value: Any, indent: str, spread: bool) -> str:
        name = "" if key is None else json.dumps(key, ensure_ascii=False) + (": " if spread else self._separators()[1])
        return name + self.rendered(value, indent, spread)

    def inserted(self, node: Node, key: str | None, value: Any) -> str:
        """The text with a last member more in a container."""
        return self._beside(node, key, value) if node.members else self._alone(node, key, value)

    def _alone(self, node: Node, key: str | None, value: Any) -> str:
        at = node.start + 1
        if self.one_line:
            return self.text[:at] + self._named(key, value, "", False) + self.text[at:]
        base = self.indent_of_line(node.start)
        indent = base + self.unit
        inside = self.text[at : node.end - 1]
        end = at if inside.strip() or "\n" in inside else node.end - 1
        tail = "" if "\n" in inside else self.newline + base
        new = self.newline + indent + self._named(key, value, indent, True) + tail
        return self.text[:at] + new + self.text[end:]

    def _beside(self, node: Node, key: str | None, value: Any) -> str:
        first, last = _members(node)[0], _members(node)[-1]
        spread = "\n" in self.text[node.start : first.start]
        indent = self.indent_of_line(first.start) if spread else ""
        lead = self.newline + indent if spread else self._separators()[0][1:]
        new = lead + self._named(key, value, indent, spread)
        end = last.node.end if last.comma is None else last.comma + 1
        remark = _REMARK.match(self.text, end) if spread else None
        behind = remark.end() if remark else end
        if last.comma is None:
            return self.text[:end] + "," + self.text[end:behind] + new + self.text[behind:]
        return self.text[:behind] + new + "," + self.text[behind:]
