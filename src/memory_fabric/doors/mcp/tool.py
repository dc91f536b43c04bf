"""What a tool is, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from memory_fabric.doors.mcp.arguments import Json, Parameter, schema_of

if TYPE_CHECKING:
    from memory_fabric.app import Fabric


class ToolSet(StrEnum):
    """Which tools a server offers (F-MCP-18)."""

    CORE = "core"
    """Search, remember, open, forget."""
    GRAPH = "graph"
    """The nine of the official memory server."""
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Hints:
    """What a client may presume of a tool."""

    reads: bool = False
    destroys: bool = False
    repeats: bool = False
    """Whether a second call changes nothing more."""

    terse: bool = False
    """Whether what the protocol presumes anyway is left out."""

    @property
    def annotations(self) -> Json:
        """As the protocol names them; no tool reaches beyond the memory."""
        hints = {
            "readOnlyHint": self.reads,
            "destructiveHint": self.destroys,
            "idempotentHint": self.repeats,
            "openWorldHint": False,
        }
        if not self.terse:
            return hints
        beside = {"destructiveHint"} if self.reads else set()
        return {name: value for name, value in hints.items() if value is not _PRESUMED[name] and name not in beside}


_PRESUMED = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": True}
"""What a client presumes of a tool that says nothing."""

READS = Hints(reads=True, repeats=True)
WRITES = Hints()
DESTROYS = Hints(destroys=True, repeats=True)


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool."""

    fabric: Fabric
    arguments: Json
    """As read by the tool's own parameters."""
    directory: str | None
    """Where the client works; its project is the scope of a question."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a tool answers."""

    data: Json
    """The structured content: exactly the fields of the tool's output schema (C-076)."""
    text: Any = None
    """What the text holds where that is not ``data``: a sentence, or another JSON value."""
    notes: tuple[str, ...] = ()
    """Sentences beside the result: how to get more, what was not taken."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool."""

    name: str
    about: str
    """Short: the whole list of tools lies in every context (C-082, F-MCP-18)."""
    parameters: tuple[Parameter, ...]
    output: Json = field(hash=False)
    hints: Hints
    run: Callable[[Call], Reply]

    @property
    def listed(self) -> Json:
        """As ``tools/list`` shows it: plain JSON, an object at the root of both schemas (C-077)."""
        return {
            "name": self.name,
            "description": self.about,
            "inputSchema": schema_of(self.parameters),
            "outputSchema": self.output,
            "annotations": self.hints.annotations,
        }


TEXT: Json = {"type": "string"}
WHOLE: Json = {"type": "integer"}
NUMBER: Json = {"type": "number"}
FLAG: Json = {"type": "boolean"}
TEXT_OR_NULL: Json = {"type": ["string", "null"]}
OBJECT: Json = {"type": "object"}


def array(items: Json) -> Json:
    """The schema of a list."""
    return {"type": "array", "items": items}


def record(**fields: Json) -> Json:
    """The schema of an object with these fields, all of them."""
    return {"type": "object", "properties": fields, "required": list(fields)}


def item(*fields: str) -> Json:
    """The schema of one result of ours by the names of its fields; their types are tested, not told (F-MCP-18)."""
    return {"type": "object", "properties": {name: {} for name in fields}}


def open_record(optional: tuple[str, ...] = (), **fields: Json) -> Json:
    """The schema of a whole result of ours: these fields, those in ``optional`` not always there."""
    return {"type": "object", "properties": fields, "required": [name for name in fields if name not in optional]}


def closed(**fields: Json) -> Json:
    """The schema of a whole result as the official server has it: exactly these fields."""
    return {**record(**fields), "additionalProperties": False}
