"""Ask all sources at once, with one deadline (F-SRC-4).  The only place that starts threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, Future, wait

from memory_fabric.clock import Deadline
from memory_fabric.errors import SourceError
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Outage
from memory_fabric.ports import Source


def dispatch(
    query: Query, sources: Sequence[Source], limit: int, deadline: Deadline, executor: Executor
) -> tuple[list[Found], list[Outage]]:
    """What each source found, in the order of ``sources``, and who did not answer.

    A source that fails by its own word or outlives the deadline is an outage; a store failure or a bug propagates
    (decision 13).  A late source is left to finish alone; its answer is thrown away.

    Raises:
        SourceError: a required source failed (F-ERR-2).
        Exception: whatever a source raised that is no ``SourceError``.
    """
    asked = [(source, executor.submit(source.find, query, limit, deadline)) for source in sources]
    wait([future for _, future in asked], timeout=deadline.remaining)
    found: list[Found] = []
    outages: list[Outage] = []
    for source, future in asked:
        result = _result(source, future)
        (found if isinstance(result, Found) else outages).append(result)  # type: ignore[arg-type]
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
