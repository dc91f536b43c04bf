"""What the ``mem0`` commands share: which mem0 is meant, and how they answer (F-MEM0-6)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from memory_fabric.doors.cli.desk import DONE, NOTHING, Desk
from memory_fabric.errors import MemoryFabricError, UsageError

if TYPE_CHECKING:
    from memory_fabric.app import Fabric
    from memory_fabric.clock import Deadline
    from memory_fabric.sources.mem0.backend import Change, Status, Who
    from memory_fabric.sources.mem0.cloud import CloudMem0
    from memory_fabric.sources.mem0.memory import Mem0Memory
    from memory_fabric.sources.mem0.source import Mem0Source

Json = dict[str, Any]


@dataclass(frozen=True)
class Counter:
    """What the commands share: the desk, and which mem0 is meant."""

    desk: Desk
    source: str | None
    key: str | None
    org: str | None
    project: str | None
    seconds: float


@dataclass(frozen=True)
class Call:
    """One command at work."""

    fabric: Fabric
    source: Mem0Source
    deadline: Deadline

    @property
    def memory(self) -> Mem0Memory:
        """mem0, to read and write."""
        return self.source.memory()

    def cloud(self, what: str) -> CloudMem0:
        """The platform.

        Raises:
            UsageError: it is the library, which has no such thing.
        """
        from memory_fabric.sources.mem0.cloud import CloudMem0

        if not isinstance(self.source.backend, CloudMem0):
            raise UsageError(f"mem0's library has no {what}", "only its cloud does")
        return self.source.backend


def answer(context: typer.Context, work: Callable[[Call], Json]) -> int:
    """Do the work and print what came of it, or why nothing did (F-MEM0-6)."""
    counter: Counter = context.obj
    try:
        with _open(counter) as call:
            found = work(call)
    except MemoryFabricError as error:
        failure = {"error": error.message, "type": type(error).__name__, "hint": error.hint}
        typer.echo(json.dumps(failure, ensure_ascii=False), err=True)
        return NOTHING
    success = found.get("failed", 0) == 0 or found.get("dry_run", False)
    typer.echo(json.dumps({"success": success, **found}, ensure_ascii=False, indent=2))
    return DONE if success else NOTHING


@contextmanager
def _open(counter: Counter) -> Iterator[Call]:
    from memory_fabric.clock import Deadline
    from memory_fabric.sources.mem0.keys import Keys

    with counter.desk.read() as fabric:
        source = fabric.mem0(counter.source, Keys(counter.key, counter.org, counter.project))
        yield Call(fabric, source, Deadline.after(counter.seconds))


def statuses(found: list[Status], *, dry_run: bool = False) -> Json:
    """What became of each, and how many failed (F-ERR-14)."""
    items = [
        {
            "memory_id": each.id,
            "status": "ok" if each.done else "skipped" if dry_run else "failed",
            "reason": each.reason,
        }
        for each in found
    ]
    failed = 0 if dry_run else sum(not each.done for each in found)
    return {"count": len(found), "failed": failed, "items": items, **({"dry_run": True} if dry_run else {})}


def who_of(users: list[str] | None, agents: list[str] | None) -> Who | None:
    """Whose memories are meant; None: everybody known."""
    from memory_fabric.sources.mem0.backend import Who

    return Who(tuple(users or ()), tuple(agents or ())) if users or agents else None


def change_of(memory: str, text: Any, metadata: Any) -> Change:
    """One memory's change.

    Raises:
        UsageError: the metadata is no object.
    """
    from memory_fabric.sources.mem0.backend import Change

    if metadata is not None and not isinstance(metadata, dict):
        raise UsageError(f"{memory}: its metadata is no JSON object", 'like {"category": "database"}')
    return Change(memory, None if text is None else str(text), metadata)


def record(memory: str) -> str:
    """mem0's own id."""
    from memory_fabric.sources.mem0.shape import record_of

    return record_of(memory)


def object_of(text: str, what: str) -> Json:
    """A JSON object as typed.

    Raises:
        UsageError: it is none.
    """
    try:
        found = json.loads(text)
    except ValueError as error:
        raise UsageError(f"{what} is no JSON: {error}", 'like {"category": "database"}') from error
    if not isinstance(found, dict):
        raise UsageError(f"{what} is no JSON object", 'like {"category": "database"}')
    return found


def rows_of(file: Path) -> list[Json]:
    """The rows of a batch.

    Raises:
        UsageError: the file holds none.
    """
    try:
        found = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{file}: cannot be read: {error}", "a JSON list of {memory_id, text, metadata}") from error
    if not isinstance(found, list) or not all(isinstance(row, dict) and row.get("memory_id") for row in found):
        raise UsageError(
            f"{file}: is no list of objects with a memory_id", "a JSON list of {memory_id, text, metadata}"
        )
    return found
