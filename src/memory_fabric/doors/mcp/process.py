"""The server as a process of its own: ``memory-fabric mcp``.

It lives as long as its client: it ends with its input, and with its parent (C-075).
"""

from __future__ import annotations

import gc
import logging
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from memory_fabric.doors.mcp.log import log_to
from memory_fabric.doors.mcp.stdio import Wire
from memory_fabric.doors.mcp.tool import ToolSet
from memory_fabric.settings import environment

if TYPE_CHECKING:
    from memory_fabric.doors.mcp.opened import OpenedOnce
    from memory_fabric.settings import Settings

LOOK = 0.5
"""Seconds between two looks at the parent: well within the 5 of C-075."""

INTERRUPTED, FAULT = 130, 3
"""Exit codes, as the command line has them (design §7)."""

_CLOSING = 0.5
"""Seconds that closing the store may take; a write that runs is rolled back by the next who opens it."""

logger = logging.getLogger(__name__)


def serve_stdio(settings: Settings, tools: ToolSet, wire: Wire) -> None:
    """Serve one client over the wire until it goes, then end the process."""
    end_with_parent(os.getppid())
    log_to(settings.home)

    gc.disable()  # the SDK's import makes many objects that stay: looking through them costs a tenth of it (measured)
    import anyio

    from memory_fabric.doors.mcp.opened import OpenedOnce
    from memory_fabric.doors.mcp.server import build
    from memory_fabric.doors.mcp.transport import Transport

    gc.freeze()
    gc.enable()
    memory = OpenedOnce(settings)
    server = build(memory, tools, directory=working_directory())

    async def serve() -> None:
        options = server.create_initialization_options()
        await Transport(wire).run(lambda read, write: server.run(read, write, options))

    try:
        anyio.run(serve)
    except KeyboardInterrupt:
        leave(memory, INTERRUPTED)
    except Exception:
        logger.exception("the server ended by a fault")
        leave(memory, FAULT)
    leave(memory, 0)


def working_directory() -> str | None:
    """Where the client runs: what Claude Code says, else this process's own directory; None where that is gone."""
    told = environment().get("CLAUDE_PROJECT_DIR", "").strip()
    if told:
        return told
    try:
        return str(Path.cwd())
    except FileNotFoundError:
        return None


def end_with_parent(parent: int) -> None:
    """End this process when its parent is another one than it was: nobody reads the answers then."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK)
        os._exit(0)

    threading.Thread(target=watch, name="memory-fabric-parent", daemon=True).start()


def leave(memory: OpenedOnce, code: int) -> NoReturn:
    """End the process with this exit code, also where a thread of a request still works: it must not hold it."""
    closing = threading.Thread(target=memory.close, daemon=True)
    closing.start()
    closing.join(_CLOSING)
    os._exit(code)
