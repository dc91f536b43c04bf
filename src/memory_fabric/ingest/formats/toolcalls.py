"""Tool calls of every harness as one structure: what was touched, never what flowed through (F-ING-6, F-EDGE-3)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from types import MappingProxyType

from memory_fabric.ingest.lines import decode_json
from memory_fabric.model.transcript import ToolCall, ToolKind

MAX_TARGET = 2_000
"""Characters of a command or path that are kept (``ToolCall.target``)."""

MAX_QUERY = 200
"""Characters of a search query, an agent's errand or another tool's subject that are kept (F-EDGE-3)."""

_NAMES = {
    ToolKind.FILE: (
        "read edit write multiedit notebookedit notebookread ls lsp "
        "read_file write_file edit_file replace view_image apply_patch list_directory read_many_files "
        "create_file str_replace str_replace_editor view"
    ),
    ToolKind.COMMAND: (
        "bash powershell shell shell_command local_shell local_shell_call exec_command container.exec "
        "unified_exec run_shell_command terminal"
    ),
    ToolKind.SEARCH: (
        "websearch grep glob toolsearch web_search web_search_call search_file_content grep_search glob_search "
        "file_search google_web_search search search_files codebase_search"
    ),
    ToolKind.URL: "webfetch web_fetch fetch open_page",
    ToolKind.AGENT: "task agent spawn_agent delegate_to_agent codebase_investigator",
}
_KINDS = MappingProxyType({name: kind for kind, names in _NAMES.items() for name in names.split()})
_WRITERS = frozenset(
    "edit write multiedit notebookedit write_file edit_file replace apply_patch create_file str_replace "
    "str_replace_editor".split()
)

_FILE_KEYS = ("file_path", "notebook_path", "filePath", "absolute_path", "path", "dir_path", "filename", "file")
_SEARCH_KEYS = ("query", "pattern", "q", "search_query")
_URL_KEYS = ("url", "uri", "prompt")
_ERRAND_KEYS = ("description", "title", "objective", "message", "prompt")
_OTHER_KEYS = ("skill", "subject", "description", "name", "title", "query", "taskId", "task_id")

_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)


def arguments_of(value: object) -> Mapping[str, object]:
    """A call's input as a mapping: objects as they are, JSON text decoded, everything else empty."""
    if isinstance(value, str | bytes):
        try:
            value = decode_json(value.encode("utf-8", "replace") if isinstance(value, str) else value)
        except ValueError:
            return {}
    return value if isinstance(value, Mapping) else {}


def tool_call(name: str, arguments: Mapping[str, object], line: int | None = None) -> ToolCall:
    """The structure of one call.

    Known names of Claude Code, Codex and Gemini CLI, in any letter case, decide the kind; ``mcp__server__tool``
    is MCP with the server as target; every other tool is OTHER with at most a short subject as target.
    """
    if name.startswith("mcp__"):
        server = name.removeprefix("mcp__").partition("__")[0]
        return ToolCall(ToolKind.MCP, name, server[:MAX_TARGET], line)
    folded = name.casefold()
    kind = _KINDS.get(folded, ToolKind.OTHER)
    return ToolCall(kind, name, _target(kind, arguments), line, writes=folded in _WRITERS)


def tool_calls(name: str, arguments: Mapping[str, object], line: int | None = None) -> tuple[ToolCall, ...]:
    """The call, followed by one COMMIT call for each ``git commit`` in its command whose subject can be read."""
    call = tool_call(name, arguments, line)
    if call.kind is not ToolKind.COMMAND:
        return (call,)
    subjects = commit_subjects(_command(arguments))
    return (call, *(ToolCall(ToolKind.COMMIT, name, subject[:MAX_QUERY], line) for subject in subjects))


def _target(kind: ToolKind, arguments: Mapping[str, object]) -> str:
    if kind is ToolKind.COMMAND:
        return _command(arguments)[:MAX_TARGET]
    if kind is ToolKind.FILE:
        return (_first(arguments, _FILE_KEYS) or _patched_file(arguments))[:MAX_TARGET]
    if kind is ToolKind.URL:
        return _first(arguments, _URL_KEYS)[:MAX_TARGET]
    if kind is ToolKind.SEARCH:
        return _first(arguments, _SEARCH_KEYS)[:MAX_QUERY]
    if kind is ToolKind.AGENT:
        parts = (_first(arguments, ("subagent_type", "agent_type", "agent_name")), _first(arguments, _ERRAND_KEYS))
        return ": ".join(part for part in parts if part)[:MAX_QUERY]
    return _first(arguments, _OTHER_KEYS)[:MAX_QUERY]


def _first(arguments: Mapping[str, object], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = arguments.get(key)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _patched_file(arguments: Mapping[str, object]) -> str:
    for key in ("input", "patch"):
        value = arguments.get(key)
        if isinstance(value, str) and (found := _PATCHED.search(value)):
            return found.group(1)
    return ""


def _command(arguments: Mapping[str, object]) -> str:
    """The command line; of an argument list that runs a shell (``["bash", "-lc", script]``) the script."""
    value = arguments.get("command") or arguments.get("cmd") or ""
    if isinstance(value, str):
        return value.strip()
    if not isinstance(value, list):
        return ""
    words = [word for word in value if isinstance(word, str)]
    if len(words) == 3 and words[1] in {"-lc", "-c", "-Command"}:
        return words[2].strip()
    return shlex.join(words)


_COMMIT = re.compile(
    r"(?:^|[;&|(\n{]|\bthen\b|\bdo\b)\s*(?:\w+=\S*\s+)*git(?:\s+-[cC]\s*(?:\"[^\"]*\"|'[^']*'|\S+)|\s+--[\w-]+(?:=\S+)?)*"
    r"\s+commit(?=\s|$)"
)
_HEREDOC = r"<<-?\s*(?P<q>['\"\\]?)(?P<tag>\w+)['\"]?[^\n]*\n(?P<here>.*?)(?:\n\s*(?P=tag)\b|\Z)"
_MESSAGE = re.compile(
    r"(?:\s-[a-zA-Z]*m|\s--message)(?:\s*=\s*|\s*)"
    rf"(?:\"?\$\(\s*cat\s+{_HEREDOC}"
    r"|\$'(?P<ansi>(?:[^'\\]|\\.)*)'"
    r"|\"(?P<double>(?:[^\"\\]|\\.)*)\""
    r"|'(?P<single>[^']*)'"
    r"|(?P<bare>[^\s\"'$;&|]+))",
    re.DOTALL,
)
_FROM_STDIN = re.compile(rf"\s(?:-F|--file)[\s=]*-\s*{_HEREDOC}", re.DOTALL)
_ESCAPED = re.compile(r"\\([\"\\$`!])")


def commit_subjects(command: str) -> list[str]:
    """The first line of the message of every ``git commit`` in a shell command, in order.

    Reads ``-m``, ``-am`` and ``--message`` with any quotes, here-documents in them, and ``-F -`` with one; commits
    whose message stands elsewhere (an editor, a file, a variable) are left out.
    """
    if "commit" not in command:
        return []
    matches = list(_COMMIT.finditer(command))
    ends = [*(match.start() for match in matches[1:]), len(command)]
    subjects = (_subject(command[match.end() : end]) for match, end in zip(matches, ends, strict=False))
    return [subject for subject in subjects if subject]


def _subject(rest: str) -> str:
    found = _MESSAGE.search(rest) or _FROM_STDIN.search(rest)
    if found is None:
        return ""
    groups = found.groupdict()
    message = next((groups[key] for key in ("here", "ansi", "double", "single", "bare") if groups.get(key)), "")
    if groups.get("double") and message.startswith("$"):
        return ""
    if groups.get("ansi"):
        message = message.replace("\\n", "\n").replace("\\'", "'")
    if groups.get("double"):
        message = _ESCAPED.sub(r"\1", message)
    return next((line.strip() for line in message.splitlines() if line.strip()), "")
