"""Who may ask: checks of every request before anything else sees it (C-101 to C-103).

A web page must neither read nor write the memory, whatever name it reaches this machine by; a program must show the
token of this installation.  No answer ever carries a CORS header, so a preflight always fails.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_fabric.doors.mcp.http.loopback import Loopback

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MCP, SEARCH, HEALTH = "/mcp", "/api/search", "/health"

SERVED = {MCP: ("POST", "GET", "DELETE"), SEARCH: ("POST",), HEALTH: ("GET", "HEAD")}
"""Methods by path.  GET of ``/mcp`` opens a stream of notices, DELETE ends a session; neither changes the memory."""

OPEN = frozenset({HEALTH})
"""Paths that ask for no token: they tell nothing about the memory."""

_API = "/api/"
_OWN_PAGE = frozenset({"same-origin", "none"})
"""Values of ``Sec-Fetch-Site`` that do not come from another page (Fetch Metadata)."""

_ALWAYS = ((b"cross-origin-resource-policy", b"same-origin"), (b"x-content-type-options", b"nosniff"))

RawHeaders = Sequence[tuple[bytes, bytes]]
"""Names in lower case, as ASGI gives them."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    code: str
    message: str
    hint: str = ""
    headers: tuple[tuple[str, str], ...] = ()


def refusal(method: str, path: str, headers: RawHeaders, door: Loopback, token: str) -> Refusal | None:
    """What is wrong with a request, or None.  The order is fixed: who asks, what for, with which right."""
    return _foreign(headers, door) or _unserved(method, path) or _unproven(method, path, headers, token)


def _foreign(headers: RawHeaders, door: Loopback) -> Refusal | None:
    """Requests that reached us under a name that is not ours, or from another page."""
    hosts = _values(headers, b"host")
    if len(hosts) != 1 or hosts[0].lower() not in door.names:
        return Refusal(403, "host", "this host is not served here", f"ask {door.url}")
    if any(origin.lower() not in door.origins for origin in _values(headers, b"origin")):
        return Refusal(403, "origin", "pages of other origins are not answered")
    if any(site.lower() not in _OWN_PAGE for site in _values(headers, b"sec-fetch-site")):
        return Refusal(403, "site", "pages of other sites are not answered")
    return None


def _unserved(method: str, path: str) -> Refusal | None:
    """Methods and paths that nothing answers; nothing below ``/api/`` is ever read or changed by following a link."""
    methods = SERVED.get(path) or (("POST",) if path.startswith(_API) else None)
    if methods is not None and method not in methods:
        allowed = ", ".join(methods)
        return Refusal(405, "method", f"{method} is not served here", f"use {allowed}", (("allow", allowed),))
    if path not in SERVED:
        return Refusal(404, "path", "nothing is served here")
    return None


def _unproven(method: str, path: str, headers: RawHeaders, token: str) -> Refusal | None:
    """Requests without the token, or with a body that a web form could send."""
    if path in OPEN:
        return None
    if not _authorized(_values(headers, b"authorization"), token):
        hint = 'send "Authorization: Bearer" with what stands in the file "token" beside the store'
        return Refusal(401, "token", "the token is missing or wrong", hint, (("www-authenticate", "Bearer"),))
    if method == "POST" and [_media_type(value) for value in _values(headers, b"content-type")] != ["application/json"]:
        return Refusal(415, "content_type", "the body must be application/json")
    return None


def _authorized(values: Sequence[str], token: str) -> bool:
    """Whether the one ``Authorization`` is this token; how long it takes does not depend on where they differ."""
    if len(values) != 1:
        return False
    scheme, _, shown = values[0].partition(" ")
    same = hmac.compare_digest(shown.strip().encode("latin-1"), token.encode("ascii"))
    return same and scheme.lower() == "bearer"


def _media_type(value: str) -> str:
    return value.partition(";")[0].strip().lower()


def _values(headers: RawHeaders, name: bytes) -> list[str]:
    return [value.decode("latin-1").strip() for key, value in headers if key == name]


class Guarded:
    """An ASGI application behind the checks."""

    def __init__(self, application: ASGIApp, door: Loopback, token: str) -> None:
        self._application = application
        self._door = door
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it with ``{"error": {"code", "message", "hint"}}``."""
        if scope["type"] == "lifespan":
            await self._application(scope, receive, send)
            return
        if scope["type"] != "http":
            raise RuntimeError(f"{scope['type']} connections are switched off")

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_ALWAYS]
            await send(message)

        refused = refusal(scope["method"], scope["path"], scope["headers"], self._door, self._token)
        if refused is None:
            await self._application(scope, receive, answer)
        else:
            await _refuse(refused, scope["method"], answer)


async def _refuse(refused: Refusal, method: str, send: Send) -> None:
    error = {"code": refused.code, "message": refused.message, "hint": refused.hint}
    body = json.dumps({"error": error}).encode()
    headers = [("content-type", "application/json"), ("content-length", str(len(body))), *refused.headers]
    encoded = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    await send({"type": "http.response.start", "status": refused.status, "headers": encoded})
    await send({"type": "http.response.body", "body": b"" if method == "HEAD" else body})
