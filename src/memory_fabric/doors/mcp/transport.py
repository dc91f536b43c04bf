"""The SDK's streams over a wire: two threads for the descriptors, so that neither can hold up the other.

At the end of input the requests that run may still answer for a moment; then everything ends (C-075).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from anyio.lowlevel import EventLoopToken, current_token
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse

from memory_fabric.doors.mcp.messages import Unreadable, message_of
from memory_fabric.doors.mcp.stdio import Wire, lines, write

LINGER = 1.0
"""Seconds that running requests have to answer after the end of input."""

HARD_END = 1.7
"""Seconds after the end of input at which the process ends whatever it is doing: C-075 allows 2."""

_DRAIN = 0.2
"""Seconds for the last answers to be written."""

_ENDLESS = frozenset({"subscriptions/listen"})
"""Requests that are answered when they end, which is never waited for."""

Serve = Callable[[Any, Any], Awaitable[None]]


class Transport:
    """One client's connection, served once."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire
        self._running: set[str | int] = set()
        self._idle = anyio.Event()
        self._ended = anyio.Event()

    async def run(self, serve: Serve) -> None:
        """Serve until the input ends, or nobody reads the answers any more."""
        into, read = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        out, written = anyio.create_memory_object_stream[SessionMessage](16)
        answers = out.clone()
        done = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(self._write, written, done, group.cancel_scope)
            threading.Thread(
                target=self._read, args=(into, answers, current_token()), name="memory-fabric-stdin", daemon=True
            ).start()
            group.start_soon(self._end, into, answers)
            await serve(read, out)
            answers.close()
            with anyio.move_on_after(_DRAIN):
                await done.wait()
            group.cancel_scope.cancel()

    # ── inwards ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _read(
        self,
        into: MemoryObjectSendStream[SessionMessage | Exception],
        answers: MemoryObjectSendStream[SessionMessage],
        loop: EventLoopToken,
    ) -> None:
        """In a thread: hand every line on, then see to it that the process ends."""
        try:
            for line in lines(self._wire.inward):
                anyio.from_thread.run(self._take, line, into, answers, token=loop)
            anyio.from_thread.run_sync(self._ended.set, token=loop)
        except (
            anyio.ClosedResourceError,
            anyio.BrokenResourceError,
            RuntimeError,
        ):  # the server ended before its input
            pass
        time.sleep(HARD_END)
        os._exit(0)

    async def _take(
        self,
        line: bytes | None,
        into: MemoryObjectSendStream[SessionMessage | Exception],
        answers: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        try:
            message = message_of(line)
        except Unreadable as error:
            await answers.send(SessionMessage(error.answer))
            return
        self._note(message)
        await into.send(SessionMessage(message))

    async def _end(
        self,
        into: MemoryObjectSendStream[SessionMessage | Exception],
        answers: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        await self._ended.wait()
        with anyio.move_on_after(LINGER):
            while self._running:
                self._idle = anyio.Event()
                await self._idle.wait()
        answers.close()
        into.close()

    # ── outwards ─────────────────────────────────────────────────────────────────────────────────────────────────

    async def _write(
        self, written: MemoryObjectReceiveStream[SessionMessage], done: anyio.Event, scope: anyio.CancelScope
    ) -> None:
        async with written:
            async for each in written:
                data = each.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
                try:
                    await anyio.to_thread.run_sync(write, self._wire.outward, data, abandon_on_cancel=True)
                except OSError:  # nobody reads the answers
                    scope.cancel()
                    return
                self._note(each.message)
        done.set()

    # ── what runs ────────────────────────────────────────────────────────────────────────────────────────────────

    def _note(self, message: JSONRPCMessage) -> None:
        """Keep account of the requests that have no answer yet; a cancelled one gets none."""
        if isinstance(message, JSONRPCRequest):
            if message.method not in _ENDLESS:
                self._running.add(message.id)
            return
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            name: Any = message.id
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            name = (message.params or {}).get("requestId")
        else:
            return
        if isinstance(name, str | int):
            self._running.discard(name)
        if not self._running:
            self._idle.set()
