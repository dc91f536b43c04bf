"""Our own tools: search, related things, remember, open, forget (F-MCP-1 to F-MCP-3)."""

from __future__ import annotations

from memory_fabric.doors.mcp.arguments import BadArgument, ListOf, OneOf, Parameter, Text, Whole
from memory_fabric.doors.mcp.ask import search_memory
from memory_fabric.doors.mcp.graph_shapes import PAGE_IN
from memory_fabric.doors.mcp.open import open_memory
from memory_fabric.doors.mcp.paging import FEWEST, MOST
from memory_fabric.doors.mcp.related import get_related_entities
from memory_fabric.doors.mcp.tool import (
    FLAG,
    NUMBER,
    OBJECT,
    TEXT,
    TEXT_OR_NULL,
    WHOLE,
    Call,
    Hints,
    Reply,
    Tool,
    array,
    item,
    open_record,
)
from memory_fabric.model.query import Mode

LONGEST_NOTE = 10_000
"""Characters of a text to remember: a limit of size hinders poisoning (F-PRIV-3)."""

_IDS = Parameter("ids", ListOf(Text()), required=True)
_READS = Hints(reads=True, repeats=True, terse=True)
_WRITES = Hints(terse=True)
_DESTROYS = Hints(destroys=True, repeats=True, terse=True)


def _add_memory(call: Call) -> Reply:
    source = call.arguments["source"].strip()
    kept = call.fabric.remember(
        call.arguments["text"],
        source=source,
        cwd=call.directory,
        everywhere=call.directory is None,
        confirmed=True,
    )
    contrary = [f"{memory.id} says the opposite." for memory in kept.contrary[:3]]
    return Reply(
        {"ok": True, "chunk_id": kept.memory.id, "source": source, "chars": kept.characters, "searchable": True},
        notes=(*kept.notes, *contrary),
    )


def _forget_memory(call: Call) -> Reply:
    if not call.arguments["ids"]:
        raise BadArgument("ids", "is empty")
    gone = call.fabric.forget(call.arguments["ids"])
    return Reply({"forgotten": gone.count, "missing": list(gone.unknown)})


MEMORY_TOOLS = (
    Tool(
        "search_memory",
        "Search past sessions and notes; open_memory gives whole texts",
        (
            Parameter("query", Text(), required=True),
            Parameter("top_k", Whole(1, 20), default=5),
            Parameter("mode", OneOf(tuple(Mode)), default="auto"),
            Parameter("project", Text()),
            Parameter("since", Text()),
            Parameter("before", Text()),
            Parameter("around", Text()),
            Parameter("detail", OneOf(("full", "index")), default="full"),
            Parameter("max_tokens", Whole(FEWEST, MOST)),
        ),
        open_record(
            query=TEXT,
            mode=TEXT,
            entities_matched=array(TEXT),
            graph_weight=NUMBER,
            latency_ms=NUMBER,
            results=array(item("id", "text", "project", "session_title", "date", "score", "matched_by", "cut")),
            notes=array(TEXT),
        ),
        _READS,
        search_memory,
    ),
    Tool(
        "get_related_entities",
        "What an entity is connected to",
        (
            Parameter("entity", Text(), required=True),
            Parameter("hops", Whole(1, 4), default=2),
            Parameter("limit", Whole(1, 200), default=40),
        ),
        open_record(
            ("message",),
            entity=TEXT,
            found=FLAG,
            seeds=array(OBJECT),
            related=array(OBJECT),
            connections=array(item("subject", "predicate", "object", "project", "date", "source")),
            message=TEXT,
        ),
        _READS,
        get_related_entities,
    ),
    Tool(
        "add_memory",
        "Remember a text",
        (Parameter("text", Text(LONGEST_NOTE), required=True), Parameter("source", Text(200), default="note")),
        open_record(ok=FLAG, chunk_id=TEXT, source=TEXT, chars=WHOLE, searchable=FLAG),
        _WRITES,
        _add_memory,
    ),
    Tool(
        "open_memory",
        "Whole memories by id",
        (_IDS, *PAGE_IN),
        open_record(
            memories=array(item("id", "text", "project", "session_title", "date", "kind", "source", "complete")),
            missing=array(TEXT),
            next=TEXT_OR_NULL,
        ),
        _READS,
        open_memory,
    ),
    Tool(
        "forget_memory",
        "Forget memories by id",
        (_IDS,),
        open_record(forgotten=WHOLE, missing=array(TEXT)),
        _DESTROYS,
        _forget_memory,
    ),
)
