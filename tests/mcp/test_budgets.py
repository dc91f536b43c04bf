"""Results stay below 20 kB as they go over the wire, and the rest can be had (C-082)."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.mcp.strict import check
from tests.mcp.talking import Json, Raw, raw, tool_call

from memory_fabric import Fabric, Settings
from memory_fabric.model.nodes import Link, Node
from memory_fabric.model.query import Scope

LARGEST = 20_000
"""Bytes of a result by default (issue 3)."""

ENTITIES = 5_000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory with 5,000 entities, 5,000 relations, an entity with 300 observations, and thirty long notes."""
    home = tmp_path_factory.mktemp("large") / "memory"
    with Fabric.open(Settings(home=home, embedder="none")) as fabric:
        nodes = [Node(f"service {n}", "service", (f'owns "table {n}"\n', "läuft in Köln")) for n in range(ENTITIES)]
        many = Node("changelog", "topic", tuple(f"release {n} mended the {n}th bug" for n in range(300)))
        links = [Link(f"service {n}", "calls", f"service {n + 1}") for n in range(ENTITIES - 1)]
        fabric.knowledge.create_nodes([*nodes, many])
        fabric.knowledge.create_links(links)
        for number in range(30):
            fabric.remember(
                f"Note {number} on deployment. " + f"Line {number} of the deployment.\n" * 60, everywhere=True
            )
    return home


@pytest.fixture(scope="module")
def server(large: Path) -> Iterator[Raw]:
    with raw(large) as process:
        process.shake_hands()
        yield process


numbers = itertools.count(1)


def ask(server: Raw, tool: str, **arguments: object) -> tuple[Json, list[str], int]:
    """Structured content, the texts beside it, and the bytes of the line they came in."""
    server.send(tool_call(next(numbers), tool, **arguments))
    line = server.lines.get(timeout=60)
    assert line is not None
    result = json.loads(line)["result"]
    assert not result.get("isError"), result
    check(tool, result["structuredContent"])
    return result["structuredContent"], [part["text"] for part in result["content"][1:]], len(line)


def test_a_graph_of_5000_entities_comes_in_pages_that_are_the_whole(server: Raw) -> None:
    """C-082, F-MCP-10: every page valid and small, and it says how to get the next."""
    observations: dict[str, list[str]] = {}
    relations = []
    arguments: Json = {}
    for page in itertools.count():
        data, notes, size = ask(server, "read_graph", **arguments)
        assert size < LARGEST
        for entity in data["entities"]:
            observations.setdefault(entity["name"], []).extend(entity["observations"])
        relations += [(each["from"], each["to"]) for each in data["relations"]]
        if not notes:
            break
        assert "read_graph again with cursor=" in notes[0]
        arguments = {"cursor": notes[0].partition("cursor=")[2].split()[0]}
        if page == 0:
            assert f"{len(data['entities'])} of " in notes[0]
    assert page > 20
    assert {name: len(texts) for name, texts in observations.items() if name.startswith("service ")} == {
        f"service {n}": 2 for n in range(ENTITIES)
    }
    assert observations["changelog"] == [f"release {n} mended the {n}th bug" for n in range(300)]
    assert {pair for pair in relations if pair[0].startswith("service ")} == {
        (f"service {n}", f"service {n + 1}") for n in range(ENTITIES - 1)
    }
    assert len(relations) == len(set(relations))


@pytest.mark.parametrize("tokens", [100, 500, 5_000])
def test_a_budget_of_tokens_is_kept(server: Raw, tokens: int) -> None:
    """C-082: a token is 4 bytes, and everything comes twice."""
    data, notes, size = ask(server, "read_graph", max_tokens=tokens)
    assert 0 < size < tokens * 8 + 1_000
    assert data["entities"]
    assert notes


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_nodes", {"query": "service köln"}),
        ("search_nodes", {"query": "release bug"}),
        ("open_nodes", {"names": ["changelog", *(f"service {n}" for n in range(400))]}),
        ("search_memory", {"query": "deployment", "top_k": 20}),
        ("search_memory", {"query": "deployment", "top_k": 20, "detail": "index"}),
        ("search_memory", {"query": "deployment", "top_k": 5}),
        ("get_related_entities", {"entity": "service 7", "hops": 4, "limit": 200}),
    ],
)
def test_every_read_is_small_by_default(server: Raw, tool: str, arguments: Json) -> None:
    """C-082."""
    data, _, size = ask(server, tool, **arguments)
    assert size < LARGEST
    assert any(data[part] for part in ("entities", "results", "related") if part in data)


def test_a_search_that_stops_counting_says_so(server: Raw) -> None:
    """Nothing is dropped silently."""
    _, notes, _ = ask(server, "search_nodes", query="köln")
    assert any("Only the best 200 entities count" in note for note in notes)


def test_what_does_not_fit_comes_as_an_excerpt_and_whole_by_its_id(server: Raw) -> None:
    """Progressive disclosure: index lines first, full text by id."""
    data, _, _ = ask(server, "search_memory", query="deployment", top_k=20)
    cut = [each for each in data["results"] if each["cut"]]
    assert len(data["results"]) == 20
    assert cut
    assert any("open_memory" in note for note in data["notes"])
    opened, _, _ = ask(server, "open_memory", ids=[cut[-1]["id"]])
    (memory,) = opened["memories"]
    assert memory["complete"]
    assert len(memory["text"]) > len(cut[-1]["text"])


def test_index_lines_are_short_and_have_ids(server: Raw) -> None:
    data, _, size = ask(server, "search_memory", query="deployment", top_k=20, detail="index")
    assert all(len(each["text"]) <= 160 and each["id"] for each in data["results"])
    assert len(data["results"]) == 20
    assert size < LARGEST


def test_results_that_do_not_fit_at_all_are_counted(server: Raw) -> None:
    data, _, _ = ask(server, "search_memory", query="deployment", top_k=20, max_tokens=200)
    left = 20 - len(data["results"])
    assert left > 0
    assert any(note.startswith(f"{left} more results did not fit") for note in data["notes"])


@pytest.mark.parametrize("more", [{}, {"max_tokens": 100}, {"max_tokens": 333}], ids=["default", "least", "odd"])
def test_long_memories_are_opened_over_several_pages(server: Raw, large: Path, more: Json) -> None:
    """C-082: the parts are the whole text, and each says whether it is all."""
    with Fabric.open(Settings(home=large, embedder="none"), read_only=True) as fabric:
        expected = {memory.id: memory.text for memory in fabric.store.recent(Scope(), 12)}
    ids = [*expected, "m_unknown"]
    texts: dict[str, str] = {}
    arguments: Json = {}
    while True:
        data, notes, size = ask(server, "open_memory", ids=ids, **more, **arguments)
        assert size < LARGEST
        assert data["missing"] == ["m_unknown"]
        for part in data["memories"]:
            assert part["complete"] == (part["text"] == expected[part["id"]])
            texts[part["id"]] = texts.get(part["id"], "") + part["text"]
        if data["next"] is None:
            break
        assert data["next"] in notes[0]
        arguments = {"cursor": data["next"]}
    assert texts == expected
