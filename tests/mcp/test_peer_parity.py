"""The same calls to the official memory server (npm) and to ours: the same shapes, and the same values but where we
mean to differ (F-MCP-4 to F-MCP-13; formats.md §10)."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.stdio import stdio_client
from mcp.shared.exceptions import MCPDeprecationWarning, MCPError
from tests.mcp.driving.checks import strict
from tests.mcp.driving.clients import own_stdio
from tests.mcp.driving.servers import OFFICIAL, missing

from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.skipif(missing(OFFICIAL) is not None, reason=str(missing(OFFICIAL)))

Json = dict[str, Any]
URI = "memory://knowledge-graph"

DIFFERENCES = {
    "order": "F-MCP-11: what is found stands best first; official: as created",
    "asked order": "F-MCP-12: what is opened stands as it was asked for; official: as created",
    "words": "F-MCP-11: a query is words; official: one substring, so two words find nothing",
    "nothing": 'C-079: "" is no query, `*` lists; official: "" lists',
    "case": "C-050: one thing, however its letters are written; official: each spelling its own",
    "batch": "C-047: an entity or observation given twice in a call is one; official: two",
    "invalid": "C-079: what cannot be meant is the error -32602; official: a result marked as error",
    "number": "C-079: a number where a text belongs is taken as it is written; official: refused",
}
"""Where our values differ from the official server's, and why: each is met below, and nothing else differs."""


@dataclass(frozen=True)
class Step:
    tool: str
    arguments: Json
    differs: str | None = None


ADA = {"name": "Ada", "entityType": "person", "observations": ["likes tea", "wrote the parser"]}
PARSER = {"name": "Parser v2", "entityType": "component", "observations": []}
JAPANESE = {"name": "請求 service", "entityType": "サービス", "observations": ["日本語の観察"]}
ODD = {"name": 'Odd "quotes" \\ / ?', "entityType": "", "observations": ["line\nbreak", "  spaces  "]}
BOB = {"name": "Bob", "entityType": "person", "observations": ["likes coffee"]}
MAINTAINS = {"from": "Ada", "to": "Parser v2", "relationType": "maintains"}
REPORTS = {"from": "Bob", "to": "Ada", "relationType": "reports_to"}
TWINS = [
    {"name": "Twin", "entityType": "t", "observations": ["a", "a"]},
    {"name": "Twin", "entityType": "t", "observations": ["b"]},
]

STEPS = (
    Step("read_graph", {}),
    Step("search_nodes", {"query": "anything"}),
    Step("open_nodes", {"names": ["nobody"]}),
    Step("open_nodes", {"names": []}),
    Step("create_entities", {"entities": []}),
    Step("create_entities", {"entities": [ADA, PARSER, JAPANESE]}),
    Step("create_entities", {"entities": [ADA]}),
    Step("create_entities", {"entities": [ODD]}),
    Step("create_entities", {"entities": [{**BOB, "id": 7}]}),
    Step("create_entities", {"entities": [{**ADA, "observations": ["given for one that is known"]}]}),
    Step("create_relations", {"relations": [MAINTAINS, {**REPORTS, "weight": 2}]}),
    Step("create_relations", {"relations": [MAINTAINS]}),
    Step("create_relations", {"relations": []}),
    Step(
        "add_observations",
        {
            "observations": [
                {"entityName": "Ada", "contents": ["likes tea", "plays chess"]},
                {"entityName": "Parser v2", "contents": ["is fast"]},
            ]
        },
    ),
    Step("add_observations", {"observations": [{"entityName": "Ada", "contents": []}]}),
    Step("add_observations", {"observations": []}),
    Step("add_observations", {"observations": [{"entityName": "Nobody", "contents": ["x"]}]}),
    Step("read_graph", {}),
    Step("read_graph", {"unasked": True}),
    Step("search_nodes", {"query": "tea"}),
    Step("search_nodes", {"query": "component"}),
    Step("search_nodes", {"query": "COFFEE"}),
    Step("search_nodes", {"query": "請求"}),
    Step("search_nodes", {"query": "nothing like it"}),
    Step("search_nodes", {"query": "parser"}, "order"),
    Step("search_nodes", {"query": "tea chess"}, "words"),
    Step("search_nodes", {"query": ""}, "nothing"),
    Step("open_nodes", {"names": ["Parser v2"]}),
    Step("open_nodes", {"names": ["Bob", "Ada"]}, "asked order"),
    Step("open_nodes", {"names": ["ada"]}, "case"),
    Step("delete_observations", {"deletions": [{"entityName": "Ada", "observations": ["plays chess", "never said"]}]}),
    Step("delete_observations", {"deletions": [{"entityName": "Nobody", "observations": ["x"]}]}),
    Step("delete_relations", {"relations": [REPORTS, {"from": "x", "to": "y", "relationType": "z"}]}),
    Step("read_graph", {}),
    Step("delete_entities", {"entityNames": ["Ada", "Nobody"]}),
    Step("delete_entities", {"entityNames": []}),
    Step("read_graph", {}),
    Step("create_entities", {"entities": [ADA]}),
    Step("read_graph", {}),
    Step("create_relations", {"relations": [{"from": "Bob", "to": "Ghost", "relationType": "sees"}]}),
    Step("open_nodes", {"names": ["Bob"]}),
    Step("create_entities", {"entities": [{"name": "Ghost", "entityType": "spirit", "observations": []}]}),
    Step("open_nodes", {"names": ["Ghost"]}),
    Step("create_entities", {"entities": TWINS}, "batch"),
    Step("create_entities", {"entities": [{**ADA, "name": "ADA"}]}, "case"),
    Step("create_entities", {"entities": [{**ADA, "name": 5}]}, "number"),
    Step("create_entities", {"entities": "x"}, "invalid"),
    Step("create_entities", {}, "invalid"),
    Step("create_entities", {"entities": [{"name": "no type"}]}, "invalid"),
    Step("open_nodes", {}, "invalid"),
    Step("search_nodes", {}, "invalid"),
    Step("delete_relations", {"relations": [{"from": "a"}]}, "invalid"),
)


@dataclass(frozen=True)
class Ended:
    """How a step ended at one server."""

    failed: bool
    data: Json | None
    text: Any
    """The first text: JSON where it is JSON."""
    code: int | None = None
    """Of the protocol's error, where it was one."""

    @property
    def comparable(self) -> tuple[Any, ...]:
        """All but the words of an error."""
        return (self.failed, self.code, self.data, None if self.failed else self.text)


@dataclass(frozen=True)
class Seen:
    """All that one server showed."""

    tools: dict[str, Json]
    ends: tuple[Ended, ...]
    resource: Json
    """As listed."""
    graph: Json
    """As read at the end."""
    mime: str
    updates: int
    """Notices of a changed resource after one write and one read."""


@contextmanager
def official_stdio(file: Path) -> Iterator[Any]:
    start = StdioServerParameters(command="node", args=[str(OFFICIAL)], env={"MEMORY_FILE_PATH": str(file)})
    with Path(os.devnull).open("w") as quiet:
        yield stdio_client(start, errlog=quiet)


async def end(client: Client, step: Step) -> Ended:
    try:
        result = await client.call_tool(step.tool, step.arguments)
    except MCPError as error:
        return Ended(True, None, error.error.message, error.error.code)
    text = result.content[0].text  # type: ignore[union-attr]
    try:
        return Ended(bool(result.is_error), result.structured_content, json.loads(text))
    except ValueError:
        return Ended(bool(result.is_error), result.structured_content, text)


@asynccontextmanager
async def subscribed(client: Client, notices: list[Any]) -> AsyncIterator[None]:
    with pytest.warns(MCPDeprecationWarning):  # what came after is told by another request
        await client.subscribe_resource(URI)
    yield
    with anyio.fail_after(10):
        while not notices:
            await anyio.sleep(0.01)
    with pytest.warns(MCPDeprecationWarning):
        await client.unsubscribe_resource(URI)


async def follow(server: Any) -> Seen:
    notices: list[Any] = []

    async def notice(message: Any) -> None:
        if getattr(message, "method", "") == "notifications/resources/updated":
            notices.append(message)

    async with Client(server, mode="legacy", message_handler=notice, cache=None) as client:
        listed = {tool.name: tool.model_dump(by_alias=True) for tool in (await client.list_tools()).tools}
        ends = tuple([await end(client, step) for step in STEPS])
        async with subscribed(client, notices):
            await client.call_tool("delete_entities", {"entityNames": ["nobody"]})
            await client.call_tool("read_graph", {})
        resources = await client.list_resources()
        read = (await client.read_resource(URI)).contents[0]
        shown = next(each.model_dump(by_alias=True) for each in resources.resources if str(each.uri) == URI)
        graph = json.loads(read.text)  # type: ignore[union-attr]
        return Seen(listed, ends, shown, graph, str(read.mime_type), len(notices))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> tuple[Seen, Seen]:
    """The official server's, and ours."""
    folder = tmp_path_factory.mktemp("parity")
    both: dict[str, Seen] = {}

    async def one(name: str, started: AbstractContextManager[Any]) -> None:
        with started as server:
            both[name] = await follow(server)

    async def all_() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(one, "official", official_stdio(folder / "official.jsonl"))
            group.start_soon(one, "own", own_stdio(folder / "own"))

    anyio.run(all_)
    return both["official"], both["own"]


def test_every_call_ends_the_same_way_but_where_we_mean_to_differ(seen: tuple[Seen, Seen]) -> None:
    theirs, ours = seen
    assert len(theirs.ends) == len(ours.ends) == len(STEPS)
    wrong = []
    for number, (step, their, our) in enumerate(zip(STEPS, theirs.ends, ours.ends, strict=True)):
        if (their.comparable == our.comparable) != (step.differs is None):
            wrong.append(f"{number} {step}\n  official {their}\n  ours     {our}")
    assert wrong == []


def test_every_difference_that_is_named_is_met(seen: tuple[Seen, Seen]) -> None:
    assert {step.differs for step in STEPS if step.differs} == set(DIFFERENCES)


def test_what_differs_is_what_the_table_says(seen: tuple[Seen, Seen]) -> None:
    theirs, ours = seen
    met: dict[str, list[tuple[Step, Ended, Ended]]] = {name: [] for name in DIFFERENCES}
    for step, their, our in zip(STEPS, theirs.ends, ours.ends, strict=True):
        if step.differs:
            met[step.differs].append((step, their, our))
    for name in ("order", "asked order"):
        for _, their, our in met[name]:
            assert their.data
            assert our.data
            assert _unordered(their.data["entities"]) == _unordered(our.data["entities"])
            assert their.data["relations"] == our.data["relations"]
    assert met["asked order"][0][2].data["entities"][0]["name"] == "Bob"  # type: ignore[index]
    assert met["order"][0][2].data["entities"][0]["name"] == "Parser v2"  # type: ignore[index]
    assert [our.data["entities"][0]["name"] for _, _, our in met["words"] if our.data] == ["Ada"]
    opened, created = (our.data for _, _, our in met["case"])
    assert opened == {
        "entities": [ADA | {"observations": [*ADA["observations"], "plays chess"]}],
        "relations": [MAINTAINS, REPORTS],
    }
    assert created == {"entities": []}
    assert met["batch"][0][2].data == {"entities": [TWINS[0] | {"observations": ["a"]}]}
    assert met["number"][0][2].data == {"entities": [ADA | {"name": "5"}]}
    for name in ("invalid", "nothing"):
        assert {our.code for _, _, our in met[name]} == {-32602}
    assert all(their.failed and their.code is None for _, their, _ in met["invalid"])


def _unordered(values: list[Json]) -> list[str]:
    return sorted(json.dumps(value, sort_keys=True) for value in values)


def test_our_results_pass_the_official_schemas(seen: tuple[Seen, Seen]) -> None:
    """C-076: not a key more, at any depth; theirs pass ours, too."""
    theirs, ours = seen
    checked = 0
    for step, their, our in zip(STEPS, theirs.ends, ours.ends, strict=True):
        for data, schemas in ((our.data, theirs.tools), (their.data, ours.tools)):
            if data is not None:
                assert strict(data, schemas[step.tool]["outputSchema"]) is None, step
                checked += 1
    assert checked > len(STEPS)


def _outline(schema: Any, known: Any = None) -> Any:
    """A schema without its words, and without what only the official server says (its dialect, closed objects)."""
    if isinstance(schema, list):
        return [_outline(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    said = {
        key: value for key, value in schema.items() if key not in {"$schema", "description", "additionalProperties"}
    }
    return {key: _outline(value) for key, value in said.items()}


PAGED = {"read_graph", "search_nodes", "open_nodes"}
PAGING = {"cursor": {"type": "string"}, "max_tokens": {"type": "integer"}}
"""F-MCP-10: optional paging is accepted beyond the official inputs."""


def test_the_nine_tools_take_give_and_promise_the_same(seen: tuple[Seen, Seen]) -> None:
    theirs, ours = seen
    assert len(theirs.tools) == 9
    assert set(theirs.tools) <= set(ours.tools)
    for name, tool in theirs.tools.items():
        own_tool = ours.tools[name]
        given, taken = _outline(tool["inputSchema"]), _outline(own_tool["inputSchema"])
        if name in PAGED:
            given["properties"] = {**given["properties"], **PAGING}
        assert taken == given, name
        assert _outline(own_tool["outputSchema"]) == _outline(tool["outputSchema"]), name
        hints = {key: value for key, value in tool["annotations"].items() if value is not None}
        assert {key: value for key, value in own_tool["annotations"].items() if value is not None} == hints, name
    official_order = list(theirs.tools)
    assert [name for name in ours.tools if name in theirs.tools] == official_order


def test_the_resource_is_the_same_and_tells_of_changes(seen: tuple[Seen, Seen]) -> None:
    """F-MCP-13."""
    theirs, ours = seen
    for key in ("uri", "name", "title", "mimeType"):
        assert ours.resource[key] == theirs.resource[key], key
    assert ours.mime == theirs.mime == "application/json"
    assert set(ours.graph) == set(theirs.graph) == {"entities", "relations"}
    assert {each["name"] for each in ours.graph["entities"]} <= {each["name"] for each in theirs.graph["entities"]} | {
        "5"
    }
    assert ours.updates == theirs.updates == 1
