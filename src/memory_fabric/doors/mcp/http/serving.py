"""A resident server: the tools at ``/mcp``, one question at ``/api/search``, a sign of life at ``/health``."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any

from memory_fabric import clock
from memory_fabric.doors.mcp.http.asking import answer_request
from memory_fabric.doors.mcp.http.guards import HEALTH, MCP, SEARCH, Guarded
from memory_fabric.doors.mcp.http.loopback import Loopback
from memory_fabric.doors.resident import Resident, announced, withdraw
from memory_fabric.doors.token import make_token
from memory_fabric.errors import EmbedderUnavailable

if TYPE_CHECKING:
    import socket

    import uvicorn
    from mcp.server.lowlevel import Server
    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from memory_fabric.app import Fabric

MOST_BYTES = 4 * 1024 * 1024
"""Of a request's body; the MCP library's own limit (4 MiB), kept for every path."""
MOST_SESSIONS = 256
"""Sessions open at once: more agents than one person runs; idle ones end after the library's half hour."""
GRACE = 1
"""Seconds in which running requests may finish after a signal."""
DEADLINE = 1.7
"""Seconds after a signal when the process ends whatever still runs; a write is done or not, never half."""

_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))


@dataclass(frozen=True, slots=True)
class Served:
    """What is served, and where."""

    fabric: Fabric
    server: Server[Any]
    door: Loopback
    token: str


def application(served: Served) -> ASGIApp:
    """The whole ASGI application, guards outermost."""
    from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
    from starlette.routing import Route

    door = served.door
    loopback = TransportSecuritySettings(allowed_hosts=list(door.names), allowed_origins=list(door.origins))
    tools = served.server.streamable_http_app(
        streamable_http_path=MCP,
        max_request_body_size=MOST_BYTES,
        max_sessions=MOST_SESSIONS,
        transport_security=loopback,
    )
    tools.router.routes += [
        Route(SEARCH, partial(answer_request, served.fabric), methods=["POST"]),
        Route(HEALTH, _healthy, methods=["GET"]),
    ]
    return Guarded(RequestBodyLimitMiddleware(tools, MOST_BYTES), door, served.token)


async def _healthy(_: Request) -> Response:
    from starlette.responses import JSONResponse

    return JSONResponse({"status": "ok"})


def serve(fabric: Fabric, server: Server[Any], opened: socket.socket, ready: Callable[[Resident], None]) -> None:
    """Serve until a signal ends it, within 2 seconds; ``ready`` is told where, once it answers.

    ``opened`` listens already.  Meanwhile ``serve.json`` beside the store tells where (``doors.resident``).

    Raises:
        StoreUnavailable: the token cannot be kept.
    """
    import uvicorn

    home = fabric.settings.home
    door = Loopback(*opened.getsockname()[:2])
    resident = Resident(os.getpid(), door.host, door.port, clock.utcnow().isoformat(timespec="seconds"))
    config = uvicorn.Config(
        application(Served(fabric, server, door, make_token(home))),
        http="h11",
        ws="none",
        loop="asyncio",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE,
    )

    def leave() -> None:
        withdraw(home, resident)
        os._exit(0)

    with ExitStack() as told:

        def tell() -> None:
            told.enter_context(announced(home, resident))
            ready(resident)
            threading.Thread(target=warm, args=(fabric,), name="memory-fabric-model", daemon=True).start()

        _until_signalled(config, tell, leave).run([opened])


def warm(fabric: Fabric) -> None:
    """Load the model before somebody asks (F-HOOK-7); where it cannot be loaded, each answer says so."""
    if fabric.embedder is not None and fabric.store.coverage():
        with suppress(EmbedderUnavailable):
            fabric.embedder.embed_query("ready")


def _until_signalled(config: uvicorn.Config, tell: Callable[[], None], leave: Callable[[], None]) -> uvicorn.Server:
    """A server that calls ``tell`` once it answers; a signal ends it in order, or ``leave`` does if that takes long."""
    import uvicorn

    class Ending(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            tell()

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {number: signal.getsignal(number) for number in _ENDING}
            heard = [number for number, handler in before.items() if handler is not signal.SIG_IGN]
            for number in heard:
                signal.signal(number, self.handle_exit)
            try:
                yield
            finally:
                for number in heard:
                    signal.signal(number, before[number])

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if not self.should_exit:
                limit = threading.Timer(DEADLINE, leave)
                limit.daemon = True
                limit.start()
            super().handle_exit(sig, frame)

    return Ending(config)
