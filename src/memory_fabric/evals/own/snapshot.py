"""What a store holds, read once through its export, for those who make questions of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from memory_fabric.clock import parse_instant
from memory_fabric.text import analyse, entity_key

COMMIT = "commit"
"""Label of the entity that a commit's tool call made."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """One memory."""

    id: str
    text: str
    kind: str
    session: str
    at: datetime | None
    project: str | None
    tools: tuple[Mapping[str, str], ...]
    """``kind``, ``name`` and ``target`` of each call, as kept."""
    mentions: tuple[str, ...]
    """Ids of entities."""


@dataclass(frozen=True, slots=True)
class Named:
    """One entity."""

    id: str
    name: str
    kind: str | None
    label: str | None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Snapshot:
    """Everything that questions are made of."""

    chunks: Mapping[str, Chunk]
    entities: Mapping[str, Named]
    related: frozenset[str]
    """Memories on which a relation rests."""
    roots: Mapping[str, str]
    """Project → its root directory."""
    parents: Mapping[str, str]
    """Session → the session that spawned it."""

    def conversation(self, session: str) -> str:
        """The session at the root: what a sub-agent says is said in the session that started it."""
        seen = {session}
        while (parent := self.parents.get(session)) is not None and parent not in seen:
            seen.add(parent)
            session = parent
        return session

    @cached_property
    def terms(self) -> Mapping[str, frozenset[str]]:
        """Memory → its index terms."""
        return {id_: frozenset(analyse(chunk.text)) for id_, chunk in self.chunks.items()}

    @cached_property
    def frequency(self) -> Counter[str]:
        """Index term → memories that hold it."""
        return Counter(term for terms in self.terms.values() for term in terms)

    @cached_property
    def names(self) -> Mapping[str, frozenset[str]]:
        """Key of a name or alias → the entities that bear it."""
        named = ((name, each.id) for each in self.entities.values() for name in (each.name, *each.aliases))
        return _grouped((entity_key(name), entity) for name, entity in named)

    @cached_property
    def mentioning(self) -> Mapping[str, tuple[str, ...]]:
        """Entity → memories that mention it, in the order of the export."""
        found: dict[str, list[str]] = {}
        for chunk in self.chunks.values():
            for entity in chunk.mentions:
                found.setdefault(entity, []).append(chunk.id)
        return {entity: tuple(chunks) for entity, chunks in found.items()}

    @cached_property
    def sessions(self) -> Mapping[str, frozenset[str]]:
        """Session → its memories."""
        return _grouped((chunk.session, chunk.id) for chunk in self.chunks.values())

    @cached_property
    def conversations(self) -> Mapping[str, frozenset[str]]:
        """Session at the root → the memories of it and of those below it."""
        return _grouped((self.conversation(chunk.session), chunk.id) for chunk in self.chunks.values())


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for key, value in pairs:
        found.setdefault(key, set()).add(value)
    return {key: frozenset(values) for key, values in found.items()}


def snapshot(rows: Iterable[Mapping[str, Any]]) -> Snapshot:
    """What an export says (``Fabric.export``)."""
    chunks: dict[str, Chunk] = {}
    entities: dict[str, Named] = {}
    related: set[str] = set()
    roots: dict[str, str] = {}
    parents: dict[str, str] = {}
    for row in rows:
        what = row["type"]
        if what == "memory":
            chunks[row["id"]] = _chunk(row)
        elif what == "entity":
            entities[row["id"]] = Named(row["id"], row["name"], row["kind"], row["label"], tuple(row["aliases"]))
        elif what == "relation" and row["evidence"] is not None:
            related.add(row["evidence"])
        elif what == "project":
            roots[row["id"]] = row["root"]
        elif what == "session" and row["parent"] is not None:
            parents[row["id"]] = row["parent"]
    return Snapshot(chunks, entities, frozenset(related), roots, parents)


def _chunk(row: Mapping[str, Any]) -> Chunk:
    tools = row["metadata"].get("tools") or ()
    return Chunk(
        id=row["id"],
        text=row["text"],
        kind=row["kind"],
        session=row["origin"]["session"],
        at=parse_instant(row["at"]) if row["at"] else None,
        project=row["project"],
        tools=tuple(tool for tool in tools if isinstance(tool, Mapping)),
        mentions=tuple(row["mentions"]),
    )
