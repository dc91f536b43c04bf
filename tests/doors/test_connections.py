"""Related things and paths as JSON (F-MCP-2, F-TRAV-3)."""

from __future__ import annotations

from tests.doors.making import NAMES, memory, relation

from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.cli.show.relations import paths_lines, related_lines
from memory_fabric.doors.connections import MAX_CONNECTIONS, paths_json, place_of, related_json
from memory_fabric.model.graph import EntityId, Step
from memory_fabric.search.related import Connections, Related
from memory_fabric.search.traverse import Path

MEMORIES = {memory().id: memory()}
USES = relation("rag", "used_for", "pgvector", line=6)
REPLACES = relation("postgresql", "replaces", "redis")


def related(*steps: Step, cut: bool = False) -> Related:
    return Related((NAMES[EntityId("rag")],), ((NAMES[EntityId("pgvector")], 1),), steps, (memory(),), cut, dict(NAMES))


def test_related_things_have_the_fields_of_the_tool_of_that_name() -> None:
    data = related_json("rag", related(Step(USES, 1)))
    assert data["seeds"] == [{"name": "RAG", "kind": None}]
    assert data["related"] == [{"name": "pgvector", "kind": None, "hops": 1}]
    assert data["connections"] == [
        {
            "subject": "pgvector",
            "predicate": "used_for",
            "object": "RAG",
            "canonical": "uses",
            "origin": "stated",
            "project": None,
            "date": "2026-05-13T07:48:20Z",
            "until": None,
            "source": "/t/a.jsonl:6",
            "memory": "m_1",
            "hops": 1,
        }
    ]
    assert (data["entity"], data["found"], data["cut"]) == ("rag", True, False)


def test_at_most_120_connections_are_given_and_the_cut_is_said() -> None:
    """F-MCP-2."""
    exactly = [Step(relation("rag", f"l{n}", "redis"), 1) for n in range(MAX_CONNECTIONS)]
    assert related_json("rag", related(*exactly))["cut"] is False
    more = related_json("rag", related(*exactly, Step(USES, 2)))
    assert len(more["connections"]) == 120
    assert more["cut"] is True


def test_the_source_is_the_relations_own_line_else_where_its_memory_begins() -> None:
    """F-EDGE-6."""
    assert place_of(USES, MEMORIES) == "/t/a.jsonl:6"
    assert place_of(REPLACES, MEMORIES) == "/t/a.jsonl:4"
    assert place_of(REPLACES, {}) is None


def test_a_path_names_every_thing_on_it_and_how_it_is_reached() -> None:
    """F-TRAV-3."""
    ids = (EntityId("postgresql"), EntityId("redis"), EntityId("gone"))
    found = Connections((Path(ids, (REPLACES, USES)),), dict(NAMES))
    data = paths_json("postgres", "gone", found, MEMORIES)
    assert data["path_count"] == 1
    assert data["paths"][0]["depth"] == 2
    nodes = data["paths"][0]["path"]
    assert [(node["entity"], node["depth"]) for node in nodes] == [("PostgreSQL", 0), ("Redis", 1), ("gone", 2)]
    assert "relation" not in nodes[0]
    assert nodes[1]["relation"]["predicate"] == "replaces"
    assert nodes[1]["memory_id"] == "m_1"


def test_people_see_one_relation_a_line_with_its_date_and_source() -> None:
    assert list(related_lines(related(Step(USES, 1), Step(REPLACES, 2)), Paint())) == [
        "RAG  of no known kind",
        "",
        "1 step away",
        "  pgvector —used_for→ RAG  (2026-05-13, /t/a.jsonl:6)",
        "",
        "2 steps away",
        "  PostgreSQL —replaces→ Redis  (2026-05-13, /t/a.jsonl:4)",
    ]


def test_people_see_each_way_with_its_relations() -> None:
    ids = (EntityId("postgresql"), EntityId("redis"))
    found = Connections((Path(ids, (REPLACES,)), Path(ids, (REPLACES,))), dict(NAMES))
    assert list(paths_lines(found, MEMORIES, Paint()))[:3] == [
        " 1. PostgreSQL · Redis",
        "    PostgreSQL —replaces→ Redis  (2026-05-13, /t/a.jsonl:4)",
        "",
    ]
