"""A line as a message, or as the error that answers it (C-083, C-085)."""

from __future__ import annotations

import json
from typing import Any

from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from memory_fabric.doors.mcp.stdio import LONGEST_LINE


class Unreadable(Exception):  # noqa: N818 - becomes an answer
    """A line that is no message; ``answer`` says so to the client."""

    def __init__(self, answer: JSONRPCError) -> None:
        super().__init__(answer.error.message)
        self.answer = answer


def message_of(line: bytes | None) -> JSONRPCMessage:
    """The message of a line; None stands for one that was too long.

    Raises:
        Unreadable: it is not JSON (-32700), or JSON but no message (-32600).
    """
    if line is None:
        raise Unreadable(_error(None, INVALID_REQUEST, f"the message has more than {LONGEST_LINE} bytes"))
    try:
        return jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        return _tolerant(line)


def _tolerant(line: bytes) -> JSONRPCMessage:
    """A message that only lacks its version mark is taken; everything else is refused in its own words."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unreadable(_error(None, PARSE_ERROR, f"not JSON: {_reason(error)}")) from error
    if isinstance(value, dict) and "jsonrpc" not in value:
        try:
            return jsonrpc_message_adapter.validate_python({"jsonrpc": "2.0", **value}, by_name=False)
        except ValidationError:
            pass
    name = value.get("id") if isinstance(value, dict) else None
    known = name if isinstance(name, str | int) and not isinstance(name, bool) else None
    raise Unreadable(_error(known, INVALID_REQUEST, "not a JSON-RPC 2.0 message"))


def _error(name: Any, code: int, message: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=name, error=ErrorData(code=code, message=message))


def _reason(error: Exception) -> str:
    return "bytes that are no UTF-8" if isinstance(error, UnicodeDecodeError) else type(error).__name__
