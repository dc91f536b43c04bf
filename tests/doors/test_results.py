"""The seeds' result format (F-RES-1 to F-RES-5)."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from tests.doors.making import AT, NAMES, answer, memory, relation, result

from memory_fabric.doors.results import answer_json, instant, main_source, relation_ends, result_json
from memory_fabric.model.memory import Origin, SessionId
from memory_fabric.model.result import Outage

OPTIONAL_TEXT = (str, type(None))
NUMBER = (int, float)
ORIGIN = {
    "source": str,
    "session": str,
    "file": OPTIONAL_TEXT,
    "first_line": (int, type(None)),
    "last_line": (int, type(None)),
    "record": OPTIONAL_TEXT,
}
ABSORBED = {
    "id": str,
    "text": str,
    "timestamp": OPTIONAL_TEXT,
    "kind": str,
    "project": OPTIONAL_TEXT,
    "origin": ORIGIN,
    "entities": [str],
}
SCHEMA: dict[str, Any] = {
    "query": str,
    "total_results": int,
    "sources": {...: int},
    "results": [
        {
            "id": str,
            "text": str,
            "score": float,
            "source": str,
            "timestamp": OPTIONAL_TEXT,
            "cross_validated": bool,
            "entities": [str],
            "graph_relations": [{"from": str, "relation": str, "to": str}],
            "kind": str,
            "project": OPTIONAL_TEXT,
            "origin": ORIGIN,
            "factors": [{"name": str, "value": NUMBER, "weight": NUMBER}],
            "found_by": {...: NUMBER},
            "absorbed": [ABSORBED],
            "metadata": dict,
        }
    ],
    "mix": {...: NUMBER},
    "outages": [{"source": str, "reason": str, "remedy": str}],
    "degraded": bool,
    "sure": bool,
    "notes": [str],
    "seconds": {...: NUMBER},
}
"""Keys and types; ``...`` stands for any key."""


def faults(value: Any, schema: Any, place: str = "answer") -> list[str]:
    """Where a value is not of the schema."""
    if isinstance(schema, list):
        if not isinstance(value, list):
            return [f"{place}: no list"]
        return [each for number, item in enumerate(value) for each in faults(item, schema[0], f"{place}[{number}]")]
    if isinstance(schema, dict):
        if not isinstance(value, dict):
            return [f"{place}: no object"]
        if ... in schema:
            return [each for key, item in value.items() for each in faults(item, schema[...], f"{place}.{key}")]
        wrong = [f"{place}: keys {sorted(set(value) ^ set(schema))}"] if set(value) != set(schema) else []
        shared = set(value) & set(schema)
        return wrong + [each for key in shared for each in faults(value[key], schema[key], f"{place}.{key}")]
    return [] if isinstance(value, schema) else [f"{place}: {type(value).__name__}"]


def full() -> dict[str, Any]:
    other = memory("m_2", text="USER: x", at=AT - timedelta(days=1), entities=("PostgreSQL", "Redis"))
    first = result(absorbed=(other,), relations=(relation(),), cross_validated=True, linked=("Redis",))
    second = result(memory=memory("m_3", project=None, at=None, origin=Origin("note", SessionId("s"))))
    return answer_json(answer(first, second, outages=(Outage("graph", "slow", "wait"),)), NAMES, ["a note"])


def test_an_answer_has_the_keys_and_types_that_other_programs_rely_on() -> None:
    assert faults(full(), SCHEMA) == []
    assert json.loads(json.dumps(full())) == full()


def test_the_schema_would_find_a_fault() -> None:
    data = full()
    data["results"][0]["score"] = "high"
    del data["results"][1]["kind"]
    data["results"][0]["absorbed"][0]["origin"]["file"] = 1
    assert sorted(faults(data, SCHEMA)) == [
        "answer.results[0].absorbed[0].origin.file: int",
        "answer.results[0].score: str",
        "answer.results[1]: keys ['kind']",
    ]


def test_the_seeds_own_example_adds_up() -> None:
    """F-RES-3: mem0 5 and graph 4 hits, one folded into another, are 8 results."""
    folded = result(absorbed=(memory("m_2"),))
    data = answer_json(answer(folded, counts={"mem0": 5, "graph": 4}), NAMES)
    assert data["sources"] == {"mem0": 5, "graph": 4, "merged": 1}
    assert data["total_results"] == 8


def test_a_result_that_absorbed_two_counts_as_one_merge_of_two_hits() -> None:
    """F-RES-3: ``merged`` counts results, ``total_results`` hits."""
    folded = result(absorbed=(memory("m_2"), memory("m_4")))
    data = answer_json(answer(folded), NAMES)
    assert data["sources"]["merged"] == 1
    assert data["total_results"] == 9 - 2


def test_the_id_is_the_main_source_and_the_memory() -> None:
    """F-NORM-2, F-RES-4: the primary's, without a suffix, also when something was folded into it."""
    data = full()["results"][0]
    assert (data["id"], data["source"]) == ("text:m_1", "text")
    assert data["metadata"]["merged_from"] == ["m_2"]


@pytest.mark.parametrize(
    ("found_by", "mix", "expected"),
    [
        ({"text": 0.5, "vector": 0.6}, {"text": 0.7, "vector": 0.3}, "text"),
        ({"text": 0.5, "vector": 0.6}, {"text": 0.5, "vector": 0.5}, "vector"),
        ({"vector": 0.5, "text": 0.5}, {"text": 0.5, "vector": 0.5}, "text"),
        ({"recent": 1.0}, {}, "recent"),
        ({}, {}, "claude_code"),
    ],
)
def test_the_main_source_is_the_one_that_contributed_most(
    found_by: dict[str, float], mix: dict[str, float], expected: str
) -> None:
    assert main_source(result(found_by=found_by).candidate, mix) == expected


def test_relations_are_given_as_they_were_said() -> None:
    """F-RES-2, F-VOC-5: ``used_for`` is stored turned round, and comes back as written."""
    stored = relation("rag", "used_for", "pgvector")
    data = result_json(result(relations=(stored,)), {}, NAMES)
    assert data["graph_relations"] == [{"from": "pgvector", "relation": "used_for", "to": "RAG"}]


def test_the_ends_of_all_relations_are_asked_for_once() -> None:
    found = answer(result(relations=(relation(),)), result(relations=(relation(), relation("redis", "uses", "rag"))))
    assert relation_ends(found) == ["pgvector", "rag", "redis"]


def test_folding_unites_entities_and_takes_the_first_known_time() -> None:
    """F-DEDUP-3: entities = union, timestamp = first known, both metadata kept."""
    other = memory("m_2", entities=("PostgreSQL", "Redis"), metadata={"branch": "dev"})
    data = result_json(result(memory=memory(at=None), absorbed=(other,)), {}, NAMES)
    assert data["timestamp"] == "2026-05-13T07:48:20Z"
    assert data["entities"] == ["Redis", "PostgreSQL"]
    assert data["metadata"]["primary_metadata"] == {"branch": "main"}
    assert data["metadata"]["secondary_metadata"] == [{"branch": "dev"}]


def test_what_links_a_result_is_said() -> None:
    """F-XREF-5."""
    data = result_json(result(linked=("Redis",)), {}, NAMES)["metadata"]["cross_reference_info"]
    assert data == {"cross_referenced": True, "found_entities": ["Redis"]}


def test_scores_are_rounded_to_four_digits_and_agree_with_their_factors() -> None:
    """F-RANK-5: whoever multiplies the factors gets the score."""
    data = full()["results"][0]
    assert [factor["value"] for factor in data["factors"]] == [0.8123, 0.7, 1.0]
    product = 1.0
    for factor in data["factors"]:
        product *= factor["value"] ** factor["weight"]
    assert data["score"] == pytest.approx(product, abs=1e-4)
    assert data["score"] == round(data["score"], 4)


@pytest.mark.parametrize(
    ("at", "shown"),
    [
        (None, None),
        (datetime(2026, 1, 15, 10, tzinfo=UTC), "2026-01-15T10:00:00Z"),
        (datetime(2026, 1, 15, 10, 0, 0, 7000, tzinfo=UTC), "2026-01-15T10:00:00.007Z"),
        (datetime(2026, 1, 15, 10, tzinfo=timezone(timedelta(hours=9))), "2026-01-15T01:00:00Z"),
    ],
)
def test_instants_are_iso_8601_in_utc(at: datetime | None, shown: str | None) -> None:
    """F-NORM-6, C-132."""
    assert instant(at) == shown


def test_a_source_that_failed_makes_the_answer_degraded() -> None:
    data = full()
    assert data["degraded"] is True
    assert data["outages"] == [{"source": "graph", "reason": "slow", "remedy": "wait"}]
    assert answer_json(answer(), NAMES)["degraded"] is False
