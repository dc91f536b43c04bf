"""The queue of what goes to memories elsewhere."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from memory_fabric.clock import to_millis
from memory_fabric.model.memory import MemoryId
from memory_fabric.store.sqlite.connection import Connections
from memory_fabric.store.sqlite.queries import query
from memory_fabric.store.sqlite.rows import Row, all_rows, instant, optional, to_json
from memory_fabric.store.sqlite.scope import as_list

if TYPE_CHECKING:
    from memory_fabric.model.nodes import Link, Node
    from memory_fabric.ports import Backlog, Claimed, Parcel

_CLAIM_BITS = 62
"""Claims are drawn at random, so that no number ever comes again; SQLite's integers have 63 bits and a sign."""


class OutboxTable:
    """The outbox of one file (``ports.outbox.Outbox``); the store takes its methods over as they are."""

    def __init__(self, connections: Connections) -> None:
        self._connections = connections

    def enqueue(self, parcels: Sequence[Parcel], at: datetime, *, force: bool = False) -> int:
        """Queue what is new or changed (``force``: also what was sent); returns how many came to wait."""
        with self._connections.atomic() as connection:
            return sum(_enqueue(connection, parcel, to_millis(at), force) for parcel in parcels)

    def due(self, parcels: Sequence[Parcel], *, force: bool = False) -> list[Parcel]:
        """Those of these that are not sent as they are."""
        if force or not parcels:
            return list(parcels)
        listed = as_list([parcel.target, parcel.key, _payload(parcel)] for parcel in parcels)
        with self._connections.reading() as connection:
            sent = {row[0] for row in all_rows(connection, query("sent_parcels"), {"parcels": listed})}
        return [parcel for place, parcel in enumerate(parcels) if place not in sent]

    def withdraw(self, target: str, keep: Collection[str], at: datetime) -> int:
        """Drop what waits for a target under other keys; returns how many."""
        with self._connections.atomic() as connection:
            values = {"target": target, "keys": as_list(keep), "at": to_millis(at)}
            return connection.execute(query("withdraw_parcels"), values).rowcount

    def claim(
        self, target: str, limit: int, at: datetime, lease: timedelta, keys: Collection[str] | None = None
    ) -> list[Claimed]:
        """Take waiting parcels and orphans, oldest first."""
        values = {
            "target": target,
            "at": to_millis(at),
            "limit": limit,
            "keys": None if keys is None else as_list(keys),
        }
        ends = to_millis(at + lease)
        with self._connections.atomic() as connection:
            connection.execute(query("drop_orphaned_parcels"), {"target": target, "at": values["at"]})
            rows = all_rows(connection, query("free_parcels"), values)
            return [_take(connection, target, row, ends) for row in rows]

    def confirm(self, sent: Mapping[int, str | None], at: datetime) -> None:
        """Mark claims as sent."""
        values = [{"claim": claim, "remote": remote, "at": to_millis(at)} for claim, remote in sent.items()]
        with self._connections.atomic() as connection:
            connection.executemany(query("confirm_parcel"), values)

    def release(self, ids: Sequence[int], error: str) -> None:
        """Put claims back, with why they were not sent."""
        with self._connections.atomic() as connection:
            connection.executemany(query("release_parcel"), [{"claim": claim, "error": error} for claim in ids])

    def backlog(self, at: datetime) -> dict[str, Backlog]:
        """Target → how it stands."""
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("backlog"), {"at": to_millis(at)})
        return {str(row[0]): _backlog_of(row) for row in rows}

    def pushed(self, target: str, text_hashes: Sequence[str]) -> dict[str, MemoryId | None]:
        """Which of these texts we ourselves put there, with the memory they came from."""
        values = {"target": target, "hashes": as_list(text_hashes)}
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("pushed_texts"), values)
        return {str(hash_): None if memory is None else MemoryId(str(memory)) for hash_, memory in rows}

    def written_nodes(self) -> list[Node]:
        """The graph that somebody wrote: its entities."""
        from memory_fabric.store.sqlite.node_rows import node_of

        with self._connections.reading() as connection:
            return [node_of(row) for row in all_rows(connection, query("pushed_nodes"))]

    def written_observations(self) -> list[tuple[MemoryId, str, str]]:
        """The graph that somebody wrote: what was observed of its entities."""
        with self._connections.reading() as connection:
            rows = all_rows(connection, query("pushed_observations"))
        return [(MemoryId(str(memory)), str(name), str(text)) for memory, name, text in rows]

    def written_links(self) -> list[Link]:
        """The graph that somebody wrote: its links."""
        from memory_fabric.store.sqlite.node_rows import link_of

        with self._connections.reading() as connection:
            return [link_of(row) for row in all_rows(connection, query("pushed_links"))]


def _payload(parcel: Parcel) -> str:
    """A payload as it is stored and compared: equal payloads give equal texts."""
    return to_json(json.loads(to_json(parcel.payload), object_pairs_hook=lambda pairs: dict(sorted(pairs))))


def _enqueue(connection: sqlite3.Connection, parcel: Parcel, at: int, force: bool) -> bool:
    values = {
        "target": parcel.target,
        "key": parcel.key,
        "kind": parcel.kind,
        "payload": _payload(parcel),
        "hashes": as_list(parcel.text_hashes),
        "memory": parcel.memory,
        "at": at,
    }
    changes = ("add_parcel", "change_parcel", "queue_again") if force else ("add_parcel", "change_parcel")
    return any(connection.execute(query(change), values).rowcount for change in changes)


def _take(connection: sqlite3.Connection, target: str, row: Row, ends: int) -> Claimed:
    import secrets

    from memory_fabric.ports import Claimed, Parcel

    place, key, kind, payload, hashes, memory, attempts, remote = row
    claim = secrets.randbits(_CLAIM_BITS)
    connection.execute(query("claim_parcel"), {"row": place, "claim": claim, "lease": ends})
    connection.execute(query("add_pushed"), {"target": target, "memory": memory, "hashes": hashes})
    parcel = Parcel(
        target,
        str(key),
        str(kind),
        json.loads(str(payload)),
        tuple(json.loads(str(hashes))),
        None if memory is None else MemoryId(str(memory)),
    )
    return Claimed(claim, parcel, int(str(attempts)), optional(remote))


def _backlog_of(row: Row) -> Backlog:
    from memory_fabric.ports import Backlog

    _, waiting, claimed, failed, sent, oldest, last_sent, error = row
    return Backlog(
        int(str(waiting)),
        int(str(claimed)),
        int(str(failed)),
        int(str(sent)),
        instant(oldest),
        instant(last_sent),
        optional(error),
    )
