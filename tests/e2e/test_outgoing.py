"""C-112, F-PRIV-1: a store written before a rule existed leaves clean on every way out."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_fabric import Fabric, Settings
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation, RelationOrigin
from memory_fabric.model.memory import (
    Memory,
    MemoryId,
    MemoryKind,
    Origin,
    Session,
    SessionId,
    Statement,
    StatementKind,
)
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Batch, Record

SECRET = "ghp_" + "a1B2" * 9
AT = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def leaky(tmp_path: Path) -> Fabric:
    """A store that holds a secret, as one filled without redaction would."""
    text = f"USER: We decided to use the deploy token {SECRET} with Redis."
    session = SessionId("s")
    memory = Memory(MemoryId("m_1"), text, MemoryKind.EXCHANGE, None, AT, Origin("claude_code", session))
    statement = Statement(StatementKind.DECISION, f"use the deploy token {SECRET}", 0.9)
    redis, ci = Entity(EntityId("technology:redis"), "Redis", Kind.TECHNOLOGY), EntityId("technology:ci")
    fact = Relation(ci, Predicate.USES, redis.id, "uses", RelationOrigin.STATED, evidence=memory.id)
    fabric = Fabric.open(Settings(home=tmp_path, embedder="none"))
    fabric.store.save(
        Batch(
            sessions=(Session(session, "claude_code", started_at=AT, ended_at=AT),),
            records=(Record(memory, 0, statements=(statement,)),),
            entities=(redis, Entity(ci, "CI", Kind.TECHNOLOGY)),
            relations=(fact,),
            mentions=(Mention(memory.id, redis.id),),
        )
    )
    assert SECRET in fabric.store.get([memory.id])[0].text
    return fabric


def test_nothing_that_leaves_holds_a_secret(leaky: Fabric) -> None:
    with leaky as fabric:
        shown = [
            fabric.search("deploy token Redis"),
            fabric.related("Redis"),
            fabric.history(),
            fabric.load(),
            fabric.get([MemoryId("m_1")]),
        ]
    assert all("deploy token" in repr(each) for each in shown)
    assert all(SECRET not in repr(each) for each in shown)
    assert all("[redacted:" in repr(each) for each in shown)
