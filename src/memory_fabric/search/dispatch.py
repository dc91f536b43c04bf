"""Ask all sources at once, with one deadline (F-SRC-4).  The threads of a search are started here (decision 13)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceError
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Outage

if TYPE_CHECKING:
    from memory_fabric.ports import Source


class Job:
    """One source's work, and what came of it.

    The little of ``concurrent.futures`` that is needed here: loading that costs a hook 5 ms (it brings logging along).
    """

    def __init__(self, work: Callable[[], Found]) -> None:
        self._work: Callable[[], Found] | None = work
        self._ended = threading.Event()
        self._found: Found | None = None
        self._error: BaseException | None = None

    def run(self) -> None:
        """Do it, unless nobody waits any more; never raises."""
        work = self._work
        try:
            if work is not None:
                self._found = work()
        except BaseException as error:  # noqa: BLE001 - handed to whoever asks for the result
            self._error = error
        self._ended.set()

    def drop(self) -> None:
        """Do not begin it, if it has not begun."""
        self._work = None

    def ended(self, within: float = 0.0) -> bool:
        """Whether it has ended, at once or in so many seconds."""
        return self._ended.wait(within)

    def result(self) -> Found:
        """What it gave, once it has ended; raises what it raised."""
        if self._error is not None:
            raise self._error
        assert self._found is not None, "it has not ended"  # noqa: S101
        return self._found


class Workers:
    """Threads that wait for work and never hold the process: a source that hangs dies with it.

    A thread is started whenever nobody is idle, so a source that hangs does not starve the next search; idle threads
    are used again, which keeps their database connections.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Job] = SimpleQueue()
        self._idle = threading.Semaphore(0)

    def submit(self, work: Callable[[], Found]) -> Job:
        """Start ``work`` on some thread."""
        job = Job(work)
        self._jobs.put(job)
        if not self._idle.acquire(blocking=False):
            threading.Thread(target=self._run, name="memory-fabric-source", daemon=True).start()
        return job

    def _run(self) -> None:
        while True:
            self._jobs.get().run()
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
    jobs = [
        workers.submit(lambda ask=source, until=until: ask.find(query, limit, until))  # type: ignore[misc]
        for source, until in zip(sources, own, strict=True)
    ]
    results: dict[int, Found | Outage] = {}
    for place in sorted(range(len(own)), key=lambda place: own[place].remaining):
        jobs[place].ended(own[place].remaining)
        results[place] = _result(sources[place], jobs[place], own[place] is deadline)
    in_order = [results[place] for place in range(len(own))]
    return (
        [each for each in in_order if isinstance(each, Found)],
        [each for each in in_order if isinstance(each, Outage)],
    )


def _sooner(deadline: Deadline, other: Deadline | None) -> Deadline:
    return deadline if other is None or other.remaining >= deadline.remaining else other


def _result(source: Source, job: Job, common: bool) -> Found | Outage:
    if not job.ended():
        job.drop()
        if source.required:
            raise SourceError(f"{source.name}: did not answer in time, and the search needs it", "raise `deadline`")
        remedy = "raise `deadline`" if common else f"raise the `deadline` of {source.name} in sources.json"
        return Outage(source.name, "did not answer in time", remedy)
    try:
        return job.result()
    except SourceError as error:
        if source.required:
            raise
        return Outage(source.name, error.message, error.hint)
