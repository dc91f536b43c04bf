"""A copy of the store to ask, from which everything is taken out that tells a commit's session.

``git commit -m`` holds the question.  So the calls that made commits, their entities and relations, and every other
tool call that holds a subject which is asked about, are no part of the copy.  The user's own file is only read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memory_fabric.clock import utcnow
from memory_fabric.evals.own.snapshot import COMMIT
from memory_fabric.ingest.formats.toolcalls import commit_subjects
from memory_fabric.model.graph import EntityId, Mention, Relation
from memory_fabric.model.memory import Memory, Statement
from memory_fabric.model.transcript import ToolKind
from memory_fabric.ports import Batch, Record
from memory_fabric.text import fold

if TYPE_CHECKING:
    from memory_fabric.app import Fabric


def tells(tool: Mapping[str, Any], subjects: Sequence[str]) -> bool:
    """Whether a tool call made a commit, or holds one of these folded subjects."""
    target = str(tool.get("target", ""))
    if tool.get("kind") == ToolKind.COMMIT or commit_subjects(target):
        return True
    folded = fold(target)
    return any(subject in folded for subject in subjects)


def copy(source: Fabric, folder: Path) -> Path:
    """Copy the store with its vectors into a folder, and give the file."""
    target = folder / source.settings.store.name
    source.store.back_up(target)
    return target


def take_out(fabric: Fabric, asked: Iterable[str]) -> int:
    """Take what tells the sessions of these subjects out of a copy; gives the number of memories that changed.

    Their texts, and so their vectors, stay as they are.
    """
    subjects = [folded for subject in asked if (folded := fold(subject))]
    rows: list[Mapping[str, Any]] = list(fabric.export())
    made = {row["id"]: str(row["name"]) for row in rows if row["type"] == "entity" and row["label"] == COMMIT}
    changed = [row for row in rows if row["type"] == "memory" and _touches(row, made, subjects)]
    ids = {row["id"] for row in changed}
    fabric.store.save(
        Batch(
            records=tuple(_record(row, frozenset(made.values()), subjects) for row in changed),
            relations=tuple(
                _value(row, Relation) for row in rows if row["type"] == "relation" and row["evidence"] in ids
            ),
            mentions=tuple(Mention(row["id"], EntityId(each)) for row in changed for each in row["mentions"]),
        )
    )
    fabric.store.delete_nodes(sorted(set(made.values())), utcnow())
    return len(changed)


def _touches(row: Mapping[str, Any], made: Mapping[Any, str], subjects: Sequence[str]) -> bool:
    return any(each in made for each in row["mentions"]) or any(tells(tool, subjects) for tool in _tools(row))


def _tools(row: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [tool for tool in row["metadata"].get("tools") or () if isinstance(tool, Mapping)]


def _record(row: Mapping[str, Any], made: frozenset[str], subjects: Sequence[str]) -> Record:
    memory: Memory = _value(row, Memory)
    tools = [tool for tool in _tools(row) if not tells(tool, subjects)]
    without = replace(
        memory,
        entities=tuple(name for name in memory.entities if name not in made),
        metadata={**memory.metadata, "tools": tools},
    )
    return Record(without, row["seq"], row["part"], tuple(_value(each, Statement) for each in row["statements"]))


def _value(row: Mapping[str, Any], form: type[Any]) -> Any:
    import msgspec

    return msgspec.convert(dict(row), form)
