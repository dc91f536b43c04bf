"""Taking in the file of the official memory server, and writing one that it reads (F-MCP-14)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory_fabric.doors import memory_records
from memory_fabric.doors.memory_records import BadLine, MemoryFile
from memory_fabric.errors import UsageError
from memory_fabric.ingest.redact import redact_value
from memory_fabric.model.nodes import Link, Node
from memory_fabric.model.query import Scope

if TYPE_CHECKING:
    from memory_fabric.app import Fabric

FORMAT = "memory_jsonl"
"""Name of the format in the ledger."""

PAGE = 500
"""Nodes or links a transaction when reading, a query when writing: a server that writes meanwhile is not held up."""

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class MemoryFileReport:
    """What taking in a file did."""

    path: str
    entities: int = 0
    """New ones; those that were known are told under ``known``."""
    observations: int = 0
    """Added to entities that were known."""
    relations: int = 0
    known: int = 0
    """Entities and relations that were there already."""
    bad: tuple[BadLine, ...] = ()
    unresolved: tuple[str, ...] = ()
    """Names at an end of a relation that no entity has yet (C-048)."""
    redacted: Mapping[str, int] = field(default_factory=dict)
    """Kind → secrets that were taken out."""
    already: bool = False
    """This very content was taken in before: nothing was read."""

    def as_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {
            "file": self.path,
            "counts": {
                "entity": self.entities,
                "observation": self.observations,
                "relation": self.relations,
            },
            "known": self.known,
            "bad_lines": [{"line": bad.number, "reason": bad.reason} for bad in self.bad],
            "unresolved": list(self.unresolved),
            "redacted": dict(self.redacted),
            "already": self.already,
        }


def import_memory_file(fabric: Fabric, path: Path, *, again: bool = False) -> MemoryFileReport:
    """Take in everything that a file holds and that can be read; what is there already stays as it is.

    The content is remembered: the same file is taken in once (``again``: once more, which changes nothing but what was
    deleted meanwhile).  Broken lines are counted, named by number, and left out.

    Raises:
        UsageError: the file cannot be read.
        StoreUnavailable: the store failed; what was taken in before stays.
    """
    try:
        path = path.resolve(strict=True)
        data, status = path.read_bytes(), path.stat()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", "check the path") from error
    digest = hashlib.sha256(data).hexdigest()
    entry = fabric.store.entry(str(path))
    if not again and entry is not None and (entry.format, entry.head_hash) == (FORMAT, digest):
        return MemoryFileReport(str(path), already=True)
    file = memory_records.read(memory_records.decoded(data))
    report = take_in(fabric, file, str(path))
    _note(fabric, file, path, (len(data), status.st_mtime_ns, status.st_ino, digest))
    return report


def take_in(fabric: Fabric, file: MemoryFile, name: str) -> MemoryFileReport:
    """Write what was read; doing it twice changes nothing."""
    redacted: Counter[str] = Counter()
    nodes = [_safe_node(node, redacted) for node in file.nodes.values()]
    links = [_safe_link(link, redacted) for link in file.links.values()]
    entities = observations = relations = 0
    unresolved: dict[str, None] = {}
    for page in _pages(nodes):
        created = fabric.knowledge.create_nodes(page)
        entities += len(created.new)
        observations += sum(len(each.contents) for each in fabric.knowledge.add_observations(created.ignored))
    for links_page in _pages(links):
        made = fabric.knowledge.create_links(links_page)
        relations += len(made.new)
        unresolved.update(dict.fromkeys(made.unresolved))
    return MemoryFileReport(
        name,
        entities,
        observations,
        relations,
        len(nodes) - entities + len(links) - relations,
        tuple(file.bad),
        tuple(unresolved),
        dict(redacted),
    )


def _pages(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), PAGE):
        yield items[start : start + PAGE]


def _safe_node(node: Node, redacted: Counter[str]) -> Node:
    name, kind, observations = redact_value([node.name, node.type, list(node.observations)], redacted)
    return Node(name, kind, tuple(observations))


def _safe_link(link: Link, redacted: Counter[str]) -> Link:
    return Link(*redact_value([link.start, link.relation, link.end], redacted))


def _note(fabric: Fabric, file: MemoryFile, path: Path, seen: tuple[int, int, int, str]) -> None:
    """Remember that this content was taken in, and what was broken in it, where ``doctor`` looks."""
    from memory_fabric.ports import Batch, Cursor, LedgerEntry

    size, mtime, inode, digest = seen
    used = {memory_records.ENTITY: len(file.nodes), memory_records.RELATION: len(file.links)}
    skipped = {"broken json": len(file.bad)} if file.bad else {}
    entry = LedgerEntry(str(path), FORMAT, size, mtime, inode, digest, Cursor(size), None, -1, used, skipped)
    fabric.store.save(Batch(ledger=entry))


def export_lines(fabric: Fabric, counts: Counter[str], redacted: Counter[str]) -> Iterator[str]:
    """The whole graph as the official server's file; ``counts`` and ``redacted`` get how many of each kind.

    Raises:
        StoreUnavailable: the store failed.
    """
    store = fabric.store
    nodes = (_safe_node(node, redacted) for node in _all(lambda offset: store.list_nodes(Scope(), offset, PAGE)))
    links = (_safe_link(link, redacted) for link in _all(lambda offset: store.list_links(Scope(), offset, PAGE)))
    yield from memory_records.lines_of(nodes, links, counts)


def _all(page: Callable[[int], Sequence[_Item]]) -> Iterator[_Item]:
    offset = 0
    while found := page(offset):
        yield from found
        offset += len(found)
