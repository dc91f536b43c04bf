"""Requests to mem0's REST API: one deadline for all attempts, one line for every way it can fail.

What may be tried again is tried again inside the deadline: 429 and 5xx, a connection that fails.  A write is repeated
only where the server cannot have taken it.  Redirects are not followed, since they would carry the key elsewhere.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from memory_fabric.clock import Deadline
from memory_fabric.errors import ConfigError, DeadlinePassed, SourceUnavailable

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 4
"""Requests at most for one call."""

FIRST_PAUSE = 0.2
"""Seconds before the second attempt; doubled for each further one, unless the server says how long."""

MOST_BYTES = 16 * 1024 * 1024
"""Of one answer: more than a thousand memories, and nothing that fills the machine."""

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

NOT_TAKEN = frozenset({429, 503})
"""Answers by which the server says that it did nothing."""


@dataclass(frozen=True, slots=True)
class Access:
    """How the API is reached."""

    key: str
    host: str = "https://api.mem0.ai"
    org: str | None = None
    project: str | None = None

    @property
    def owner(self) -> dict[str, str]:
        """Organisation and project as the API wants them named; empty: those of the key."""
        given = {"org_id": self.org, "project_id": self.project}
        return {name: value for name, value in given.items() if value}


class NotThere(SourceUnavailable):
    """mem0 has nothing under that id."""


class Refused(SourceUnavailable):
    """mem0 does not take the request as it is."""


class Transport:
    """One connection to one mem0; may be used by several threads."""

    def __init__(self, name: str, access: Access, pause: Callable[[float], None] = time.sleep) -> None:
        parts = urlsplit(access.host)
        if parts.scheme != "https" and parts.hostname not in LOOPBACK:
            raise ConfigError(f"{name}: {access.host} would get the key unencrypted", "give an https address")
        self.name = name
        self.access = access
        self.pause = pause
        self._lock = threading.Lock()
        self._open: httpx.Client | None = None

    def send(
        self,
        method: str,
        path: str,
        deadline: Deadline,
        *,
        body: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        repeat: bool = True,
    ) -> Any:
        """The answer's JSON; None for an empty one.  ``repeat`` False: a write that must not happen twice.

        Raises:
            NotThere: 404.
            Refused: 400, 409, 413, 422: this very request will never be taken.
            SourceUnavailable: not reached, refused the key, or answered what cannot be used.
            DeadlinePassed: no time is left.
        """
        wait = FIRST_PAUSE
        for attempt in range(1, ATTEMPTS + 1):
            if deadline.passed:
                raise DeadlinePassed(f"{self.name}: did not answer in time", "raise the source's `deadline`")
            outcome = self._once(method, path, deadline, body, query)
            if isinstance(outcome, _Answer) and outcome.status < 300:
                return self._decoded(outcome)
            again = outcome.may_repeat(repeat)
            pause = max(wait, outcome.retry_after)
            if not again or attempt == ATTEMPTS or pause >= deadline.remaining:
                raise outcome.error(self.name, self.access)
            self.pause(pause)
            wait *= 2
        raise AssertionError("the last attempt returns or raises")

    def close(self) -> None:
        """Close the connection; the next request opens another."""
        with self._lock:
            if self._open is not None:
                self._open.close()
            self._open = None

    def _client(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._open is None:
                headers = {
                    "Authorization": f"Token {self.access.key}",
                    "Accept": "application/json",
                    "User-Agent": "memory-fabric",
                }
                self._open = httpx.Client(base_url=self.access.host, headers=headers, follow_redirects=False)
            return self._open

    def _once(
        self,
        method: str,
        path: str,
        deadline: Deadline,
        body: Mapping[str, Any] | None,
        query: Mapping[str, Any] | None,
    ) -> _Answer | _Broken:
        import httpx

        owner = self.access.owner
        params = {**(query or {}), **({} if body is not None else owner)}
        content = None if body is None else {**body, **owner}
        limit = httpx.Timeout(max(0.01, deadline.remaining))
        try:
            with self._client().stream(method, path, params=params, json=content, timeout=limit) as response:
                taken = bytearray()
                for chunk in response.iter_bytes():
                    taken += chunk
                    if deadline.passed:
                        raise DeadlinePassed(f"{self.name}: did not answer in time", "raise the source's `deadline`")
                    if len(taken) > MOST_BYTES:
                        raise SourceUnavailable(f"{self.name}: the answer is too large", "ask for less at a time")
                return _Answer(response.status_code, dict(response.headers), bytes(taken))
        except httpx.TimeoutException as error:
            raise DeadlinePassed(f"{self.name}: did not answer in time", "raise the source's `deadline`") from error
        except httpx.HTTPError as error:
            # Only a failed connection is sure to have carried nothing.
            return _Broken(_one_line(str(error) or type(error).__name__), isinstance(error, httpx.ConnectError))
        except httpx.InvalidURL as error:
            raise ConfigError(f"{self.name}: {self.access.host} is no address", "like https://api.mem0.ai") from error

    def _decoded(self, answer: _Answer) -> Any:
        if not answer.raw.strip():
            return None
        try:
            return json.loads(answer.raw)
        except ValueError as error:
            kind = answer.headers.get("content-type", "no type")
            raise SourceUnavailable(
                f"{self.name}: answered {answer.status} with something that is no JSON ({_one_line(kind)})",
                f"is {self.access.host} the address of mem0?",
            ) from error


@dataclass(frozen=True, slots=True)
class _Broken:
    """No answer came."""

    reason: str
    unsent: bool
    retry_after: float = 0.0

    def may_repeat(self, repeat: bool) -> bool:
        return repeat or self.unsent

    def error(self, name: str, access: Access) -> SourceUnavailable:
        return SourceUnavailable(f"{name}: {access.host} cannot be reached: {self.reason}", "is it up, is the net?")


@dataclass(frozen=True, slots=True)
class _Answer:
    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def retry_after(self) -> float:
        said = self.headers.get("retry-after", "")
        return float(said) if said.isdigit() else 0.0

    def may_repeat(self, repeat: bool) -> bool:
        return self.status in NOT_TAKEN or (repeat and self.status >= 500)

    def error(self, name: str, access: Access) -> SourceUnavailable:
        said = self.detail(access.key)
        if self.status in (401, 403):
            return SourceUnavailable(
                f"{name}: refused the key ({self.status}){said}",
                "check MEM0_API_KEY, and that MEM0_ORG_ID and MEM0_PROJECT_ID belong to it",
            )
        if self.status == 404:
            return NotThere(
                f"{name}: there is nothing of that id (404){said}", "`memory-fabric mem0 list` shows what is"
            )
        if self.status in (400, 409, 413, 422):
            return Refused(f"{name}: did not take the request ({self.status}){said}")
        if self.status == 429:
            return SourceUnavailable(f"{name}: too many requests (429){said}", "wait a little, or raise `deadline`")
        if self.status >= 500:
            return SourceUnavailable(f"{name}: failed on its side ({self.status}){said}", "try again later")
        return SourceUnavailable(f"{name}: answered {self.status}{said}", f"is {access.host} the address of mem0?")

    def detail(self, key: str) -> str:
        """What the server says about it, in a line, without the key."""
        try:
            value = json.loads(self.raw)
        except ValueError:
            return ""
        said = next((value[name] for name in ("detail", "error", "message") if value.get(name)), "") if (
            isinstance(value, dict)
        ) else ""  # fmt: skip
        text = _one_line(said if isinstance(said, str) else json.dumps(said)).replace(key, "…")
        return f": {text}" if text else ""


def _one_line(text: str) -> str:
    return " ".join(text.split())[:200]
