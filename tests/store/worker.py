"""A process of its own: opens the store at argv[2] and does what argv[1] says."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

from memory_fabric.embed.backfill import backfill
from memory_fabric.embed.hashed import HashedEmbedder
from memory_fabric.errors import MemoryFabricError
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, SessionId
from memory_fabric.model.query import Scope
from memory_fabric.ports import Batch, Record
from memory_fabric.store.sqlite import SqliteStore


def batch(name: str, number: int, size: int = 1) -> Batch:
    origin = Origin("note", SessionId(name))
    return Batch(
        records=tuple(
            Record(
                Memory(MemoryId(f"{name}-{number}-{i}"), "a walrus " * 60, MemoryKind.NOTE, None, None, origin),
                number,
                i,
            )
            for i in range(size)
        )
    )


def write(path: Path, name: str, count: int) -> None:
    with SqliteStore.open(path, busy_timeout=30) as store:
        for number in range(count):
            store.save(batch(name, number))


def read(path: Path, count: int) -> None:
    with SqliteStore.open(path, busy_timeout=30) as store:
        for _ in range(count):
            units = store.match(["walrus"], Scope(), 5)
            if len(store.get([unit.memory for unit in units])) != len(units):
                raise SystemExit("a unit without its memory")


def write_for_ever(path: Path) -> None:
    with SqliteStore.open(path) as store:
        number = 0
        while True:
            store.save(batch("loop", number, size=5))
            print(number, flush=True)  # noqa: T201 - tells the parent what is committed
            number += 1


def fill(path: Path, limit: int) -> None:
    """Save until no file may grow beyond ``limit`` bytes; print the error and what is left."""
    store = SqliteStore.open(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    saved = 0
    try:
        for number in range(10_000):
            store.save(batch("fill", number, size=20))
            saved += 20
    except MemoryFabricError as error:
        print(f"{error.code}|{error.message}|{error.hint}|{saved}|{store.count()}", flush=True)  # noqa: T201


def hold(path: Path) -> None:
    """Write inside a transaction and keep that open until a line comes in."""
    with SqliteStore.open(path) as store, store._connections.atomic():
        store.save(batch("held", 0, size=50))
        print("held", flush=True)  # noqa: T201 - tells the parent that the transaction is open
        sys.stdin.readline()


def embed(path: Path, most: int) -> None:
    """Embed what is pending, a few memories a commit, and say after each how many are done."""
    embedder = HashedEmbedder()
    with SqliteStore.open(path, busy_timeout=30) as store:
        backfill(store, embedder, batch=most, progress=lambda done: print(done, flush=True))  # noqa: T201


if __name__ == "__main__":
    what, where = sys.argv[1], Path(sys.argv[2])
    if what == "write":
        write(where, sys.argv[3], int(sys.argv[4]))
    elif what == "read":
        read(where, int(sys.argv[3]))
    elif what == "loop":
        write_for_ever(where)
    elif what == "hold":
        hold(where)
    elif what == "embed":
        embed(where, int(sys.argv[3]))
    else:
        fill(where, int(sys.argv[3]))
