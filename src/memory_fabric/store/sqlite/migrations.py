"""Brings a file to the present schema: numbered scripts, each one transaction (C-119, C-120, C-122)."""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from memory_fabric.errors import SchemaTooNew, StoreUnavailable
from memory_fabric.store.sqlite.filesystem import private_file
from memory_fabric.text import analyse, split_exchange

APPLICATION_ID = 1296449858
"""``MFAB``: marks a SQLite file as ours."""

_RETRY = 0.02
"""Seconds between attempts to switch the journal mode, where SQLite does not wait by itself."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: brings a store of schema ``version - 1`` to ``version``."""

    version: int
    script: str


@lru_cache(maxsize=1)
def shipped() -> tuple[Migration, ...]:
    """The migrations of this release, in order."""
    files = sorted(Path(__file__).with_name("migrations").glob("*.sql"))
    return tuple(Migration(int(file.name[:4]), file.read_text(encoding="utf-8")) for file in files)


def verify(connection: sqlite3.Connection, path: Path, *, newest: int, read_only: bool) -> None:
    """Make sure that the file is ours and not newer than we are; changes nothing.

    A newer store may still be read (for an export) when every table and column that we know is there.

    Raises:
        SchemaTooNew: written by a newer version.
        StoreUnavailable: a database of another program, or (read-only) an older or empty one.
    """
    version = _number(connection, "PRAGMA user_version")
    tables = _number(connection, "SELECT count(*) FROM sqlite_master")
    if tables and _number(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise StoreUnavailable(f"{path}: it is the database of another program", "Choose another file for the store.")
    if version > newest and not (read_only and _fits(connection)):
        raise SchemaTooNew(
            f"{path}: written by a newer Memory Fabric (schema {version}, this one knows {newest}); left untouched",
            "Update Memory Fabric; an export may still work, since it only reads.",
        )
    if read_only and version < newest:
        raise StoreUnavailable(
            f"{path}: schema {version} is older than {newest} and cannot be brought up to date while only reading",
            "Any command that writes, or a read with `upgrade`, brings it up to date.",
        )


def is_older(path: Path) -> bool:
    """Whether the file is a store of ours with an older schema."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        if _number(connection, "PRAGMA application_id") != APPLICATION_ID:
            return False
        return 0 < _number(connection, "PRAGMA user_version") < shipped()[-1].version
    except sqlite3.Error:
        return False  # whatever is wrong with it, opening it tells
    finally:
        connection.close()


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[Migration]) -> None:
    """Run the steps that the file has not had; an existing store is copied to ``<name>.v<version>.bak`` first.

    Safe while another process does the same: the version is read again inside each transaction.

    Raises:
        StoreUnavailable: a step leaves rows that point nowhere (C-123); that step is undone.
    """
    holds_something = _number(connection, "PRAGMA user_version") > 0
    for step in steps:
        version = _number(connection, "PRAGMA user_version")
        if version >= step.version:
            continue
        if holds_something:
            back_up(connection, path.with_name(f"{path.name}.v{version}.bak"))
        _run(connection, path, step)


def back_up(connection: sqlite3.Connection, target: Path) -> None:
    """Write a consistent copy of the whole store to ``target`` (0600), replacing an older copy."""
    private_file(target)
    copy = sqlite3.connect(target)
    try:
        connection.backup(copy)
    finally:
        copy.close()


def set_journal(connection: sqlite3.Connection, mode: str, patience: float) -> None:
    """Switch the journal mode, waiting up to ``patience`` seconds for other processes that are opening the file."""
    ends = time.monotonic() + patience
    while True:
        try:
            connection.execute(f"PRAGMA journal_mode = {mode}")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= ends:
                raise
            threading.Event().wait(_RETRY)
        else:
            return


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one (``executescript`` would commit between them)."""
    pending = ""
    for piece in script.split(";"):
        pending += piece + ";"
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip("; \n"):
        yield pending.removesuffix(";")


def _run(connection: sqlite3.Connection, path: Path, step: Migration) -> None:
    # Tables are rebuilt with the keys off, as SQLite advises; what the rebuild leaves is checked before the commit.
    connection.execute("PRAGMA foreign_keys = OFF")
    teach(connection)
    try:
        connection.execute("BEGIN IMMEDIATE")
        if _number(connection, "PRAGMA user_version") < step.version:
            for statement in statements(step.script):
                connection.execute(statement)
            if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
                raise StoreUnavailable(
                    f"{path}: the step to schema {step.version} would leave rows that point nowhere; it was undone",
                    "Run `memory-fabric doctor`, or restore a backup.",
                )
            connection.execute(f"PRAGMA user_version = {step.version}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("PRAGMA foreign_keys = ON")


def teach(connection: sqlite3.Connection) -> None:
    """Give the scripts what they call: ``coded``, and tokens as ``indexing.spaced`` has them.

    ``analysed(text)``; ``analysed_half(text, 0 or 1)``: a memory's prompt or reply; ``analysed_targets(metadata)``.
    """
    from memory_fabric.store.sqlite.indexing import spaced, targets
    from memory_fabric.store.sqlite.vector_codes import teach_codes

    def analysed(text: str) -> str:
        return spaced(analyse(text))

    connection.create_function("analysed", 1, lambda text: analysed(str(text)), deterministic=True)
    connection.create_function("analysed_half", 2, lambda text, half: analysed(split_exchange(text)[half]))
    connection.create_function("analysed_targets", 1, lambda metadata: analysed(targets(json.loads(metadata))))
    teach_codes(connection)


def _fits(connection: sqlite3.Connection) -> bool:
    """Whether the file has every table and column that this release reads."""
    ours = sqlite3.connect(":memory:", isolation_level=None)
    try:
        teach(ours)
        for step in shipped():
            for statement in statements(step.script):
                ours.execute(statement)
        return _columns(ours) <= _columns(connection)
    finally:
        ours.close()


def _columns(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    rows = connection.execute(
        "SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type IN ('table', 'view')"
    )
    return {(str(table), str(column)) for table, column in rows}


def _number(connection: sqlite3.Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchone()[0])
