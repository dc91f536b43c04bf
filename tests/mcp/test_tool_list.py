"""What ``tools/list`` shows: small, plain JSON, and the same tomorrow.

``MF_REGENERATE=1 pytest tests/mcp`` writes the expected list anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from tests.mcp.talking import Json, connected

from memory_fabric.doors.mcp.paging import compact
from memory_fabric.doors.mcp.tool import ToolSet
from memory_fabric.doors.mcp.tools import tools_of

GOLDEN = Path(__file__).with_name("tools.json")

TOKENS = 2_500
"""Of the whole list (issue 3)."""

MOST_DESCRIPTION = 2_048
"""Bytes of a description that a client shows (C-082)."""

READS = {"search_memory", "get_related_entities", "open_memory", "read_graph", "search_nodes", "open_nodes"}
DESTROYS = {"forget_memory", "delete_entities", "delete_observations", "delete_relations"}

OFFICIAL_INPUT = {
    "create_entities": ({"entities"}, {"entities"}),
    "create_relations": ({"relations"}, {"relations"}),
    "add_observations": ({"observations"}, {"observations"}),
    "delete_entities": ({"entityNames"}, {"entityNames"}),
    "delete_observations": ({"deletions"}, {"deletions"}),
    "delete_relations": ({"relations"}, {"relations"}),
    "read_graph": ({"cursor", "max_tokens"}, set()),
    "search_nodes": ({"query", "cursor", "max_tokens"}, {"query"}),
    "open_nodes": ({"names", "cursor", "max_tokens"}, {"names"}),
}
"""Parameters, and those that are required; paging is ours (F-MCP-10)."""


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> list[Json]:
    """As a client gets it."""
    with connected(tmp_path_factory.mktemp("list")) as client:
        tools = client.portal.call(client.session.list_tools).tools
    return [tool.model_dump(by_alias=True, mode="json", exclude_none=True) for tool in tools]


def test_the_list_is_as_it_was(listed: list[Json]) -> None:
    """C-077: a snapshot, as it goes over the wire."""
    shown = json.dumps(listed, indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("MF_REGENERATE"):
        GOLDEN.write_text(shown, encoding="utf-8")
    assert shown == GOLDEN.read_text(encoding="utf-8")


def test_the_list_is_small(listed: list[Json]) -> None:
    """F-MCP-18, C-082: JSON schemas have more than 4 characters a token (4.26 with o200k_base, measured)."""
    assert len(listed) == 14
    assert len(compact({"tools": listed})) / 4 < TOKENS
    assert all(len(tool["description"].encode()) <= MOST_DESCRIPTION for tool in listed)


def test_schemas_are_plain_and_have_an_object_at_the_root(listed: list[Json]) -> None:
    """C-077: valid JSON schemas; nothing refers elsewhere, nothing of a library's own shape."""
    for tool in listed:
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert isinstance(schema["properties"], dict)
            assert keywords(schema) <= {"type", "properties", "required", "items", "enum", "additionalProperties"}


def keywords(schema: Any) -> set[str]:
    """The words of a schema that are not names of fields."""
    words = set(schema)
    for field in schema.get("properties", {}).values():
        words |= keywords(field)
    return words | (keywords(schema["items"]) if "items" in schema else set())


def test_the_official_nine_take_what_the_official_server_takes(listed: list[Json]) -> None:
    """F-MCP-4 to F-MCP-12: names and required fields; no input forbids other keys."""
    schemas = {tool["name"]: tool["inputSchema"] for tool in listed}
    for name, (parameters, required) in OFFICIAL_INPUT.items():
        assert set(schemas[name]["properties"]) == parameters
        assert set(schemas[name].get("required", [])) == required
    entity = schemas["create_entities"]["properties"]["entities"]["items"]
    assert entity["required"] == ["name", "entityType", "observations"]
    relation = schemas["create_relations"]["properties"]["relations"]["items"]
    assert relation["required"] == ["from", "to", "relationType"]
    assert "additionalProperties" not in compact(schemas)


def test_the_official_nine_answer_with_closed_objects(listed: list[Json]) -> None:
    """C-076: the root says that nothing else comes."""
    assert all(
        tool["outputSchema"]["additionalProperties"] is False for tool in listed if tool["name"] in OFFICIAL_INPUT
    )


def test_hints_say_what_a_tool_does(listed: list[Json]) -> None:
    """F-MCP-1 to F-MCP-12; what is left out is what the protocol presumes."""
    presumed = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
    for tool in listed:
        name, hints = tool["name"], {**presumed, **tool["annotations"]}
        assert hints["readOnlyHint"] == (name in READS)
        assert hints["idempotentHint"] == (name in READS | DESTROYS)
        assert hints["openWorldHint"] is False
        if name not in READS:
            assert hints["destructiveHint"] == (name in DESTROYS)
        if name in OFFICIAL_INPUT:
            assert tool["annotations"] == {**hints, "destructiveHint": name in DESTROYS}


@pytest.mark.parametrize(
    ("chosen", "count"), [(ToolSet.CORE, 5), (ToolSet.GRAPH, 9), (ToolSet.ALL, 14)], ids=["core", "graph", "all"]
)
def test_the_list_can_be_narrowed(chosen: ToolSet, count: int) -> None:
    """F-MCP-18."""
    assert len(tools_of(chosen)) == count


def test_a_narrowed_server_has_no_other_tools(tmp_path: Path) -> None:
    """F-MCP-18: ``--tools graph``."""
    from mcp.shared.exceptions import MCPError

    with connected(tmp_path, "--tools", "graph") as client:
        tools = client.portal.call(client.session.list_tools).tools
        assert {tool.name for tool in tools} == set(OFFICIAL_INPUT)
        with pytest.raises(MCPError, match="unknown tool: search_memory"):
            client.call("search_memory", {"query": "pnpm"})


def test_instructions_describe_and_ask_for_nothing(tmp_path: Path) -> None:
    """C-109: clients treat them as untrusted; recall and capture are the hooks' work."""
    from memory_fabric.doors.mcp.server import INSTRUCTIONS

    assert len(INSTRUCTIONS) < 300
    assert not {"always", "must", "never"} & set(INSTRUCTIONS.casefold().split())
    with connected(tmp_path / "memory") as client:
        assert client.data("read_graph") == {"entities": [], "relations": []}


def test_the_major_version_of_the_sdk_is_bounded() -> None:
    """C-081, F-MCP-19: a new one is taken up on purpose."""
    from importlib.metadata import requires

    (bound,) = [each for each in requires("memory-fabric") or () if re.match(r"mcp\b(?!-)", each)]
    assert re.search(r"<\s*3(?:\D|$)", bound), bound
