"""Relations that prose states, and the many sentences that state none."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_fabric.ingest.extract.rules import MAX_MENTIONS, Rules
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import RelationOrigin, as_stated
from memory_fabric.model.memory import Memory, Project
from memory_fabric.model.transcript import Exchange
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.ports import Extraction

Read = Callable[[str], Extraction]
Say = Callable[[str], list[tuple[str, str, str]]]


@pytest.fixture
def read(
    words: Lexicon, project: Project, remember: Callable[[str], Memory], exchange: Callable[..., Exchange]
) -> Read:
    rules = Rules(words)
    return lambda text: rules.extract(remember(text), exchange(), project)


@pytest.fixture
def said(read: Read) -> Say:
    def say(text: str) -> list[tuple[str, str, str]]:
        extraction = read(text)
        names = {entity.id: entity.name for entity in extraction.entities}
        stated = [as_stated(relation) for relation in extraction.relations]
        return [(names[subject], label, names[target]) for subject, label, target in stated]

    return say


def test_agent_uses_a_technology_for_a_pattern(said: Say, read: Read) -> None:
    """F-EXTR-1."""
    text = "database-engineer uses pgvector for RAG applications"
    assert said(text) == [("database-engineer", "uses", "pgvector"), ("pgvector", "used_for", "RAG")]
    assert [(e.name, e.kind, e.label) for e in read(text).entities] == [
        ("database-engineer", Kind.PERSON, "agent"),
        ("pgvector", Kind.TECHNOLOGY, "technology"),
        ("RAG", Kind.CONCEPT, "pattern"),
    ]


def test_coordinated_objects_give_one_edge_each(said: Say, read: Read) -> None:
    """F-EXTR-2."""
    text = (
        "The backend-architect decided to use Redis for session caching and PostgreSQL for persistent storage, "
        "with pgvector for RAG embeddings."
    )
    assert said(text) == [
        ("backend-architect", "uses", "Redis"),
        ("backend-architect", "uses", "PostgreSQL"),
        ("pgvector", "used_for", "RAG"),
    ]
    assert len(read(text).entities) == 5


def test_used_for_is_stored_in_the_canonical_direction(read: Read) -> None:
    """F-VOC-5: RAG uses pgvector; the label keeps the word as said."""
    relation = read("database-engineer uses pgvector for RAG applications").relations[1]
    assert (relation.subject, relation.predicate, relation.object) == (
        "concept:rag",
        Predicate.USES,
        "technology:pgvector",
    )
    assert relation.label == "used_for"
    assert as_stated(relation) == ("technology:pgvector", "used_for", "concept:rag")


def test_the_facts_of_the_traversal_acceptance(said: Say) -> None:
    """F-TRAV-6."""
    assert said("database-engineer recommends cursor-pagination. cursor-pagination uses offset-based approach.") == [
        ("database-engineer", "recommends", "cursor-pagination"),
        ("cursor-pagination", "uses", "offset-based approach"),
    ]


def test_a_stated_relation_carries_its_evidence(read: Read) -> None:
    relation = read("We use Redis.").relations[0]
    assert relation.origin is RelationOrigin.STATED
    assert relation.evidence == "m1"
    assert relation.project == "p1"
    assert relation.valid_from is not None
    assert relation.recorded_at is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We use Redis.", [("shopfront", "uses", "Redis")]),
        ("We're using Redis and Docker here.", [("shopfront", "uses", "Redis"), ("shopfront", "uses", "Docker")]),
        ("USER: I'm using Flask 2.3.1 for this.", [("shopfront", "uses", "Flask")]),
        ("Our backend is built with FastAPI.", [("shopfront", "uses", "FastAPI")]),
        ("Shopfront uses Celery.", [("shopfront", "uses", "Celery")]),
        ("Redis is used by Celery.", [("Celery", "uses", "Redis")]),
        ("security-auditor prefers JWT.", [("security-auditor", "prefers", "JWT")]),
        ("database-engineer recommended using Alembic.", [("database-engineer", "recommends", "Alembic")]),
        ("database-engineer chose PostgreSQL.", [("database-engineer", "chose", "PostgreSQL")]),
        ("database-engineer selected MySQL.", [("database-engineer", "selected", "MySQL")]),
        (
            "We chose PostgreSQL over MongoDB.",
            [("shopfront", "decided_to_use", "PostgreSQL"), ("PostgreSQL", "chose_over", "MongoDB")],
        ),
        ("Redis instead of Memcached.", [("Redis", "chose_over", "Memcached")]),
        ("`React` replaces Vue.", [("React", "replaces", "Vue")]),
        ("We replaced Flask with FastAPI.", [("FastAPI", "replaces", "Flask")]),
        ("We migrated from Flask to FastAPI.", [("FastAPI", "replaces", "Flask")]),
        ("Flask was replaced by FastAPI.", [("Flask", "replaced_by", "FastAPI")]),
        ("Django requires Python.", [("Django", "requires", "Python")]),
        ("Celery needs Redis.", [("Celery", "needs", "Redis")]),
        ("Alembic depends on SQLAlchemy.", [("Alembic", "depends_on", "SQLAlchemy")]),
        ("We rely on **zod**.", [("shopfront", "depends_on", "Zod")]),
        ("SvelteKit extends Svelte.", [("SvelteKit", "extends", "Svelte")]),
        ("pgvector enables semantic-search.", [("pgvector", "enables", "semantic-search")]),
        ("Kafka implements event-sourcing.", [("Kafka", "implements", "event-sourcing")]),
        ("Celery is blocked by Redis.", [("Celery", "blocked_by", "Redis")]),
        ("SvelteKit is part of Svelte.", [("SvelteKit", "part_of", "Svelte")]),
        ("We use Redis, but we don't use Kafka.", [("shopfront", "uses", "Redis")]),
        ("अनीता uses Postgres", [("अनीता", "uses", "PostgreSQL")]),
    ],
)
def test_each_phrase_gives_its_relation(said: Say, text: str, expected: list[tuple[str, str, str]]) -> None:
    """F-EXTR-4, C-057."""
    assert said(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "We don't use Redis.",
        "We never used Redis.",
        "We no longer use Redis.",
        "Do we use Redis?",
        "should we use Redis",
        "We could use Redis.",
        "We might use Redis.",
        "If we used Redis, it would be fast.",
        "For example, we use Redis.",
        "The parser uses Redis.",
        "ASSISTANT: I'm using Redis.",
        "We use Redis-like caching.",
        "We use redis.conf here.",
        "[node-gyp](https://github.com/nodejs/node-gyp) needs Python.",
        "see https://github.com/x use Docker",
        "A React app uses something.",
        "MySQL and Redis.",
        "Redis uses Redis.",
        "It has a Redis for Docker.",
        "```\nWe use Redis.\n```",
        "> We use Redis.",
        "| We use Redis. | yes |",
        "- [ ] We use Redis.",
        "[00:12.500 - 00:14.000] we use Redis on Friday",
        "2026-03-01 09:00:00 INFO we use Redis",
        "INFO: we use Redis",
        "<log>\nWe use Redis.\n</log>",
    ],
)
def test_what_states_nothing_gives_no_edge(said: Say, text: str) -> None:
    """F-EXTR-3, C-035: negated, asked, supposed, quoted, pasted, or with an end that is no accepted entity."""
    assert said(text) == []


def test_decided_needs_a_person(read: Read) -> None:
    """F-EXTR-8: refused and counted."""
    extraction = read("Celery recommends Redis.")
    assert extraction.relations == ()
    assert extraction.dropped == {"decided needs a person": 1}


def test_spellings_of_one_thing_are_one_node(read: Read) -> None:
    """C-050."""
    extraction = read("Redis, redis, REDIS , ＲＥＤＩＳ")
    assert [(e.id, e.name, e.aliases) for e in extraction.entities] == [
        ("technology:redis", "Redis", ("redis", "REDIS", "ＲＥＤＩＳ"))
    ]
    assert [mention.entity for mention in extraction.mentions] == ["technology:redis"]


def test_mentions_come_in_order_and_from_code_too(read: Read) -> None:
    extraction = read("Kafka and Celery.\n```\nimport redis\n```\n")
    assert [mention.entity for mention in extraction.mentions] == [
        "technology:kafka",
        "technology:celery",
        "technology:redis",
    ]


@pytest.mark.parametrize(("count", "dropped"), [(MAX_MENTIONS - 1, 0), (MAX_MENTIONS, 0), (MAX_MENTIONS + 1, 1)])
def test_mentions_have_a_limit(read: Read, count: int, dropped: int) -> None:
    agents = " ".join(f"nr{'abcdefgh'[n // 8]}{'abcdefgh'[n % 8]}-engineer" for n in range(count))
    extraction = read(agents)
    assert len(extraction.mentions) == count - dropped
    assert extraction.dropped.get("too many mentions", 0) == dropped


def test_a_summary_is_nobodys_statement(
    words: Lexicon, project: Project, remember: Callable[[str], Memory], exchange: Callable[..., Exchange]
) -> None:
    extraction = Rules(words).extract(remember("We use Redis."), exchange(derived=True), project)
    assert extraction.relations == ()
    assert len(extraction.mentions) == 1


def test_without_a_project_we_is_nobody(
    words: Lexicon, remember: Callable[[str], Memory], exchange: Callable[..., Exchange]
) -> None:
    assert Rules(words).extract(remember("We use Redis."), exchange(), None).relations == ()
