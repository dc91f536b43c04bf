"""The nine tools of the official memory server: its inputs, results and hints, on our store (F-MCP-4 to F-MCP-12)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from memory_fabric.curate.knowledge import EVERYTHING
from memory_fabric.doors.mcp.arguments import BadArgument, Json, ListOf, Parameter, Record, Text
from memory_fabric.doors.mcp.graph_pages import Cursor, Graph, Held, Listed, page_of, remark
from memory_fabric.doors.mcp.graph_shapes import (
    DONE_OUT,
    ENTITY_IN,
    ENTITY_OUT,
    GRAPH_OUT,
    LONGEST_NAME,
    MOST_OBSERVATIONS,
    NAME,
    NEW_OBSERVATIONS,
    PAGE_IN,
    RELATION_AT_HAND,
    RELATION_IN,
    RELATION_OUT,
    additions_of,
    done,
    link_json,
    link_of,
    node_json,
    node_of,
)
from memory_fabric.doors.mcp.paging import TOKENS, Budget
from memory_fabric.doors.mcp.tool import DESTROYS, READS, TEXT, WRITES, Call, Reply, Tool, array, closed, record
from memory_fabric.model.nodes import Subgraph
from memory_fabric.model.query import Scope
from memory_fabric.text import entity_key

if TYPE_CHECKING:
    from memory_fabric.app import Fabric

MOST_FOUND = 200
"""Entities that a search for words gives at most, over all its pages."""


MOST_NAMED = 20
"""Names that a sentence lists."""


def _create_entities(call: Call) -> Reply:
    asked = call.arguments["entities"]
    _refuse_too_many("entities", asked, "name", "observations")
    created = call.fabric.knowledge.create_nodes([node_of(each) for each in asked])
    new = [node_json(node) for node in created.new]
    notes = [
        f"{each.entity} is known already: {len(each.contents)} observations given for it were not taken; "
        "use add_observations."
        for each in created.ignored[:MOST_NAMED]
    ]
    return Reply({"entities": new}, new, tuple(notes))


def _refuse_too_many(parameter: str, asked: list[Json], name: str, contents: str) -> None:
    """The limit is one of an entity in a call, however many entries it is spread over (F-HOOK-15)."""
    counts: Counter[str] = Counter()
    for each in asked:
        counts[entity_key(each[name])] += len(each[contents])
        if counts[entity_key(each[name])] > MOST_OBSERVATIONS:
            raise BadArgument(
                parameter,
                f"{each[name]!r} gets {counts[entity_key(each[name])]} observations, "
                f"at most {MOST_OBSERVATIONS} an entity in one call are allowed",
            )


def _create_relations(call: Call) -> Reply:
    created = call.fabric.knowledge.create_links([link_of(each) for each in call.arguments["relations"]])
    new = [link_json(link) for link in created.new]
    waiting = listed(created.unresolved)
    notes = (f"No entity has these names yet, the relations wait for it: {waiting}.",) if waiting else ()
    return Reply({"relations": new}, new, notes)


def _add_observations(call: Call) -> Reply:
    asked = call.arguments["observations"]
    _refuse_too_many("observations", asked, "entityName", "contents")
    added = call.fabric.knowledge.add_observations(additions_of(asked, "contents"))
    results = [{"entityName": each.entity, "addedObservations": list(each.contents)} for each in added]
    return Reply({"results": results}, results)


def _delete_entities(call: Call) -> Reply:
    names = call.arguments["entityNames"]
    return _deleted("Entities", call.fabric.knowledge.delete_nodes(names), len(names))


def _delete_observations(call: Call) -> Reply:
    asked = additions_of(call.arguments["deletions"], "observations")
    gone = call.fabric.knowledge.delete_observations(asked)
    return _deleted("Observations", gone, sum(len(each.contents) for each in asked))


def _delete_relations(call: Call) -> Reply:
    links = [link_of(each) for each in call.arguments["relations"]]
    return _deleted("Relations", call.fabric.knowledge.delete_links(links), len(links))


def _deleted(what: str, gone: int, asked: int) -> Reply:
    """The official sentence; what was not there is passed over, and said beside it (F-MCP-7)."""
    message = f"{what} deleted successfully"
    return Reply(done(message), message, (f"{gone} of {asked} were there.",) if gone < asked else ())


def _read_graph(call: Call) -> Reply:
    return _paged(call, lambda scope: whole_graph(call.fabric, scope), "read_graph")


def _search_nodes(call: Call) -> Reply:
    query = call.arguments["query"].strip()
    if query in EVERYTHING:
        return _paged(call, lambda scope: whole_graph(call.fabric, scope), "search_nodes")
    knowledge, counted = call.fabric.knowledge, []

    def fetch(scope: Scope) -> Graph:
        graph = Held(knowledge.search_nodes(query, scope, MOST_FOUND))
        counted.append(graph.size[0])
        return graph

    reply = _paged(call, fetch, "search_nodes")
    if counted == [MOST_FOUND]:
        reply = replace(reply, notes=(*reply.notes, f"Only the best {MOST_FOUND} entities count: use rarer words."))
    return reply


def _open_nodes(call: Call) -> Reply:
    names: Sequence[str] = call.arguments["names"]
    found: list[Subgraph] = []

    def fetch(scope: Scope) -> Graph:
        found.append(call.fabric.knowledge.open_nodes(names, scope) if names else Subgraph())
        return Held(found[0])

    reply = _paged(call, fetch, "open_nodes")
    there = {entity_key(node.name) for node in found[0].nodes}
    missing = [name for name in names if entity_key(name) not in there]
    return replace(reply, notes=(*reply.notes, *_unknown(missing)))


def _unknown(names: Sequence[str]) -> list[str]:
    return [f"Not known here: {listed(names)}."] if names else []


def listed(names: Sequence[str]) -> str:
    """Names in a sentence, not too many of them."""
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(name[:LONGEST_NAME] for name in names[:MOST_NAMED]) + more


def whole_graph(fabric: Fabric, scope: Scope) -> Graph:
    """Everything in scope, fetched page by page."""
    knowledge = fabric.knowledge
    return Listed(
        knowledge.size(scope),
        lambda offset, limit: knowledge.list_nodes(scope, offset, limit),
        lambda offset, limit: knowledge.list_links(scope, offset, limit),
    )


def _paged(call: Call, fetch: Callable[[Scope], Graph], tool: str) -> Reply:
    cursor = Cursor.read(call.arguments["cursor"])
    scope, _ = call.fabric.scope(cwd=call.directory)
    graph = fetch(scope)
    page = page_of(graph, cursor, Budget(call.arguments["max_tokens"] or TOKENS))
    more = remark(graph, page, cursor, tool)
    return Reply(page.data, notes=(more,) if more else ())


_ADDITION = Record(
    (Parameter("entityName", NAME, required=True), Parameter("contents", NEW_OBSERVATIONS, required=True))
)
_DELETION = Record(
    (Parameter("entityName", Text(), required=True), Parameter("observations", ListOf(Text()), required=True))
)


def _list(name: str, item: Record | Text) -> Parameter:
    return Parameter(name, ListOf(item), required=True)


GRAPH_TOOLS = (
    Tool(
        "create_entities",
        "Create entities in the knowledge graph",
        (_list("entities", ENTITY_IN),),
        closed(entities=array(ENTITY_OUT)),
        WRITES,
        _create_entities,
    ),
    Tool(
        "create_relations",
        "Create relations, in active voice",
        (_list("relations", RELATION_IN),),
        closed(relations=array(RELATION_OUT)),
        WRITES,
        _create_relations,
    ),
    Tool(
        "add_observations",
        "Add observations to entities",
        (_list("observations", _ADDITION),),
        closed(results=array(record(entityName=TEXT, addedObservations=array(TEXT)))),
        WRITES,
        _add_observations,
    ),
    Tool(
        "delete_entities",
        "Delete entities with their relations",
        (_list("entityNames", Text()),),
        DONE_OUT,
        DESTROYS,
        _delete_entities,
    ),
    Tool(
        "delete_observations",
        "Delete observations from entities",
        (_list("deletions", _DELETION),),
        DONE_OUT,
        DESTROYS,
        _delete_observations,
    ),
    Tool(
        "delete_relations",
        "Delete relations",
        (_list("relations", RELATION_AT_HAND),),
        DONE_OUT,
        DESTROYS,
        _delete_relations,
    ),
    Tool("read_graph", "Read the graph, page by page", PAGE_IN, GRAPH_OUT, READS, _read_graph),
    Tool(
        "search_nodes",
        "Find entities by words; * lists all",
        (Parameter("query", Text(), required=True), *PAGE_IN),
        GRAPH_OUT,
        READS,
        _search_nodes,
    ),
    Tool(
        "open_nodes",
        "Entities by name, with their relations",
        (_list("names", Text()), *PAGE_IN),
        GRAPH_OUT,
        READS,
        _open_nodes,
    ),
)
"""In the order of the official server."""
