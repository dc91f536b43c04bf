"""Several extractors as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from memory_fabric.errors import ConfigError, ExtractionError
from memory_fabric.ingest.extract import WAYS, extract_all, extractors
from memory_fabric.ingest.extract.rules import Rules
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import Entity, EntityId, Mention, Relation, RelationOrigin
from memory_fabric.model.memory import Memory, MemoryId, Project
from memory_fabric.model.transcript import Exchange, ToolCall, ToolKind
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Extraction


@dataclass(frozen=True)
class Canned:
    """An extractor that always finds the same."""

    found: Extraction
    name: str = "canned"

    def extract(self, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:  # noqa: ARG002
        return self.found


def entity(name: str, *aliases: str) -> Entity:
    return Entity(EntityId(name.lower()), name, Kind.TECHNOLOGY, aliases)


def relation(subject: str, target: str) -> Relation:
    return Relation(EntityId(subject), Predicate.USES, EntityId(target), "uses", RelationOrigin.STATED)


def test_everything_is_kept_once_and_drops_are_added(
    remember: Callable[[str], Memory], exchange: Callable[..., Exchange]
) -> None:
    one = Extraction(
        entities=(entity("Redis", "rd"), entity("Celery")),
        relations=(relation("celery", "redis"), relation("celery", "nowhere"), relation("redis", "redis")),
        mentions=(Mention(MemoryId("m1"), EntityId("redis")),),
        dropped={"filler": 1},
    )
    two = Extraction(
        entities=(entity("REDIS", "rds"),),
        relations=(relation("celery", "redis"),),
        mentions=(Mention(MemoryId("m1"), EntityId("redis")),),
        dropped={"filler": 2},
    )
    merged = extract_all([Canned(one), Canned(two)], remember(""), exchange(), None)
    assert merged == Extraction(
        entities=(entity("Redis", "rd", "REDIS", "rds"), entity("Celery")),
        relations=(relation("celery", "redis"),),
        mentions=(Mention(MemoryId("m1"), EntityId("redis")),),
        dropped={"filler": 3, "unknown end": 1, "same ends": 1},
    )


def test_all_ways_load_and_agree_on_ids(
    words: Lexicon, project: Project, remember: Callable[[str], Memory], exchange: Callable[..., Exchange]
) -> None:
    """Prose and tool calls meet in one entity."""
    found = extractors(words)
    assert [extractor.name for extractor in found] == list(WAYS)
    calls = exchange(ToolCall(ToolKind.COMMAND, "Bash", "psql -l", 4))
    extraction = extract_all(found, remember("USER: We use Postgres for all of it."), calls, project)
    assert [(e.id, e.aliases) for e in extraction.entities] == [
        ("technology:postgresql", ("psql", "Postgres")),
        ("project:p1", ()),
    ]
    assert len(extraction.relations) == 1, "observed and stated: one edge a memory, the observed one"
    assert extraction.relations[0].origin is RelationOrigin.OBSERVED


def test_extraction_is_deterministic(
    words: Lexicon, project: Project, remember: Callable[[str], Memory], exchange: Callable[..., Exchange]
) -> None:
    text = "USER: We chose Redis over Memcached because it persists.\n\nASSISTANT: database-engineer recommends Redis."
    runs = [extract_all(extractors(words), remember(text), exchange(), project) for _ in range(2)]
    assert runs[0] == runs[1]


def test_an_unknown_way_is_named(words: Lexicon) -> None:
    with pytest.raises(ConfigError, match="'magic'"):
        extractors(words, ["magic"])


class Broken:
    """An extractor whose model answered nonsense."""

    name = "model"

    def extract(self, memory: Memory, exchange: Exchange, project: Project | None) -> Extraction:  # noqa: ARG002
        raise ExtractionError("the reply is no JSON")


def test_a_failed_extraction_costs_its_facts_alone(
    remember: Callable[[str], Memory], exchange: Callable[..., Exchange], words: Lexicon
) -> None:
    """F-ERR-9: the memory is kept, what the others found too, and the failure is counted."""
    memory = remember("USER: We decided to use Redis for caching because it is fast.")
    alone = extract_all([Rules(words)], memory, exchange(), None)
    found = extract_all([Broken(), Rules(words)], memory, exchange(), None)
    assert found.mentions == alone.mentions != ()
    assert found.dropped == {**alone.dropped, "model failed": 1}
