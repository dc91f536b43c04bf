"""The official memory server's file: written as it reads it, read as people have it (formats.md §10, F-MCP-14, C-046).

One object a line, ``{"type": "entity", …}`` or ``{"type": "relation", …}``.  Seen in the wild and taken: arrays, one
object, a dumped graph, nothing at all, several objects on a line, other servers' keys, names that differ in case.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from memory_fabric.model.nodes import Link, Node
from memory_fabric.text import clean, entity_key

ENTITY, RELATION = "entity", "relation"

UNTYPED = "unknown"
"""Type of an entity that comes without one."""

_NAME = ("name", "entityName", "entity_name")
_TYPE = ("entityType", "entity_type", "type")
_OBSERVATIONS = ("observations", "observation")
_CONTENT = ("content", "text", "observation")
_START = ("from", "source", "subject")
_END = ("to", "target", "object")
_LABEL = ("relationType", "relation_type", "relation", "predicate")
"""Keys by which forks and older files say the same, the official one first."""


@dataclass(frozen=True, slots=True)
class BadLine:
    """What could not be taken."""

    number: int
    """Line, from 1; of a file that is one array the number of the entry."""
    reason: str
    """Never what stands there."""


@dataclass(slots=True)
class MemoryFile:
    """What a file holds: nodes and links, each once, in the order met."""

    nodes: dict[str, Node] = field(default_factory=dict)
    """``entity_key`` of the name → the node; names that differ in case or separators are one (C-050)."""
    links: dict[tuple[str, str, str], Link] = field(default_factory=dict)
    bad: list[BadLine] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        """Whether nothing stands in it: no line, ``[]`` or ``{}`` (C-046)."""
        return not (self.nodes or self.links or self.bad)

    @property
    def recognised(self) -> bool:
        """Whether anything in it is of our kind."""
        return bool(self.nodes or self.links)

    def add_node(self, node: Node) -> None:
        """Take a node; said again it adds its observations to the first."""
        key = entity_key(node.name)
        known = self.nodes.get(key)
        if known is not None:
            node = Node(known.name, known.type, tuple(dict.fromkeys((*known.observations, *node.observations))))
        self.nodes[key] = node

    def add_link(self, link: Link) -> None:
        """Take a link; its ends need not be there."""
        self.links.setdefault((entity_key(link.start), link.relation, entity_key(link.end)), link)


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def lines_of(nodes: Iterable[Node], links: Iterable[Link], counts: Counter[str]) -> Iterator[str]:
    """Entities, then relations, with exactly the declared keys; ``counts`` gets how many of each.

    The official server knows an entity by its name alone: things that share one are written as one.
    """
    file = MemoryFile()
    for node in nodes:
        file.add_node(node)
    for link in links:
        file.add_link(link)
    for node in file.nodes.values():
        counts[ENTITY] += 1
        yield _line(type=ENTITY, name=node.name, entityType=node.type, observations=list(node.observations))
    for (start, relation, end), link in file.links.items():
        names = [
            file.nodes[key].name if key in file.nodes else name for key, name in ((start, link.start), (end, link.end))
        ]
        counts[RELATION] += 1
        yield _line(**{"type": RELATION, "from": names[0], "to": names[1], "relationType": relation})


def _line(**fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


# ── reading ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def decoded(data: bytes) -> str:
    """The text of a file; bytes that are no UTF-8 become U+FFFD."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8-sig", errors="replace")


def read(text: str) -> MemoryFile:
    """Everything that can be read; the rest is in ``bad``.  Never raises."""
    file = MemoryFile()
    for number, value in _values(text, file.bad):
        reason = _take(value, file)
        if reason is not None:
            file.bad.append(BadLine(number, reason))
    file.bad.sort(key=lambda bad: bad.number)
    return file


def _values(text: str, bad: list[BadLine]) -> Iterator[tuple[int, Any]]:
    """Every value with its number: the entries of one document, else the values on each line."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from _values_on_lines(text, bad)
        return
    if isinstance(whole, dict) and _is_graph(whole):
        whole = [*(whole.get("entities") or ()), *(whole.get("relations") or ())]
    entries = whole if isinstance(whole, list) else [whole]
    yield from ((number, entry) for number, entry in enumerate(entries, 1) if entry != {})


def _is_graph(value: Mapping[str, Any]) -> bool:
    """What ``read_graph`` returns, saved as a file."""
    parts = [value[key] for key in ("entities", "relations") if key in value]
    return bool(parts) and all(part is None or isinstance(part, list) for part in parts)


def _values_on_lines(text: str, bad: list[BadLine]) -> Iterator[tuple[int, Any]]:
    decoder = json.JSONDecoder()
    for number, line in enumerate(text.split("\n"), 1):
        place = 0
        while (place := _skip_blank(line, place)) < len(line):
            try:
                value, place = decoder.raw_decode(line, place)
            except (ValueError, RecursionError):
                bad.append(BadLine(number, "not JSON"))
                break
            entries = value if isinstance(value, list) else [value]
            yield from ((number, entry) for entry in entries if entry != {})


def _skip_blank(line: str, place: int) -> int:
    """Past white space, and commas between objects as in an array without its brackets."""
    while place < len(line) and (line[place].isspace() or line[place] in ",\0"):
        place += 1
    return place


def _take(value: Any, file: MemoryFile) -> str | None:
    """Add an entity or a relation; the reason why not, or None."""
    if not isinstance(value, dict):
        return "not an object"
    kind = value.get("type")
    if kind == RELATION or (kind != ENTITY and _first(value, _START) is not None and _first(value, _END) is not None):
        return _take_link(value, file)
    if kind == ENTITY or _first(value, _NAME) is not None:
        return _take_node(value, file)
    return "neither an entity nor a relation"


def _take_node(value: Mapping[str, Any], file: MemoryFile) -> str | None:
    name = _text(_first(value, _NAME))
    if not entity_key(name):
        return "an entity without a name"
    kinds = [key for key in _TYPE if key != "type" or value.get(key) != ENTITY]
    given = _first(value, _OBSERVATIONS)
    listed = given if isinstance(given, list) else [] if given is None else [given]
    observations = [_text(_first(each, _CONTENT) if isinstance(each, dict) else each) for each in listed]
    kept = tuple(dict.fromkeys(text for text in observations if text.strip()))
    file.add_node(Node(name.strip(), _text(_first(value, kinds)).strip() or UNTYPED, kept))
    return None if all(observations) else "an observation that is no text"


def _take_link(value: Mapping[str, Any], file: MemoryFile) -> str | None:
    start, end = _text(_first(value, _START)), _text(_first(value, _END))
    label = _text(_first(value, _LABEL)).strip()
    if not entity_key(start) or not entity_key(end):
        return "a relation without its ends"
    if not label:
        return "a relation without its type"
    file.add_link(Link(start.strip(), label, end.strip()))
    return None


def _first(value: Mapping[str, Any], keys: Iterable[str]) -> Any:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _text(value: Any) -> str:
    """A text, or a number as text; anything else is none."""
    if isinstance(value, str):
        return clean(value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else ""
