"""Ask all sources at once, with one deadline (F-SRC-4).  The threads of a search are started here (decision 13)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, wait
from queue import SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceError
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Outage

if TYPE_CHECKING:
    from memory_fabric.ports import Source

Job = tuple["Future[Found]", Callable[[], Found]]


class Workers:
    """Threads that wait for work and never hold the process: a source that hangs dies with it.

    A thread is started whenever nobody is idle, so a source that hangs does not starve the next search; idle threads
    are used again, which keeps their database connections.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._idle = threading.Semaphore(0)

    def submit(self, work: Callable[[], Found]) -> Future[Found]:
        """Start ``work`` on some thread."""
        future: Future[Found] = Future()
        self._jobs.put((future, work))
        if not self._idle.acquire(blocking=False):
            threading.Thread(target=self._run, name="memory-fabric-source", daemon=True).start()
        return future

    def _run(self) -> None:
        while True:
            future, work = self._jobs.get()
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(work())
                except BaseException as error:  # noqa: BLE001 - handed to whoever asks for the result
                    future.set_exception(error)
            self._idle.release()


def dispatch(
    query: Query,
    sources: Sequence[Source],
    limit: int,
    deadline: Deadline,
    workers: Workers,
    shorter: Mapping[str, Deadline] = MappingProxyType({}),
) -> tuple[list[Found], list[Outage]]:
    """What each source found, in the order of ``sources``, and who did not answer.

    A source that fails by its own word or outlives the deadline is an outage; a store failure or a bug propagates.
    A late source is left to finish alone and its answer is thrown away.  ``shorter`` names sources that have less time.

    Raises:
        SourceError: a required source failed or was late (F-ERR-2).
        Exception: whatever a source raised that is no ``SourceError``.
    """
    own = [_sooner(deadline, shorter.get(source.name)) for source in sources]
    futures = [
        workers.submit(lambda ask=source, until=until: ask.find(query, limit, until))  # type: ignore[misc]
        for source, until in zip(sources, own, strict=True)
    ]
    results: dict[int, Found | Outage] = {}
    for place in sorted(range(len(own)), key=lambda place: own[place].remaining):
        wait([futures[place]], timeout=own[place].remaining)
        results[place] = _result(sources[place], futures[place], own[place] is deadline)
    in_order = [results[place] for place in range(len(own))]
    return (
        [each for each in in_order if isinstance(each, Found)],
        [each for each in in_order if isinstance(each, Outage)],
    )


def _sooner(deadline: Deadline, other: Deadline | None) -> Deadline:
    return deadline if other is None or other.remaining >= deadline.remaining else other


def _result(source: Source, future: Future[Found], common: bool) -> Found | Outage:
    if not future.done():
        future.cancel()
        if source.required:
            raise SourceError(f"{source.name}: did not answer in time, and the search needs it", "raise `deadline`")
        remedy = "raise `deadline`" if common else f"raise the `deadline` of {source.name} in sources.json"
        return Outage(source.name, "did not answer in time", remedy)
    try:
        return future.result()
    except SourceError as error:
        if source.required:
            raise
        return Outage(source.name, error.message, error.hint)
