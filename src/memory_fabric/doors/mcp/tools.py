"""All tools, and which of them a server offers."""

from __future__ import annotations

from memory_fabric.doors.mcp.graph_tools import GRAPH_TOOLS
from memory_fabric.doors.mcp.memory_tools import MEMORY_TOOLS
from memory_fabric.doors.mcp.tool import Tool, ToolSet

_OF_SET = {
    ToolSet.CORE: MEMORY_TOOLS,
    ToolSet.GRAPH: GRAPH_TOOLS,
    ToolSet.ALL: (*MEMORY_TOOLS, *GRAPH_TOOLS),
}


def tools_of(chosen: ToolSet) -> dict[str, Tool]:
    """The tools of a set by name, in the order of ``tools/list``."""
    return {tool.name: tool for tool in _OF_SET[chosen]}
