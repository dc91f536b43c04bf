"""What one file gives, collected into one batch."""

from __future__ import annotations

from memory_fabric.ingest.extract.combine import united
from memory_fabric.ingest.gather import Gathered
from memory_fabric.model.graph import Entity, EntityId, Mention
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.vocabulary import Kind
from memory_fabric.ports import Extraction


def entity(name: str, *aliases: str) -> Entity:
    return Entity(EntityId("technology:redis"), name, Kind.TECHNOLOGY, aliases)


def memory(id: str) -> Memory:  # noqa: A002 - as the field is called
    return Memory(MemoryId(id), "text", MemoryKind.EXCHANGE, None, None, Origin("codex", SessionId("s")))


def test_the_first_display_name_stays_and_other_spellings_are_aliases() -> None:
    """C-050: one entity, however spelled."""
    assert united(entity("Redis"), entity("Redis")) == entity("Redis")
    both = united(entity("Redis", "redis-server"), entity("REDIS", "Redis", "redis-server", "remote dictionary"))
    assert both == entity("Redis", "redis-server", "REDIS", "remote dictionary")


def test_entities_are_once_in_a_batch_and_memories_name_those_they_mention() -> None:
    found = Extraction(
        entities=(entity("Redis"),), mentions=(Mention(MemoryId("m1"), entity("Redis").id),), dropped={"weak": 1}
    )
    gathered = Gathered()
    gathered.add(memory("m1"), 3, 0, found)
    gathered.add(memory("m2"), 4, 1, Extraction(entities=(entity("REDIS"),)))
    batch = gathered.batch((), (), None)
    assert batch.entities == (entity("Redis", "REDIS"),)
    assert [(record.memory.id, record.seq, record.part) for record in batch.records] == [("m1", 3, 0), ("m2", 4, 1)]
    assert [record.memory.entities for record in batch.records] == [("Redis",), ()]
    assert batch.mentions == (Mention(MemoryId("m1"), entity("Redis").id),)
