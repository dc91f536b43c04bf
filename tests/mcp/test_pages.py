"""Pages of a graph: each within its budget, all of them together the whole (C-082)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.doors.mcp.arguments import BadArgument
from memory_fabric.doors.mcp.graph_pages import Cursor, Held, Listed, Page, page_of, remark
from memory_fabric.doors.mcp.graph_shapes import link_json, node_json
from memory_fabric.doors.mcp.paging import Budget, compact, weight
from memory_fabric.model.nodes import Link, Node, Subgraph

texts = st.text(min_size=1, max_size=120)
nodes = st.lists(st.builds(Node, texts, texts, st.lists(texts, max_size=12).map(tuple)), max_size=12)
links = st.lists(st.builds(Link, texts, texts, texts), max_size=12)


def graph_of(entities: Sequence[Node], relations: Sequence[Link] = ()) -> Held:
    """Names made unlike, so that the parts of an entity can be put together again."""
    named = tuple(Node(f"{place} {node.name}", node.type, node.observations) for place, node in enumerate(entities))
    return Held(Subgraph(named, tuple(relations)))


def read_all(graph: Held, tokens: int) -> list[Page]:
    pages = [page_of(graph, Cursor(), Budget(tokens))]
    while pages[-1].next is not None:
        assert len(pages) < 2_000, "the pages never end"
        pages.append(page_of(graph, Cursor.read(str(pages[-1].next)), Budget(tokens)))
    return pages


def united(pages: Sequence[Page]) -> Subgraph:
    """The parts put together: an entity that goes on has the same name."""
    found: dict[str, Node] = {}
    for each in (entity for page in pages for entity in page.entities):
        before = found.get(each["name"], Node(each["name"], each["entityType"]))
        found[each["name"]] = Node(each["name"], each["entityType"], (*before.observations, *each["observations"]))
    relations = [Link(each["from"], each["relationType"], each["to"]) for page in pages for each in page.relations]
    return Subgraph(tuple(found.values()), tuple(relations))


@given(nodes, links, st.integers(1, 300))
def test_all_pages_together_are_the_whole_graph(entities: list[Node], relations: list[Link], tokens: int) -> None:
    """C-082: whatever the budget; no part comes twice, none is left out, each page gets further."""
    graph = graph_of(entities, relations)
    assert united(read_all(graph, tokens)) == graph.graph


@given(nodes, links)
def test_a_page_stays_within_its_budget(entities: list[Node], relations: list[Link]) -> None:
    """C-082: where no single observation is larger than a page."""
    tokens = 500
    for page in read_all(graph_of(entities, relations), tokens):
        assert weight(page.data) <= tokens * 8 + weight({"entities": [], "relations": []})


def test_an_entity_with_many_observations_is_split_over_pages() -> None:
    """C-082."""
    graph = graph_of([Node("build", "topic", tuple(f"observation {number} of many" for number in range(2_000)))])
    pages = read_all(graph, 400)
    assert len(pages) > 10
    assert all(len(page.entities) == 1 for page in pages)
    assert united(pages) == graph.graph


def test_an_observation_larger_than_a_page_stands_alone_on_its_own() -> None:
    graph = graph_of([Node("a", "t", ("small", "x" * 10_000, "small too"))])
    assert [page.entities[0]["observations"] for page in read_all(graph, 100)] == [
        ["small"],
        ["x" * 10_000],
        ["small too"],
    ]


@pytest.mark.parametrize(("spare", "count"), [(0, 2), (-1, 1)])
def test_what_fits_exactly_is_still_on_the_page(spare: int, count: int) -> None:
    held = graph_of([Node("a", "t", ("one",)), Node("b", "t", ("two",))])
    budget = Budget()
    budget.left = sum(weight(node_json(node)) for node in held.graph.nodes) + spare
    assert len(page_of(held, Cursor(), budget).entities) == count


def test_a_relation_that_fits_no_page_stands_alone() -> None:
    long = Link("a" * 2_000, "uses", "b")
    graph = graph_of([Node("a", "t")], [long, Link("a", "uses", "b")])
    assert [page.relations for page in read_all(graph, 100)] == [
        [],
        [link_json(long)],
        [link_json(Link("a", "uses", "b"))],
    ]


def test_an_empty_graph_is_one_empty_page() -> None:
    assert read_all(graph_of([]), 100) == [Page()]


def test_the_store_is_asked_for_no_more_than_a_page_needs() -> None:
    asked: list[tuple[int, int]] = []

    def fetch(offset: int, limit: int) -> list[Node]:
        asked.append((offset, limit))
        return [Node(f"entity {number}", "topic", ("x" * 100,)) for number in range(offset, offset + limit)]

    page = page_of(Listed((5_000, 0), fetch, lambda _, __: []), Cursor("entities", 700), Budget())
    assert page.entities[0]["name"] == "entity 700"
    assert [offset for offset, _ in asked] == [700]


@pytest.mark.parametrize("text", ["", "entities", "entities:-1", "relations:x", "5", "names:3", "entities:1:2:3"])
def test_a_cursor_that_is_none_of_ours_is_refused(text: str) -> None:
    """C-079."""
    with pytest.raises(BadArgument, match="cursor"):
        Cursor.read(text)


@pytest.mark.parametrize("cursor", [Cursor(), Cursor("entities", 7), Cursor("entities", 7, 3), Cursor("relations", 5)])
def test_a_cursor_survives_the_way_to_the_client_and_back(cursor: Cursor) -> None:
    assert Cursor.read(str(cursor)) == cursor


def test_a_page_that_is_not_the_last_says_how_to_go_on() -> None:
    """C-082: page 1 of n."""
    graph = graph_of([Node("a", "t", ("x" * 500,)) for _ in range(10)], [Link("a", "uses", "b")])
    first = page_of(graph, Cursor(), Budget(1_000))
    said = remark(graph, first, Cursor(), "read_graph")
    assert said is not None
    assert f"{len(first.entities)} of 10 entities" in said
    assert f"cursor={first.next}" in said
    last = read_all(graph, 1_000)[-1]
    assert remark(graph, last, Cursor(), "read_graph") is None


@given(st.recursive(st.none() | st.integers() | texts, lambda inner: st.lists(inner) | st.dictionaries(texts, inner)))
def test_the_weight_is_the_size_of_a_value_once_plain_and_once_as_text(value: object) -> None:
    both = compact({"structured": value, "text": compact(value)})
    frame = compact({"structured": 0, "text": ""})
    assert weight(value) == len(both.encode()) - len(frame.encode()) + 1 + 2
