"""Memory Fabric: one long-term memory for coding agents.

::

    from memory_fabric import Fabric, Settings

    with Fabric.open(Settings.load()) as fabric:
        fabric.ingest()
        for result in fabric.search("why did we leave Redis?").results:
            print(result.score, result.candidate.memory.text)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from memory_fabric.errors import MemoryFabricError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.model.query import Mode, Scope, Window
    from memory_fabric.model.result import Answer, Result
    from memory_fabric.settings import Settings

__version__ = "0.1.0"

_LATE = {
    "Answer": "memory_fabric.model.result",
    "Fabric": "memory_fabric.app",
    "Mode": "memory_fabric.model.query",
    "Result": "memory_fabric.model.result",
    "Scope": "memory_fabric.model.query",
    "Settings": "memory_fabric.settings",
    "Window": "memory_fabric.model.query",
}
"""Loaded when first used, so that importing one small module does not load them all (decision 14)."""

__all__ = ["Answer", "Fabric", "MemoryFabricError", "Mode", "Result", "Scope", "Settings", "Window", "__version__"]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        from importlib import import_module

        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
