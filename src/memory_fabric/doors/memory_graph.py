"""Memories and what relates them as JSON (F-TRAV-2, F-TRAV-3, F-TRAV-5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from memory_fabric.doors.results import Names, memory_json, relation_json
from memory_fabric.model.memory import MemoryId
from memory_fabric.model.memory_graph import MemoryPath, MemoryStep, RelatedMemory
from memory_fabric.model.result import Answer

Json = dict[str, Any]


def related_memories_json(
    memory_id: str, found: Sequence[RelatedMemory], depth: int, relation_type: str | None
) -> Json:
    """The memories around one (F-TRAV-2)."""
    return {
        "memory_id": memory_id,
        "depth": depth,
        "relation_type": relation_type,
        "count": len(found),
        "related_memories": [
            {"memory": memory_json(each.memory), "relation": asdict(each.relation), "depth": each.depth}
            for each in found
        ],
    }


def memory_paths_json(found: Sequence[MemoryPath]) -> Json:
    """The ways from a memory (F-TRAV-3)."""
    return {
        "path_count": len(found),
        "paths": [
            {"path": [_step(step, place) for place, step in enumerate(path.steps)], "depth": path.depth}
            for path in found
        ],
    }


def with_graph(whole: Json, answer: Answer, names: Names) -> Json:
    """An answer's JSON with everything that relates its results (F-MEM0-2, F-TRAV-5).

    ``by_source`` counts the relations by who keeps the memory that they rest on: a memory that gave none stands with 0.
    """
    outside = _outside(answer)
    kept = {
        relation: outside.get(relation.evidence or MemoryId(""), "graph")
        for result in answer.results
        for relation in result.candidate.relations
    }
    rows = [relation_json(relation, names) for relation in kept]
    types: dict[str, int] = {}
    for row in rows:
        types[row["relation"]] = types.get(row["relation"], 0) + 1
    by_source = dict.fromkeys(("graph", *outside.values()), 0)
    for source in kept.values():
        by_source[source] += 1
    results = [
        shown | {"related_via": [relation_json(each, names) for each in result.candidate.relations]}
        for shown, result in zip(whole["results"], answer.results, strict=True)
    ]
    summary = {"total_relations": len(rows), "relation_types": dict(sorted(types.items())), "by_source": by_source}
    return {**whole, "results": results, "relations": rows, "graph_enabled": True, "relationship_summary": summary}


def _outside(answer: Answer) -> dict[MemoryId, str]:
    """Memories that are kept elsewhere, and where."""
    return {
        memory.id: memory.origin.outside
        for result in answer.results
        for memory in (result.candidate.memory, *result.candidate.absorbed)
        if memory.origin.outside
    }


def _step(step: MemoryStep, depth: int) -> Json:
    shown: Json = {"memory_id": step.memory.id, "memory": memory_json(step.memory), "depth": depth}
    return shown if step.relation is None else {**shown, "relation": asdict(step.relation)}
