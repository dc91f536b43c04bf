"""Related things and paths as JSON (F-MCP-2, F-TRAV-2, F-TRAV-3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_fabric.doors.results import instant, memory_json
from memory_fabric.model.graph import EntityId, Relation
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.search.related import Connections, Related, as_written
from memory_fabric.search.traverse import Path

MAX_CONNECTIONS = 120
"""Relations of one answer (F-MCP-2)."""

Json = dict[str, Any]
Memories = Mapping[MemoryId, Memory]


def related_json(name: str, found: Related) -> Json:
    """What is around a thing, nearest first."""
    memories = {memory.id: memory for memory in found.memories}
    return {
        "entity": name,
        "found": True,
        "seeds": [{"name": each.name, "kind": each.label or each.kind} for each in found.starts],
        "related": [
            {"name": each.name, "kind": each.label or each.kind, "hops": hops} for each, hops in found.entities
        ],
        "connections": [
            {**connection_json(step.relation, found.names, memories), "hops": step.hops}
            for step in found.steps[:MAX_CONNECTIONS]
        ],
        "memories": [memory_json(memory) for memory in found.memories],
        "cut": found.cut or len(found.steps) > MAX_CONNECTIONS,
    }


def connection_json(relation: Relation, names: Mapping[EntityId, Any], memories: Memories) -> Json:
    """One relation as it was said, with its time and the line that shows it."""
    subject, label, object_ = as_written(relation, dict(names))
    return {
        "subject": subject,
        "predicate": label,
        "object": object_,
        "canonical": relation.predicate,
        "origin": relation.origin.value,
        "project": relation.project,
        "date": instant(relation.valid_from),
        "until": instant(relation.valid_to),
        "source": place_of(relation, memories),
        "memory": relation.evidence,
    }


def place_of(relation: Relation, memories: Memories) -> str | None:
    """``file:line`` of a relation's evidence: its own line where one line shows it, else where the memory begins."""
    memory = memories.get(relation.evidence) if relation.evidence else None
    if memory is None or memory.origin.file is None:
        return None
    line = relation.line or memory.origin.first_line
    return f"{memory.origin.file}:{line}" if line else memory.origin.file


def paths_json(start: str, goal: str, found: Connections, memories: Memories) -> Json:
    """Every path as its entities in order, each with the relation that leads to it."""
    return {
        "from": start,
        "to": goal,
        "path_count": len(found.paths),
        "paths": [{"path": _nodes(path, found, memories), "depth": path.hops} for path in found.paths],
    }


def _nodes(path: Path, found: Connections, memories: Memories) -> list[Json]:
    nodes: list[Json] = []
    for depth, entity in enumerate(path.entities):
        node: Json = {"entity": found.names[entity].name if entity in found.names else entity, "depth": depth}
        if depth:
            relation = path.relations[depth - 1]
            node["relation"] = connection_json(relation, found.names, memories)
            node["memory_id"] = relation.evidence
        nodes.append(node)
    return nodes
