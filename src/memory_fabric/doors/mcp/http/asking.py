"""``POST /api/search``: one question, for programs that cannot wait for a process of their own (F-HOOK-7).

``{"query", "project"?, "cwd"?, "limit"?}`` → the JSON of ``doors.results.answer_json``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from memory_fabric.errors import MemoryFabricError, UsageError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from memory_fabric.app import Fabric

LIMIT, MOST = 10, 50
"""Results by default, and at most (F-CMD-7)."""

_KEYS = {"query": str, "project": str, "cwd": str, "limit": int}
_STATUS = {2: 400, 3: 503}
"""HTTP status by exit code: the asker's mistake, not available now; else 500."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked."""

    query: str
    project: str | None = None
    """Name of a project."""
    cwd: str | None = None
    """A folder: its project is searched, or all where it has no memories."""
    limit: int = LIMIT


def read_question(body: bytes) -> Question:
    """The question in a request's body.

    Raises:
        UsageError: not JSON, not an object, a key that is unknown, of another type or out of range, no query.
    """
    try:
        given = json.loads(body)
    except (ValueError, RecursionError):
        raise UsageError("the body is not JSON", f"send an object with {', '.join(_KEYS)}") from None
    if not isinstance(given, dict):
        raise UsageError("the body is not an object", f"send an object with {', '.join(_KEYS)}")
    for key, value in given.items():
        if key not in _KEYS:
            raise UsageError(f"{key[:40]!r} is not known", f"known: {', '.join(_KEYS)}")
        if not isinstance(value, _KEYS[key]) or isinstance(value, bool):
            raise UsageError(f"{key} is not {'a number' if _KEYS[key] is int else 'a text'}")
    if not str(given.get("query", "")).strip():
        raise UsageError("query is missing or empty", "say what to look for")
    if not 1 <= given.get("limit", LIMIT) <= MOST:
        raise UsageError(f"limit = {given['limit']} is out of range", f"it must lie in 1 to {MOST}")
    return Question(**given)


def answer_question(fabric: Fabric, question: Question) -> dict[str, Any]:
    """The answer as JSON.

    Raises:
        UsageError: the project is not known.
        StoreError: the store failed.
    """
    from memory_fabric.doors.results import answer_json, relation_ends
    from memory_fabric.model.query import Scope

    scope, note = fabric.scope(Scope(), project=question.project, cwd=question.cwd)
    answer = fabric.search(question.query, scope, limit=question.limit, outside=False)
    names = fabric.store.entities(relation_ends(answer))
    notes = [note] if note and not answer.query.all_projects else []
    return answer_json(answer, names, notes)


async def answer_request(fabric: Fabric, request: Request) -> Response:
    """The response to a request that passed the guards; errors are ``{"error": {"code", "message", "hint"}}``."""
    from anyio import to_thread
    from starlette.responses import JSONResponse

    try:
        question = read_question(await request.body())
        found = await to_thread.run_sync(answer_question, fabric, question, abandon_on_cancel=True)
    except MemoryFabricError as error:
        told = {"code": error.code, "message": error.message, "hint": error.hint}
        return JSONResponse({"error": told}, _STATUS.get(error.exit_code, 500))
    return JSONResponse(found)
