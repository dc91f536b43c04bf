"""The memory behind a server: opened when the first tool needs it, and once for all of them (C-083, F-MCP-16)."""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING

from memory_fabric.settings import environment

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.settings import Settings

BUSY_TIMEOUT = 30.0
"""Seconds that a write waits for other processes: several servers share one store (F-MCP-15)."""

MEMORY_FILE = "MEMORY_FILE_PATH"
"""The official server's variable for its file (F-MCP-14)."""

logger = logging.getLogger(__name__)


class OpenedOnce:
    """A memory of these settings; threads may ask for it at the same time."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._fabric: Fabric | None = None
        self._remarks: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def get(self) -> Fabric:
        """The memory, made if it is not there, with the official server's file taken in.

        Raises:
            StoreError: it cannot be opened; the next call tries again.
        """
        with self._lock:
            if self._fabric is None:
                from memory_fabric.app import Fabric

                self.settings.home.mkdir(mode=0o700, parents=True, exist_ok=True)
                fabric = Fabric.open(self.settings, busy_timeout=BUSY_TIMEOUT)
                try:
                    self._remarks = self._take_in(fabric)
                except BaseException:
                    fabric.close()
                    raise
                self._fabric = fabric
            return self._fabric

    def remarks(self) -> tuple[str, ...]:
        """What opening has to say, once: the first result carries it."""
        with self._lock:
            said, self._remarks = self._remarks, ()
        return said

    def close(self) -> None:
        """Release the store, if it was opened."""
        with self._lock:
            if self._fabric is not None:
                self._fabric.close()
                self._fabric = None

    def _take_in(self, fabric: Fabric) -> tuple[str, ...]:
        named = environment().get(MEMORY_FILE, "").strip()
        if not named:
            return ()
        from memory_fabric.doors.mcp.drop_in import take_in

        remarks = take_in(fabric, named)
        for remark in remarks:
            logger.warning("%s", remark)
        return remarks
