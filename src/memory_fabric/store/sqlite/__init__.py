"""The store in one SQLite file."""

from memory_fabric.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
