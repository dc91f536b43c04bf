"""Codex tool calls as structure, and whether they succeeded (formats.md §3.2)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memory_fabric.ingest.formats.toolcalls import MAX_TARGET, arguments_of, tool_call, tool_calls
from memory_fabric.ingest.lines import decode_json
from memory_fabric.model.transcript import ToolCall, ToolKind

_PATCHED = re.compile(r"^\*\*\* (?:Add File|Update File|Delete File|Move to): (.+?)\s*$", re.MULTILINE)
_APPLIES = re.compile(r"\bapply_?patch\b[^*]*\*\*\* Begin Patch")
"""``apply_patch`` (or ``applypatch``, which Codex takes too) with a patch behind it."""
_EXIT = re.compile(r"(?:Process exited with code|Exit code:)\s*(-?\d+)")
_EXIT_WITHIN = 500
"""The exit code stands in the first lines of an output, before what the command printed."""

_COMMANDS = frozenset("shell shell_command exec_command local_shell container.exec unified_exec".split())


def calls_of(item: Mapping[str, Any], line: int) -> tuple[ToolCall, ...]:
    """The calls that one ``response_item`` makes; empty for polling and for shapes that name nothing."""
    match item.get("type"):
        case "function_call":
            return _function_calls(item, arguments_of(item.get("arguments")), line)
        case "custom_tool_call":
            return _custom_calls(item, line)
        case "local_shell_call":
            return tool_calls("local_shell_call", _mapping(item.get("action")), line)
        case "web_search_call":
            return web_calls(_mapping(item.get("action")), line)
        case "tool_search_call":
            return (tool_call("tool_search", arguments_of(item.get("arguments")), line),)
        case _:
            return ()


def _function_calls(item: Mapping[str, Any], arguments: Mapping[str, object], line: int) -> tuple[ToolCall, ...]:
    name, namespace = _string(item.get("name")), _string(item.get("namespace"))
    if namespace.startswith("mcp__"):
        return (mcp_call(namespace.removeprefix("mcp__").strip("_"), name, line),)
    if name == "write_stdin":
        return ()
    if name in ("multi_tool_use.parallel", "parallel"):
        uses = arguments.get("tool_uses")
        return tuple(
            call
            for use in (uses if isinstance(uses, list) else [])
            if isinstance(use, Mapping)
            for call in _function_calls(
                {"name": _string(use.get("recipient_name")).removeprefix("functions.")},
                arguments_of(use.get("parameters")),
                line,
            )
        )
    patch = _patch_in(name, arguments)
    return patch_calls(patch, line) if patch else tool_calls(name, arguments, line)


def _patch_in(name: str, arguments: Mapping[str, object]) -> str:
    """The patch text of a call that applies one, also through a shell (``["apply_patch", "*** Begin Patch…"]``)."""
    if name == "apply_patch":
        return _string(arguments.get("input")) or _string(arguments.get("patch"))
    command = arguments.get("command") or arguments.get("cmd")
    script = "\n".join(word for word in command if isinstance(word, str)) if isinstance(command, list) else command
    if name in _COMMANDS and isinstance(script, str) and _APPLIES.search(script):
        return script
    return ""


def _custom_calls(item: Mapping[str, Any], line: int) -> tuple[ToolCall, ...]:
    name, given = _string(item.get("name")), item.get("input")
    if name == "apply_patch":
        return patch_calls(_string(given), line)
    return _function_calls({"name": name}, arguments_of(given), line)


def patch_calls(patch: str, line: int) -> tuple[ToolCall, ...]:
    """One FILE call for each file that a patch adds, updates, deletes or moves to."""
    return file_calls(dict.fromkeys(_PATCHED.findall(patch)), line)


def file_calls(paths: object, line: int) -> tuple[ToolCall, ...]:
    """One FILE call for each changed file: the keys of a mapping, or the ``path`` of each object in a list."""
    names = [_mapping(part).get("path") for part in paths] if isinstance(paths, list) else _mapping(paths)
    return tuple(
        ToolCall(ToolKind.FILE, "apply_patch", path[:MAX_TARGET], line, writes=True)
        for path in names
        if isinstance(path, str)
    )


def web_calls(action: Mapping[str, Any], line: int) -> tuple[ToolCall, ...]:
    """A search as SEARCH, an opened page as URL."""
    if url := _string(action.get("url")):
        return (ToolCall(ToolKind.URL, "web_search", url[:MAX_TARGET], line),)
    return (tool_call("web_search", action, line),) if _string(action.get("query")) else ()


def command_calls(event: Mapping[str, Any], line: int) -> tuple[ToolCall, ...]:
    """The command of an execution event, and the files of a patch that it applied."""
    return _function_calls({"name": "exec_command"}, {"command": event.get("command")}, line)


def mcp_calls(event: Mapping[str, Any], line: int) -> tuple[ToolCall, ...]:
    """The call of an MCP event, which names server and tool itself or in its ``invocation``."""
    named = _mapping(event.get("invocation")) or event
    server, tool = _string(named.get("server")), _string(named.get("tool"))
    return (mcp_call(server, tool, line),) if server else ()


def mcp_call(server: str, tool: str, line: int) -> ToolCall:
    """A call of an MCP server's tool."""
    return tool_call(f"mcp__{server}__{tool}", {}, line)


def outcome(output: object) -> bool | None:
    """Whether a tool's output tells of success: by ``success`` or an exit code, else None."""
    if isinstance(output, str) and output.lstrip().startswith("{"):
        try:
            output = decode_json(output.encode("utf-8", "replace"))
        except ValueError:
            return None
    if isinstance(output, Mapping):
        if isinstance(output.get("success"), bool):
            return bool(output["success"])
        if (code := _mapping(output.get("metadata")).get("exit_code")) is not None:
            return exit_ok(code)
        output = output.get("content") or output.get("text") or output.get("output")
    if isinstance(output, list):
        output = next((part.get("text") for part in output if isinstance(part, Mapping)), None)
    found = _EXIT.search(output, 0, _EXIT_WITHIN) if isinstance(output, str) else None
    return found.group(1) == "0" if found else None


def succeeded(event: Mapping[str, Any]) -> bool | None:
    """Success of a finished call by ``success``, ``result`` (``Ok`` or ``Err``) or ``status``."""
    if isinstance(event.get("success"), bool):
        return bool(event["success"])
    result = _mapping(event.get("result"))
    if "Err" in result:
        return False
    if "Ok" in result:
        return _mapping(result["Ok"]).get("isError") is not True
    return {"completed": True, "failed": False, "declined": False}.get(_string(event.get("status")))


def exit_ok(code: object) -> bool | None:
    """Success by exit code; None if it is no number."""
    return code == 0 if isinstance(code, int) and not isinstance(code, bool) else None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
