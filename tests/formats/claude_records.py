"""Invented Claude Code records, and what the reader makes of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memory_fabric.ingest.formats.claude_code import ClaudeCode
from memory_fabric.model.transcript import SessionFacts, Tally, Turn
from memory_fabric.ports import Cursor

Write = Callable[..., Path]
S = "11111111-1111-4111-8111-111111111111"


def user(uuid: str, content: Any, parent: str | None = None, second: int = 0, **more: Any) -> dict[str, Any]:
    stamp = f"2026-03-01T09:{second // 60:02}:{second % 60:02}.000Z"
    envelope = {"parentUuid": parent, "isSidechain": False, "cwd": "/w/app", "sessionId": S, "gitBranch": "main"}
    message = {"role": "user", "content": content}
    return {**envelope, "type": "user", "uuid": uuid, "timestamp": stamp, "message": message, **more}


def reply(uuid: str, content: Any, parent: str | None = None, second: int = 1, **more: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    message = {"id": more.pop("id", f"msg_{uuid}"), "role": "assistant", "model": "model-x", "content": blocks}
    return {**user(uuid, None, parent, second), "type": "assistant", "requestId": "r1", "message": message, **more}


def call(uuid: str, tool: str, name: str, given: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return reply(uuid, [{"type": "tool_use", "id": tool, "name": name, "input": given}], parent, **more)


def result(uuid: str, tool: str, content: Any = "ok", parent: str | None = None, **more: Any) -> dict[str, Any]:
    error = {"is_error": True} if more.pop("is_error", False) else {}
    return user(uuid, [{"type": "tool_result", "tool_use_id": tool, "content": content, **error}], parent, **more)


def read(path: Path, start: Cursor = Cursor()) -> tuple[list[Turn], list[SessionFacts], Tally]:
    tally = Tally()
    items = list(ClaudeCode().read(path, tally, start))
    turns = [item for item in items if isinstance(item, Turn)]
    return turns, [item for item in items if isinstance(item, SessionFacts)], tally


def words(turns: list[Turn]) -> list[tuple[str, str]]:
    return [(turn.role.value, turn.text) for turn in turns]
