"""``get_related_entities``: what is around an entity, nearest first (F-MCP-2)."""

from __future__ import annotations

from memory_fabric.doors.connections import MAX_CONNECTIONS, related_json
from memory_fabric.doors.mcp.arguments import Json
from memory_fabric.doors.mcp.memory_shapes import Labels
from memory_fabric.doors.mcp.paging import TOKENS, Budget
from memory_fabric.doors.mcp.tool import Call, Reply
from memory_fabric.errors import UsageError
from memory_fabric.model.query import Scope
from memory_fabric.search.related import Related

_CONNECTION = ("subject", "predicate", "object", "project", "date", "source")


def get_related_entities(call: Call) -> Reply:
    """Walk the graph from an entity; an unknown one is an answer too, with names that resemble it."""
    name = call.arguments["entity"].strip()
    try:
        found, remark = _walk(call, name)
    except UsageError as error:
        return Reply(
            {
                "entity": name,
                "found": False,
                "seeds": [],
                "related": [],
                "connections": [],
                "message": f"{error.message}; {error.hint}",
            }
        )
    return Reply(_json(call, name, found, remark))


def _walk(call: Call, name: str) -> tuple[Related, str | None]:
    """Around the entity in the current project, or anywhere where it has nothing there."""
    hops, limit = call.arguments["hops"], call.arguments["limit"]
    scope, remark = call.fabric.scope(cwd=call.directory)
    found = call.fabric.related(name, scope, depth=hops, limit=limit)
    if found.entities or scope.projects is None:
        return found, remark
    return call.fabric.related(name, Scope(), depth=hops, limit=limit), "not in this project: searched all projects"


def _json(call: Call, name: str, found: Related, remark: str | None) -> Json:
    whole = related_json(name, found)
    labels = Labels.of(call.fabric, [])
    budget = Budget(TOKENS)
    budget.take({**whole, "related": [], "connections": [], "memories": []})
    related = list(budget.fitting(whole["related"], keep=budget.left // 2))
    connections = list(
        budget.fitting(
            {**{key: each[key] for key in _CONNECTION}, "project": labels.project(each["project"])}
            for each in whole["connections"]
        )
    )
    remarks = [remark] if remark else []
    limit = call.arguments["limit"]
    if len(found.entities) == limit:
        remarks.append(f"the nearest entities up to limit={limit}, there may be more")
    if len(related) < len(found.entities) or len(connections) < len(found.steps) or found.cut:
        remarks.append(
            f"shown are {len(related)} of {len(found.entities)} entities and {len(connections)} of "
            f"{len(found.steps)} connections (at most {MAX_CONNECTIONS}): ask with fewer hops, or for one of these"
        )
    data = {"entity": name, "found": True, "seeds": whole["seeds"], "related": related, "connections": connections}
    return {**data, "message": "; ".join(remarks)} if remarks else data
