"""The seams: what the stages need of the outside, as narrow protocols whose docstrings are the contracts.

Every implementation of a port passes that port's contract suite in ``tests/contract``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory_fabric.ports.backend import Census, Store
    from memory_fabric.ports.embedding import Background, Embedder
    from memory_fabric.ports.embedding import Vectors as Vectors
    from memory_fabric.ports.indexes import Graph, TextIndex, TextStatistics, TextUnit, VectorIndex
    from memory_fabric.ports.nodes import NodeStore
    from memory_fabric.ports.outbox import Backlog, Claimed, Outbox, Parcel
    from memory_fabric.ports.reading import Cursor, Extraction, Extractor, Format
    from memory_fabric.ports.searching import OutsideSource, Probe, Source
    from memory_fabric.ports.storing import Batch, Ledger, LedgerEntry, MemoryStore, Record, Saved

__all__ = [
    "Background",
    "Backlog",
    "Batch",
    "Census",
    "Claimed",
    "Cursor",
    "Embedder",
    "Extraction",
    "Extractor",
    "Format",
    "Graph",
    "Ledger",
    "LedgerEntry",
    "MemoryStore",
    "NodeStore",
    "Outbox",
    "OutsideSource",
    "Parcel",
    "Probe",
    "Record",
    "Saved",
    "Source",
    "Store",
    "TextIndex",
    "TextStatistics",
    "TextUnit",
    "VectorIndex",
]

_WHERE = {
    "backend": "Census Store",
    "embedding": "Background Embedder",
    "indexes": "Graph TextIndex TextStatistics TextUnit VectorIndex",
    "nodes": "NodeStore",
    "outbox": "Backlog Claimed Outbox Parcel",
    "reading": "Cursor Extraction Extractor Format",
    "searching": "OutsideSource Probe Source",
    "storing": "Batch Ledger LedgerEntry MemoryStore Record Saved",
}
"""Loaded when first used: most modules name a port in annotations only, and a hook has no time for those."""


def __getattr__(name: str) -> Any:
    for module, names in _WHERE.items():
        if name in names.split():
            from importlib import import_module

            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
