"""Every field of every result with its type: what ``tools/list`` leaves out for brevity, tests hold us to."""

from __future__ import annotations

from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from memory_fabric.doors.mcp.tool import ToolSet
from memory_fabric.doors.mcp.tools import tools_of

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
FULL: Json = {"type": "string", "minLength": 1}
WHOLE: Json = {"type": "integer", "minimum": 0}
SHARE: Json = {"type": "number", "minimum": 0, "maximum": 1}
FLAG: Json = {"type": "boolean"}
MAYBE: Json = {"type": ["string", "null"]}


def exactly(optional: str = "", **fields: Json) -> Json:
    """The schema of an object with these fields and no other, all but one of them always there."""
    required = sorted(set(fields) - {optional})
    return {"type": "object", "properties": fields, "required": required, "additionalProperties": False}


def array(items: Json, most: int | None = None) -> Json:
    return {"type": "array", "items": items, **({"maxItems": most} if most is not None else {})}


PLACE: dict[str, Json] = {"project": MAYBE, "session_title": MAYBE, "date": MAYBE}
ENTITY = exactly(name=FULL, entityType=TEXT, observations=array(TEXT))
_LINK: dict[str, Json] = {"from": FULL, "to": FULL, "relationType": FULL}
RELATION = exactly("", **_LINK)
GRAPH = exactly(entities=array(ENTITY), relations=array(RELATION))
DONE = exactly(success={"const": True}, message=FULL)

STRICT: dict[str, Json] = {
    "search_memory": exactly(
        query=FULL,
        mode={"enum": ["auto", "hybrid", "vector", "graph", "text"]},
        entities_matched=array(FULL),
        graph_weight=SHARE,
        latency_ms={"type": "number", "minimum": 0},
        results=array(
            exactly(
                "",
                id=FULL,
                text={"type": "string", "maxLength": 2_500},
                **PLACE,
                score=SHARE,
                matched_by={"enum": ["vector", "graph", "both"]},
                cut=FLAG,
            ),
            20,
        ),
        notes=array(FULL),
    ),
    "get_related_entities": exactly(
        "message",
        entity=FULL,
        found=FLAG,
        seeds=array(exactly(name=FULL, kind=MAYBE)),
        related=array(exactly(name=FULL, kind=MAYBE, hops={"type": "integer", "minimum": 1, "maximum": 4})),
        connections=array(
            exactly(subject=FULL, predicate=FULL, object=FULL, project=MAYBE, date=MAYBE, source=MAYBE), 120
        ),
        message=FULL,
    ),
    "add_memory": exactly(ok={"const": True}, chunk_id=FULL, source=FULL, chars=WHOLE, searchable=FLAG),
    "open_memory": exactly(
        memories=array(exactly("", id=FULL, text=TEXT, **PLACE, kind=FULL, source=FULL, complete=FLAG)),
        missing=array(FULL),
        next=MAYBE,
    ),
    "forget_memory": exactly(forgotten=WHOLE, missing=array(FULL)),
    "create_entities": exactly(entities=array(ENTITY)),
    "create_relations": exactly(relations=array(RELATION)),
    "add_observations": exactly(results=array(exactly(entityName=FULL, addedObservations=array(TEXT)))),
    "delete_entities": DONE,
    "delete_observations": DONE,
    "delete_relations": DONE,
    "read_graph": GRAPH,
    "search_nodes": GRAPH,
    "open_nodes": GRAPH,
}


def check(tool: str, data: Json) -> None:
    """The result holds its own declared schema, and the strict one."""
    for schema in (tools_of(ToolSet.ALL)[tool].output, STRICT[tool]):
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(data)
