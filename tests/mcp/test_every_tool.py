"""Every tool by the official client, with good and with bad input over stdio; every result against its schema."""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.mcp.strict import STRICT, check
from tests.mcp.talking import PATIENCE, PROGRAM, Client, Json, connected, surroundings

from memory_fabric.doors.mcp.tool import ToolSet
from memory_fabric.doors.mcp.tools import tools_of

BUILD = {"name": "build", "entityType": "topic", "observations": ["uses pnpm", "runs in docker"]}
RUNS_IN = {"from": "build", "to": "ci", "relationType": "runs_in"}
NOTE = "We decided to use PostgreSQL over MySQL because of JSONB."

GOOD: list[tuple[str, Json]] = [
    ("read_graph", {}),
    ("search_memory", {"query": "anything"}),
    ("create_entities", {"entities": [BUILD, {"name": "ci", "entityType": "", "observations": []}]}),
    ("create_entities", {"entities": [BUILD]}),
    ("create_relations", {"relations": [RUNS_IN, {"from": "build", "to": "ghost", "relationType": "needs"}]}),
    ("add_observations", {"observations": [{"entityName": "build", "contents": ["takes 3 minutes", "uses pnpm"]}]}),
    ("read_graph", {"max_tokens": 100, "foo": 1}),
    ("search_nodes", {"query": "docker minutes"}),
    ("search_nodes", {"query": "*"}),
    ("search_nodes", {"query": "the"}),
    ("open_nodes", {"names": ["build", "nobody"]}),
    ("open_nodes", {"names": []}),
    ("add_memory", {"text": NOTE}),
    ("add_memory", {"text": NOTE, "source": "claude"}),
    (
        "search_memory",
        {"query": "why PostgreSQL?", "top_k": "5", "project": "", "since": "2020", "before": None, "foo": 1},
    ),
    (
        "search_memory",
        {"query": "PostgreSQL", "detail": "index", "mode": "text", "project": "ALL", "max_tokens": "100"},
    ),
    ("get_related_entities", {"entity": "PostgreSQL", "hops": "9", "limit": 1000}),
    ("get_related_entities", {"entity": "nothing of that name"}),
    ("open_memory", {"ids": "m_unknown"}),
    ("forget_memory", {"ids": ["m_unknown"]}),
    ("delete_relations", {"relations": [RUNS_IN]}),
    ("delete_observations", {"deletions": [{"entityName": "build", "observations": ["uses pnpm", "never said"]}]}),
    ("delete_entities", {"entityNames": ["build", "nobody"]}),
    ("delete_entities", {"entityNames": ["build"]}),
]

BAD: list[tuple[str, Json, str, str]] = [
    ("search_memory", {}, "query", "is missing"),
    ("search_memory", {"query": ""}, "query", "is empty"),
    ("search_memory", {"query": ["a"]}, "query", "must be a text"),
    ("search_memory", {"query": "a", "mode": "best"}, "mode", "must be one of auto"),
    ("search_memory", {"query": "a", "top_k": "many"}, "top_k", "whole number"),
    ("search_memory", {"query": "a", "since": "some day"}, "since", "is not a time"),
    ("search_memory", {"query": "a", "before": "some day"}, "before", "is not a time"),
    ("search_memory", {"query": "a", "since": "2026-05", "before": "2026-05"}, "before", "nothing lies between"),
    ("search_memory", {"query": "a", "project": "nowhere"}, "project", "is not known"),
    ("get_related_entities", {}, "entity", "is missing"),
    ("get_related_entities", {"entity": "a", "hops": "far"}, "hops", "whole number"),
    ("add_memory", {}, "text", "is missing"),
    ("add_memory", {"text": " "}, "text", "is empty"),
    ("add_memory", {"text": "a" * 10_001}, "text", "10,001 characters"),
    ("open_memory", {"ids": []}, "ids", "is empty"),
    ("open_memory", {"ids": ["m_1"], "cursor": "here"}, "cursor", "not one that this tool gave"),
    ("forget_memory", {}, "ids", "is missing"),
    ("forget_memory", {"ids": []}, "ids", "is empty"),
    ("create_entities", {}, "entities", "is missing"),
    ("create_entities", {"entities": ["build"]}, "entities[0]", "must be an object"),
    ("create_entities", {"entities": [{"name": "build"}]}, "entities[0].entityType", "is missing"),
    ("create_entities", {"entities": [{**BUILD, "name": "a" * 201}]}, "entities[0].name", "201 characters"),
    (
        "create_entities",
        {"entities": [{**BUILD, "observations": ["a" * 1_001]}]},
        "entities[0].observations[0]",
        "1,001",
    ),
    ("create_entities", {"entities": [{**BUILD, "observations": ["a"] * 21}]}, "entities[0].observations", "has 21"),
    ("create_relations", {"relations": [{"from": "build", "to": "ci"}]}, "relations[0].relationType", "is missing"),
    ("create_relations", {"relations": [{**RUNS_IN, "to": "a" * 201}]}, "relations[0].to", "201 characters"),
    ("add_observations", {"observations": [{"entityName": "a"}]}, "observations[0].contents", "is missing"),
    (
        "add_observations",
        {"observations": [{"entityName": "", "contents": []}]},
        "observations[0].entityName",
        "is empty",
    ),
    ("delete_entities", {"entityNames": [["build"]]}, "entityNames[0]", "must be a text"),
    ("delete_observations", {"deletions": [{}]}, "deletions[0].entityName", "is missing"),
    ("delete_relations", {"relations": [{"from": "a"}]}, "relations[0].to", "is missing"),
    ("read_graph", {"cursor": "2"}, "cursor", "not one that this tool gave"),
    ("read_graph", {"max_tokens": "all"}, "max_tokens", "whole number"),
    ("search_nodes", {}, "query", "is missing"),
    ("open_nodes", {"names": {"a": 1}}, "names[0]", "must be a text"),
]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One server for all calls that change nothing."""
    with connected(tmp_path_factory.mktemp("shared") / "memory") as client:
        yield client


def test_every_result_is_text_and_structure_as_declared(shared: Client) -> None:
    """C-076, F-MCP-1 to F-MCP-12: one after another on one memory, ids as they come."""
    client = shared
    for tool, arguments in GOOD:
        result = client.call(tool, arguments)
        assert not result.is_error, (tool, result.content)
        check(tool, result.structured_content)
        said = result.content[0].text
        if tool.startswith("delete_"):
            assert said == result.structured_content["message"]
        elif tool.startswith(("create_", "add_observations")):
            assert [json.loads(said)] == list(result.structured_content.values()), (
                "the bare list, as the official server"
            )
        else:
            assert json.loads(said) == result.structured_content
        if tool == "add_memory":
            ids = [result.structured_content["chunk_id"]]
            check("open_memory", client.data("open_memory", {"ids": ids}))
    check("forget_memory", client.data("forget_memory", {"ids": ids}))
    assert {tool for tool, _ in GOOD} == set(tools_of(ToolSet.ALL)) == set(STRICT)


@pytest.mark.parametrize(("tool", "arguments", "parameter", "reason"), BAD, ids=[f"{t}-{p}-{r}" for t, _, p, r in BAD])
def test_bad_input_is_refused_by_the_name_of_the_parameter(
    shared: Client, tool: str, arguments: Json, parameter: str, reason: str
) -> None:
    """C-079, F-HOOK-15, F-MCP-1, F-MCP-3: a structured -32602."""
    from mcp.shared.exceptions import MCPError

    with pytest.raises(MCPError) as refused:
        shared.call(tool, arguments)
    assert refused.value.error.code == -32602
    assert refused.value.error.data["tool"] == tool
    assert refused.value.error.data["parameter"] == parameter
    assert reason in refused.value.error.data["reason"]
    assert parameter in refused.value.error.message


def test_a_tool_that_is_not_there_is_refused(shared: Client) -> None:
    from mcp.shared.exceptions import MCPError

    with pytest.raises(MCPError, match="unknown tool: nothing") as refused:
        shared.call("nothing")
    assert refused.value.error.code == -32602


@pytest.mark.parametrize("tool", ["create_entities", "add_observations"])
def test_the_limit_of_observations_is_one_of_an_entity_in_a_call(client: Client, tool: str) -> None:
    """F-HOOK-15: spread over two entries, and under two spellings, it is the same entity."""
    from mcp.shared.exceptions import MCPError

    def entries(first: int, second: int) -> Json:
        texts = [f"observation {number}" for number in range(first + second)]
        parts = (("Build", texts[:first]), ("build", texts[first:]))
        if tool == "create_entities":
            return {"entities": [{"name": n, "entityType": "topic", "observations": t} for n, t in parts]}
        return {"observations": [{"entityName": name, "contents": texts} for name, texts in parts]}

    client.data("create_entities", {"entities": [{"name": "build", "entityType": "topic", "observations": []}]})
    with pytest.raises(MCPError, match=r"gets 21 observations, at most 20"):
        client.call(tool, entries(11, 10))
    assert not client.call(tool, entries(10, 10)).is_error


def test_limits_are_met_exactly(client: Client) -> None:
    """F-HOOK-15: at the limit it is taken."""
    entity = {"name": "n" * 200, "entityType": "topic", "observations": ["o" * 1_000, *(f"{n}" for n in range(19))]}
    assert client.data("create_entities", {"entities": [entity]}) == {"entities": [entity]}
    assert client.data("open_nodes", {"names": ["n" * 200]})["entities"] == [entity]


def test_an_unknown_entity_is_an_error_that_names_it_and_nothing_is_written(client: Client) -> None:
    """F-MCP-6."""
    additions = [{"entityName": "build", "contents": ["uses pnpm"]}, {"entityName": "ghost", "contents": ["x"]}]
    client.data("create_entities", {"entities": [{**BUILD, "observations": []}]})
    result = client.call("add_observations", {"observations": additions})
    assert result.is_error
    assert "ghost" in result.content[0].text
    assert client.data("read_graph")["entities"][0]["observations"] == []


def test_what_was_not_taken_is_said_beside_the_result(client: Client) -> None:
    """F-MCP-4, F-MCP-5, F-MCP-7: the results stay those of the official server."""
    assert client.notes("create_entities", {"entities": [BUILD]}) == []
    (known,) = client.notes("create_entities", {"entities": [BUILD]})
    assert known == "build is known already: 2 observations given for it were not taken; use add_observations."
    (waiting,) = client.notes("create_relations", {"relations": [{**RUNS_IN, "to": "ghost"}]})
    assert "ghost" in waiting
    assert client.notes("delete_entities", {"entityNames": ["build", "nobody"]}) == ["1 of 2 were there."]
    assert client.notes("open_nodes", {"names": ["nobody"]}) == ["Not known here: nobody."]


def test_labels_come_back_as_they_were_given(client: Client) -> None:
    """F-VOC-3, F-VOC-4: known words in any case, and words of no vocabulary."""
    entities = [
        {"name": "Ada", "entityType": "Agent", "observations": []},
        {"name": "night", "entityType": "mood board", "observations": []},
        {"name": "bare", "entityType": "", "observations": []},
    ]
    relations = [
        {"from": "Ada", "to": "night", "relationType": "Recommends"},
        {"from": "night", "to": "bare", "relationType": "haunts at dawn"},
        {"from": "bare", "to": "Ada", "relationType": "used_for"},
    ]
    assert client.data("create_entities", {"entities": entities}) == {"entities": entities}
    assert client.data("create_relations", {"relations": relations}) == {"relations": relations}
    assert client.data("read_graph") == {"entities": entities, "relations": relations}
    client.data("delete_relations", {"relations": relations[1:]})
    assert client.data("read_graph")["relations"] == relations[:1]


def test_words_are_searched_and_relations_with_one_end_found_come_along(client: Client) -> None:
    """F-MCP-11, F-MCP-12: two words find what holds them apart; the far end is named, not listed."""
    client.data("create_entities", {"entities": [BUILD, {"name": "ci", "entityType": "topic", "observations": []}]})
    client.data("create_relations", {"relations": [RUNS_IN]})
    found = client.data("search_nodes", {"query": "docker pnpm"})
    assert found == {"entities": [BUILD], "relations": [RUNS_IN]}
    assert client.data("open_nodes", {"names": ["ci"]})["relations"] == [RUNS_IN]
    assert len(client.data("search_nodes", {"query": "*"})["entities"]) == 2
    assert client.data("search_nodes", {"query": "kubernetes"}) == {"entities": [], "relations": []}


def test_secrets_do_not_come_back(client: Client) -> None:
    """F-PRIV-1: neither from a note nor from an observation."""
    secret = "ghp_" + "a1B2" * 9
    client.data("add_memory", {"text": f"The deploy token is {secret} for pnpm"})
    entity = {"name": "deploy", "entityType": "topic", "observations": [f"token {secret}"]}
    client.data("create_entities", {"entities": [entity]})
    shown = json.dumps([client.data("search_memory", {"query": "deploy token"}), client.data("read_graph")])
    assert "deploy" in shown
    assert secret not in shown


def test_many_calls_at_once_all_arrive(client: Client) -> None:
    """C-042, F-MCP-15: parallel tool calls of one message."""
    names = [f"entity {number}" for number in range(24)]
    threads = [
        threading.Thread(target=client.call, args=("create_entities", {"entities": [{**BUILD, "name": name}]}))
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert {each["name"] for each in client.data("read_graph", {"max_tokens": 12_000})["entities"]} == set(names)


# ── the resource ─────────────────────────────────────────────────────────────────────────────────────────────────────

URI = "memory://knowledge-graph"


def test_the_graph_is_a_resource(client: Client) -> None:
    """F-MCP-13: as read_graph has it."""
    client.data("create_entities", {"entities": [BUILD]})
    (listed,) = client.portal.call(client.session.list_resources).resources
    assert (str(listed.uri), listed.name, listed.mime_type) == (URI, "knowledge-graph", "application/json")
    (content,) = client.portal.call(client.session.read_resource, URI).contents
    assert content.mime_type == "application/json"
    assert json.loads(content.text) == client.data("read_graph")


def test_a_large_graph_is_a_resource_of_several_addresses(client: Client) -> None:
    """F-MCP-13, C-082."""
    for start in range(0, 60, 20):
        entities = [{**BUILD, "name": f"{start + n}", "observations": ["x" * 900]} for n in range(20)]
        client.data("create_entities", {"entities": entities})
    seen: list[str] = []
    uri: str | None = URI
    while uri:
        (content,) = client.portal.call(client.session.read_resource, uri).contents
        assert len(content.text.encode()) < 20_000
        seen += [each["name"] for each in json.loads(content.text)["entities"]]
        uri = (content.meta or {}).get("next")
    assert seen == [str(number) for number in range(60)]


@pytest.mark.parametrize(
    ("uri", "code"), [("memory://other", -32002), ("file:///etc/passwd", -32002), (f"{URI}?cursor=here", -32602)]
)
def test_another_address_is_no_resource(shared: Client, uri: str, code: int) -> None:
    from mcp.shared.exceptions import MCPError

    with pytest.raises(MCPError) as refused:
        shared.portal.call(shared.session.read_resource, uri)
    assert refused.value.error.code == code


def test_who_subscribes_hears_of_every_write_and_of_no_read(client: Client) -> None:
    """F-MCP-13: by the protocols with a handshake."""
    from mcp_types import EmptyResult, SubscribeRequest, SubscribeRequestParams
    from mcp_types import UnsubscribeRequest as Unsubscribe
    from mcp_types import UnsubscribeRequestParams as ForWhich

    ask = client.session.send_request
    for _ in range(2):  # twice is once
        client.portal.call(ask, SubscribeRequest(params=SubscribeRequestParams(uri=URI)), EmptyResult)
    client.data("create_entities", {"entities": [BUILD]})
    assert heard(client) == URI
    client.data("add_memory", {"text": NOTE})
    assert heard(client) == URI
    client.data("read_graph")
    client.data("search_memory", {"query": "PostgreSQL"})
    client.portal.call(ask, Unsubscribe(params=ForWhich(uri=URI)), EmptyResult)
    client.data("delete_entities", {"entityNames": ["build"]})
    with pytest.raises(queue.Empty):
        client.notified.get_nowait()


def test_who_listens_by_the_newest_protocol_hears_of_writes(home: Path) -> None:
    """F-MCP-13: without a handshake, tools are called and changes are told too."""
    from mcp.client.stdio import StdioServerParameters, stdio_client

    from mcp import Client as Modern

    program, *rest = PROGRAM
    server = StdioServerParameters(command=program, args=[*rest, "mcp"], env=surroundings(home))

    async def listen() -> tuple[str, Any]:
        async with Modern(stdio_client(server)) as modern, modern.listen(resource_subscriptions=[URI]) as changes:
            await modern.call_tool("create_entities", {"entities": [BUILD]})
            with anyio.fail_after(PATIENCE):
                return modern.protocol_version, await anext(aiter(changes))

    version, event = anyio.run(listen)
    assert version >= "2026"
    assert event.uri == URI


def heard(client: Client) -> str:
    message: Any = client.notified.get(timeout=PATIENCE)
    root = getattr(message, "root", message)
    assert root.method == "notifications/resources/updated"
    return str(root.params.uri)


def test_nobody_who_did_not_subscribe_is_told(client: Client, tmp_path: Path) -> None:
    client.data("create_entities", {"entities": [BUILD]})
    client.data("read_graph")
    assert client.notified.empty()
