"""Nodes and links as the official memory server names their fields (formats.md §10), in schemas and in values."""

from __future__ import annotations

from memory_fabric.doors.mcp.arguments import Json, ListOf, Parameter, Record, Text, Whole
from memory_fabric.doors.mcp.paging import FEWEST, MOST
from memory_fabric.doors.mcp.tool import FLAG, TEXT, array, closed, record
from memory_fabric.model.nodes import Link, Node, Observations

LONGEST_NAME = 200
"""Characters of a name (F-HOOK-15)."""

LONGEST_OBSERVATION = 1_000
"""Characters of an observation (F-HOOK-15)."""

MOST_OBSERVATIONS = 20
"""Observations of one entity in one call (F-HOOK-15)."""

NAME = Text(LONGEST_NAME)
NEW_OBSERVATIONS = ListOf(Text(LONGEST_OBSERVATION), MOST_OBSERVATIONS, "observations")
ENTITY_IN = Record(
    (
        Parameter("name", NAME, required=True),
        Parameter("entityType", Text(LONGEST_NAME, blank=True), required=True),
        Parameter("observations", NEW_OBSERVATIONS, required=True),
    )
)
RELATION_IN = Record(
    (
        Parameter("from", NAME, required=True),
        Parameter("to", NAME, required=True),
        Parameter("relationType", NAME, required=True),
    )
)
RELATION_AT_HAND = Record(tuple(Parameter(name, Text(), required=True) for name in ("from", "to", "relationType")))
"""One that is there: an import may have brought longer names."""
PAGE_IN = (Parameter("cursor", Text()), Parameter("max_tokens", Whole(FEWEST, MOST)))
"""What asks for the next page, and for its size; the official server has neither."""

ENTITY_OUT = record(name=TEXT, entityType=TEXT, observations=array(TEXT))
RELATION_OUT = record(**{"from": TEXT, "to": TEXT, "relationType": TEXT})
GRAPH_OUT = closed(entities=array(ENTITY_OUT), relations=array(RELATION_OUT))
DONE_OUT = closed(success=FLAG, message=TEXT)


def node_of(given: Json) -> Node:
    """An entity as a client sent it."""
    return Node(given["name"], given["entityType"], tuple(given["observations"]))


def link_of(given: Json) -> Link:
    """A relation as a client sent it."""
    return Link(given["from"], given["relationType"], given["to"])


def node_json(node: Node) -> Json:
    """An entity, the declared fields only (C-076)."""
    return {"name": node.name, "entityType": node.type, "observations": list(node.observations)}


def link_json(link: Link) -> Json:
    """A relation, the declared fields only (C-076)."""
    return {"from": link.start, "to": link.end, "relationType": link.relation}


def additions_of(given: list[Json], contents: str) -> list[Observations]:
    """Observations to add or to delete; ``contents`` is the name of their field."""
    return [Observations(each["entityName"], tuple(each[contents])) for each in given]


def done(message: str) -> Json:
    """What the deleting tools answer."""
    return {"success": True, "message": message}
