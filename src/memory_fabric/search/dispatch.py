"""Ask all sources at once, with one deadline (F-SRC-4).  The only place that starts threads (decision 13)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from queue import SimpleQueue

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceError
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Outage
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
    query: Query, sources: Sequence[Source], limit: int, deadline: Deadline, workers: Workers
) -> tuple[list[Found], list[Outage]]:
    """What each source found, in the order of ``sources``, and who did not answer.

    A source that fails by its own word or outlives the deadline is an outage; a store failure or a bug propagates.
    A late source is left to finish alone and its answer is thrown away.

    Raises:
        SourceError: a required source failed or was late (F-ERR-2).
        Exception: whatever a source raised that is no ``SourceError``.
    """
    asked = [(source, workers.submit(lambda ask=source: ask.find(query, limit, deadline))) for source in sources]  # type: ignore[misc]
    wait([future for _, future in asked], timeout=deadline.remaining)
    found: list[Found] = []
    outages: list[Outage] = []
    for source, future in asked:
        result = _result(source, future)
        if isinstance(result, Found):
            found.append(result)
        else:
            outages.append(result)
    return found, outages


def _result(source: Source, future: Future[Found]) -> Found | Outage:
    if not future.done():
        future.cancel()
        if source.required:
            raise SourceError(f"{source.name}: did not answer in time, and the search needs it", "raise `deadline`")
        return Outage(source.name, "did not answer in time", "raise `deadline`")
    try:
        return future.result()
    except SourceError as error:
        if source.required:
            raise
        return Outage(source.name, error.message, error.hint)
