"""What mem0's cloud and its library share: scope ids, and how an item of theirs becomes a memory of ours.

Items are JSON objects as either of them gives them: ``id``, ``memory``, ``user_id``, ``metadata``, ``created_at``,
``score``, and in answers of older servers ``relations`` beside the results (F-MEM0-2).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_fabric.clock import parse_instant
from memory_fabric.errors import SourceUnavailable
from memory_fabric.model.graph import EntityId, Relation, RelationOrigin
from memory_fabric.model.memory import Memory, ProjectId
from memory_fabric.model.memory_graph import MemoryRelation
from memory_fabric.model.query import Scope
from memory_fabric.model.vocabulary import predicate_of
from memory_fabric.sources.foreign import Redact, foreign_memory, in_scope
from memory_fabric.text import entity_key, fold

Item = Mapping[str, Any]

SYSTEM = "mem0"
"""Source system of every memory that is kept there."""

USERS = (
    "{project}-decisions",
    "{project}-patterns",
    "{project}-continuity",
    "{project}-agents",
    "{project}-best-practices",
    "{prefix}-global-best-practices",
    "{prefix}-global-decisions",
)
"""The user ids that a project's memories are kept under (F-SRC-8)."""

PREFIX = "orchestkit"
"""Of the global user ids (F-SRC-8)."""

LONGEST_USER = 200
"""Characters of a user id (F-SRC-8)."""

MOST_HITS = 100
"""Hits that one search of mem0 gives at most (F-SRC-10)."""

PERCENT = 1.5
"""A score above it is one of 0 to 100: rounding takes a cosine a little above 1, never that far."""

PROJECT_KEY = "project_id"
"""Metadata: the identity of the project, where the name alone could be another's (C-147)."""

_KEPT = ("user_id", "agent_id", "run_id", "categories", "updated_at", "linked_memory_ids")
"""Fields of an item that stay with the memory, as metadata."""

_WORD = re.compile(r"\w+")

FABRIC_KEY = "memory_fabric_key"
"""Metadata: our own name of what we put there, so that it is never put there twice."""


@dataclass(frozen=True, slots=True)
class Matches:
    """What one search of mem0 gave."""

    items: tuple[Item, ...]
    relations: tuple[MemoryRelation, ...] | None = None
    """None where the server keeps no graph, or was not asked for it."""


def slug(name: str, organisation: str | None = None) -> str:
    """A project's label in scope ids: lower case, other characters to one ``-`` (F-SRC-9)."""
    own = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "default-project"
    return f"{slug(organisation)}-{own}" if organisation else own


def user_id(text: str) -> str:
    """A usable user id: ``[a-z0-9_-]``, at most 200 characters (F-SRC-8)."""
    return re.sub(r"[^a-z0-9_-]+", "-", text.lower()).strip("-")[:LONGEST_USER]


@dataclass(frozen=True, slots=True)
class Users:
    """Which user ids a scope may see."""

    templates: tuple[str, ...] = USERS
    prefix: str = PREFIX
    organisation: str | None = None

    @classmethod
    def configured(cls, text: str | None) -> Users:
        """Those that an entry names, apart by commas; all of F-SRC-8 where it names none."""
        named = tuple(part.strip() for part in (text or "").split(",") if part.strip())
        return cls(named or USERS)

    def of(self, projects: Iterable[tuple[ProjectId, str]]) -> dict[str, tuple[ProjectId, ...]]:
        """User id → the projects that it stands for; none for ids that are everybody's.

        Two projects of one name share an id: what is kept there tells them apart (``PROJECT_KEY``).
        """
        found: dict[str, tuple[ProjectId, ...]] = {}
        known = list(projects)
        for template in self.templates:
            if "{project}" not in template:
                found.setdefault(self._filled(template, None), ())
                continue
            for project, name in known:
                user = self._filled(template, name)
                found[user] = (*found.get(user, ()), project)
        return found

    def for_writing(self, name: str | None) -> str:
        """The user id that a project's memories are put under; without a project, everybody's decisions."""
        fitting = [each for each in self.templates if ("{project}" in each) is (name is not None)]
        fitting.sort(key=lambda template: not template.endswith("-decisions"))
        return self._filled((fitting or list(self.templates))[0], name)

    def _filled(self, template: str, name: str | None) -> str:
        """Only what is put together here is made to fit; an id that the user wrote stands as it is."""
        if "{" not in template:
            return template
        project = slug(name or "", self.organisation)
        return user_id(template.replace("{project}", project).replace("{prefix}", self.prefix))


class ScoreScale:
    """Scores in [0, 1], whichever scale the server uses (F-NORM-4).

    A score above ``PERCENT`` shows the percent scale, and a server that once used it is taken to use it always: the
    scale belongs to the source and not to one answer (F-NORM-5).
    """

    def __init__(self) -> None:
        self._most = 1.0

    def scaled(self, items: Sequence[Item]) -> list[float]:
        """The score of each item; 0 for one without."""
        scores = [_number(item.get("score")) for item in items]
        if any(score > PERCENT for score in scores):
            self._most = 100.0
        return [min(1.0, max(0.0, score / self._most)) for score in scores]


def items_of(answer: Any) -> list[Item]:
    """The items of an answer: a bare list, or under ``results`` or ``memories``.

    Raises:
        SourceUnavailable: it has another shape.
    """
    found = answer
    if isinstance(answer, Mapping):
        found = answer.get("results", answer.get("memories"))
    if not isinstance(found, list) or not all(isinstance(item, Mapping) for item in found):
        raise SourceUnavailable(f"{SYSTEM}: answered in a shape that is not known", "is that the address of mem0?")
    return found


def relations_of(answer: Any) -> tuple[MemoryRelation, ...] | None:
    """The relations of an answer, None where it has none to give (F-MEM0-2).

    Takes ``{type, source_id, target_id, strength}`` and the older ``{relationship, source, target, score}``.
    """
    rows = answer.get("relations") if isinstance(answer, Mapping) else None
    if not isinstance(rows, list):
        return None
    found = [relation for row in rows if isinstance(row, Mapping) and (relation := _relation(row)) is not None]
    return tuple(dict.fromkeys(found))


def _relation(row: Item) -> MemoryRelation | None:
    label = row.get("type") or row.get("relationship") or row.get("relation")
    start = row.get("source_id") or row.get("source")
    end = row.get("target_id") or row.get("target") or row.get("destination")
    if not (label and start and end):
        return None
    said = row.get("strength", row.get("score"))
    strength = None if said is None else min(1.0, max(0.0, _number(said)))
    return MemoryRelation(str(label), str(start), str(end), strength, str(row.get("description") or ""))


def memory_of(source: str, item: Item, redact: Redact, names: Callable[[str], Sequence[str]]) -> Memory | None:
    """One item of the source of this name as a memory, without secrets; None where it has no id or no text.

    ``names`` gives the known entities of a text (F-NORM-4).
    """
    text = str(redact(str(item.get("memory") or item.get("text") or ""))).strip()
    if not item.get("id") or not text:
        return None
    kept = {key: item[key] for key in _KEPT if item.get(key)}
    return foreign_memory(
        SYSTEM,
        source,
        str(item["id"]),
        text,
        redact,
        at=instant_of(item),
        entities=names(text),
        metadata={**metadata_of(item), **kept},
    )


def is_mem0_id(name: str) -> bool:
    """Whether this is the id of a memory that mem0 keeps."""
    return name.startswith(f"{SYSTEM}:") and len(name) > len(SYSTEM) + 1


def record_of(name: str) -> str:
    """mem0's own id in any spelling of a memory's id: ``mem0:x``, ``mem0:work:x``, ``x``."""
    return name.rpartition(":")[2].strip()


def metadata_of(item: Item) -> dict[str, Any]:
    """The metadata of an item; empty where it has none."""
    extra = item.get("metadata")
    return dict(extra) if isinstance(extra, Mapping) else {}


def instant_of(item: Item) -> datetime | None:
    """``created_at``, else ``metadata.stored_at`` (F-NORM-4)."""
    return parse_instant(item.get("created_at")) or parse_instant(metadata_of(item).get("stored_at"))


def visible(memory: Memory, scope: Scope) -> bool:
    """Whether a question of this scope may see it; what is marked as another project's is not (C-147, C-148)."""
    marked = memory.metadata.get(PROJECT_KEY)
    return in_scope(memory, scope) and (not marked or scope.projects is None or marked in scope.projects)


def touches(memory: Memory, end: str) -> bool:
    """Whether a relation's end is this memory, or something that it names."""
    if record_of(end) == memory.origin.record:
        return True
    wanted = _spaced(end)
    return bool(wanted) and f" {wanted} " in f" {_spaced(memory.text)} "


def as_graph(relation: MemoryRelation, evidence: Memory) -> Relation:
    """A relation between entities as one of the graph, resting on the memory that was found with it."""
    canonical = predicate_of(relation.type)
    start, end = EntityId(entity_key(relation.source_id)), EntityId(entity_key(relation.target_id))
    if canonical is not None and canonical.inverted:
        start, end = end, start
    return Relation(
        subject=start,
        predicate=canonical.predicate if canonical else None,
        object=end,
        label=relation.type,
        origin=RelationOrigin.STATED,
        project=evidence.project,
        valid_from=evidence.at,
        evidence=evidence.id,
    )


def _spaced(text: str) -> str:
    return " ".join(_WORD.findall(fold(text.replace("_", " "))))


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return 0.0
    return float(value)
