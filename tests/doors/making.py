"""Values for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memory_fabric.model.graph import Entity, EntityId, Relation, RelationOrigin
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, ProjectId, SessionId
from memory_fabric.model.query import Intent, Query, Scope
from memory_fabric.model.result import Answer, Candidate, Factor, Result
from memory_fabric.model.vocabulary import Predicate

NOW = datetime(2026, 5, 20, tzinfo=UTC)
AT = datetime(2026, 5, 13, 7, 48, 20, tzinfo=UTC)
TEXT = "USER: Where do sessions live?\n\nASSISTANT: Sessions live in Redis."


def memory(name: str = "m_1", **changes: Any) -> Memory:
    values: dict[str, Any] = {
        "id": MemoryId(name),
        "text": TEXT,
        "kind": MemoryKind.EXCHANGE,
        "project": ProjectId("p_1"),
        "at": AT,
        "origin": Origin("claude_code", SessionId("s_1"), "/t/a.jsonl", 4, 9, "u-1"),
        "entities": ("Redis",),
        "metadata": {"branch": "main"},
    }
    return Memory(**{**values, **changes})


def relation(subject: str = "pgvector", label: str = "used_for", object_: str = "rag", **changes: Any) -> Relation:
    values: dict[str, Any] = {
        "subject": EntityId(subject),
        "predicate": Predicate.USES,
        "object": EntityId(object_),
        "label": label,
        "origin": RelationOrigin.STATED,
        "valid_from": AT,
        "evidence": MemoryId("m_1"),
    }
    return Relation(**{**values, **changes})


def entity(name: str) -> Entity:
    return Entity(EntityId(name.casefold()), name, None)


NAMES = {each.id: each for each in map(entity, ("pgvector", "RAG", "Redis", "PostgreSQL"))}

FACTORS = (Factor("recency", 0.81234567, 0.3), Factor("relevance", 0.7, 0.5), Factor("authority", 1.0, 0.2))


def result(**changes: Any) -> Result:
    values: dict[str, Any] = {"memory": memory(), "relevance": 0.7, "found_by": {"text": 0.5, "vector": 0.6}}
    return Result(Candidate(**{**values, **changes}), FACTORS)


def answer(*results: Result, mix: Mapping[str, float] | None = None, **changes: Any) -> Answer:
    query = Query(
        "where do sessions live", "sessions live", ("session", "live"), (), Intent.GENERAL, None, Scope(), NOW
    )
    values: dict[str, Any] = {
        "query": query,
        "results": results,
        "mix": {"text": 0.7, "vector": 0.3} if mix is None else mix,
        "counts": {"text": 5, "vector": 4},
        "merged": sum(bool(each.candidate.absorbed) for each in results),
        "absorbed": sum(len(each.candidate.absorbed) for each in results),
        "seconds": {"text": 0.0123456},
    }
    return Answer(**{**values, **changes})
