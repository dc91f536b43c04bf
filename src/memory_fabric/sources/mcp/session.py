"""A lasting connection to an MCP server, for callers on any thread.

One background thread with an event loop of its own keeps the connection: started with the first question, opened anew
after it was lost, ended by ``close``.  A server that is started as a program ends with this process: its standard input
closes, which is how MCP servers are told to go.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import CancelledError, Future
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from memory_fabric.clock import Deadline
from memory_fabric.errors import DeadlinePassed, SourceUnavailable
from memory_fabric.sources.mcp.faults import is_lost, is_outage, unavailable

if TYPE_CHECKING:
    from mcp import Client

T = TypeVar("T")

PATIENCE = 3
"""Questions in a row that a connected server may leave unanswered before it is started anew."""

CLOSING = 8.0
"""Seconds that ``close`` waits: an MCP server has two to go by itself, two after SIGTERM, and is killed then."""

PAGES = 20
"""Pages of a server's list of tools that are read."""


@dataclass(frozen=True, slots=True)
class Link:
    """An open connection, and what the server said of itself."""

    client: Client
    tools: frozenset[str]
    product: str


class Connection:
    """See the module."""

    def __init__(self, name: str, opener: Callable[[], AbstractAsyncContextManager[Client]]) -> None:
        """``opener`` gives a client to be entered; ``name`` is that of the source, for errors."""
        self._name = name
        self._opener = opener
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._serving: asyncio.Task[None] | None = None
        self._ready: asyncio.Future[Link] | None = None
        self._scope: anyio.CancelScope | None = None
        self._missed = 0

    def ask(self, work: Callable[[Link], Awaitable[T]], deadline: Deadline) -> T:
        """What ``work`` makes of the connection; a connection lost since the last question is opened anew.

        Raises:
            SourceUnavailable: the server cannot be reached, went away, or answers no MCP.
            DeadlinePassed: it did not answer in time.
        """
        future = self._submit(self._asked(work))
        try:
            answer = future.result(deadline.remaining)
        except TimeoutError as error:
            if future.done():
                raise
            future.cancel()
            self._missed += 1
            raise DeadlinePassed(
                f"{self._name}: did not answer in time", f"raise the `deadline` of {self._name} in sources.json"
            ) from error
        except CancelledError as error:
            raise SourceUnavailable(f"{self._name}: was closed while it was asked", "ask again") from error
        self._missed = 0
        return answer

    def close(self) -> None:
        """End the connection, the server that was started for it, and the thread; nothing happens when none is open."""
        with self._starting:
            loop, thread = self._loop, self._thread
            self._loop = self._thread = None
        if loop is None or thread is None:
            return
        ended = asyncio.run_coroutine_threadsafe(self._end(), loop)
        try:
            ended.result(CLOSING)
        except TimeoutError:
            ended.cancel()
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSING)

    # ── on the thread of the caller ──────────────────────────────────────────────────────────────────────────────

    def _submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_run, args=(self._loop,), name=f"memory-fabric-{self._name}", daemon=True
                )
                self._thread.start()
            return asyncio.run_coroutine_threadsafe(work, self._loop)

    # ── in the loop ──────────────────────────────────────────────────────────────────────────────────────────────

    async def _asked(self, work: Callable[[Link], Awaitable[T]]) -> T:
        kept = self._serving is not None and not self._serving.done()
        if kept and self._missed >= PATIENCE:
            await self._end()
            kept = False
        try:
            return await self._once(work)
        except SourceUnavailable:
            if not kept or (self._serving is not None and not self._serving.done()):
                raise
        return await self._once(work)

    async def _once(self, work: Callable[[Link], Awaitable[T]]) -> T:
        link = await self._linked()
        try:
            return await work(link)
        except Exception as error:
            if not is_outage(error):
                raise
            if is_lost(error):
                await self._end()
            raise unavailable(self._name, error) from error

    async def _linked(self) -> Link:
        if self._serving is None or self._serving.done() or self._ready is None:
            self._missed = 0
            self._ready = asyncio.get_running_loop().create_future()
            self._serving = asyncio.create_task(self._serve(self._ready))
        ready, serving = self._ready, self._serving
        either: list[asyncio.Future[Any]] = [ready, serving]
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if ready.done():
            return ready.result()
        error = serving.exception()
        if error is None or (isinstance(error, Exception) and is_outage(error)):
            raise unavailable(self._name, error) from error
        raise error

    async def _serve(self, ready: asyncio.Future[Link]) -> None:
        """Holds the connection open; it is closed by the task that opened it, as its cancel scopes demand."""
        with anyio.CancelScope() as self._scope:
            async with self._opener() as client:
                ready.set_result(Link(client, await _tools(client), _product(client)))
                await anyio.sleep_forever()

    async def _end(self) -> None:
        serving, scope = self._serving, self._scope
        self._serving = self._ready = self._scope = None
        if serving is None:
            return
        if scope is not None:
            scope.cancel()
        else:
            serving.cancel()
        await asyncio.wait({serving})
        if not serving.cancelled():
            serving.exception()  # what went wrong while it closed concerns nobody any more


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


async def _tools(client: Client) -> frozenset[str]:
    names: set[str] = set()
    cursor: str | None = None
    for _ in range(PAGES):
        page = await client.list_tools(cursor=cursor)
        names.update(tool.name for tool in page.tools)
        cursor = page.next_cursor
        if not cursor:
            break
    return frozenset(names)


def _product(client: Client) -> str:
    info = client.server_info
    return f"{info.name} {info.version}".strip() if info is not None else "MCP server"
