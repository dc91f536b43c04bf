"""The mem0 platform by its REST API (F-MEM0-1).

The paths are those of the platform's own client (mem0ai 2.2): version 3 to add, search and list, version 1 for single
memories.  Relations are in no answer of version 3 (they went into the score, mem0#5601); where they are wanted, version
2 is asked, which gives them on servers that still keep a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from memory_fabric.clock import Deadline
from memory_fabric.errors import DeadlinePassed, SourceUnavailable
from memory_fabric.sources.mem0.backend import Change, Status, Who
from memory_fabric.sources.mem0.http import NotThere, Refused, Transport
from memory_fabric.sources.mem0.shape import FABRIC_KEY, MOST_HITS, Item, Matches, items_of, relations_of

PAGE = 100
"""Memories of one page of a list."""

FIRST_LOOK = 0.1
"""Seconds before the first look whether an added memory is kept; doubled each time up to ``SLOWEST_LOOK``."""

SLOWEST_LOOK = 2.0

Filter = Mapping[str, Any]


class CloudMem0:
    """See ``backend.Backend``."""

    has_graph = True

    def __init__(self, transport: Transport) -> None:
        self._http = transport

    # ── asking ───────────────────────────────────────────────────────────────────────────────────────────────────

    def product(self, deadline: Deadline) -> str:
        """The platform and the project that the key opens.

        Raises:
            SourceUnavailable: also when the key belongs to another organisation or project than is configured.
        """
        said = self._http.send("GET", "/v1/ping/", deadline)
        own = said if isinstance(said, Mapping) else {}
        for name, wanted in self._http.access.owner.items():
            if own.get(name) and own[name] != wanted:
                raise SourceUnavailable(
                    f"{self._http.name}: the key belongs to another {name.removesuffix('_id')} than {wanted!r}",
                    "use that one's key, or leave MEM0_ORG_ID and MEM0_PROJECT_ID away",
                )
        places = ", ".join(f"{name} {own[name]}" for name in ("org_id", "project_id") if own.get(name))
        return f"mem0 platform ({places})" if places else "mem0 platform"

    def search(
        self,
        question: str,
        who: Who,
        limit: int,
        deadline: Deadline,
        *,
        graph: bool = False,
        filters: Sequence[Filter] = (),
    ) -> Matches:
        """See ``Backend``."""
        body: dict[str, Any] = {
            "query": question,
            "filters": condition(who, filters),
            "top_k": max(1, min(limit, MOST_HITS)),
        }
        if graph:
            body |= {"enable_graph": True, "output_format": "v1.1"}
        answer = self._http.send("POST", f"/v{2 if graph else 3}/memories/search/", deadline, body=body)
        return Matches(tuple(items_of(answer)), relations_of(answer) if graph else None)

    def listed(self, who: Who, limit: int, deadline: Deadline, *, filters: Sequence[Filter] = ()) -> list[Item]:
        """See ``Backend``."""
        body = {"filters": condition(who, filters)}
        found: list[Item] = []
        for page in range(1, limit // PAGE + 2):
            size = {"page": page, "page_size": min(PAGE, limit)}
            answer = self._http.send("POST", "/v3/memories/", deadline, body=body, query=size)
            found += items_of(answer)
            if len(found) >= limit or not isinstance(answer, Mapping) or not answer.get("next"):
                break
        return found[:limit]

    def get(self, record: str, deadline: Deadline) -> Item:
        """See ``Backend``."""
        return self._item(self._http.send("GET", _path(record), deadline), record)

    def history(self, record: str, deadline: Deadline) -> list[Item]:
        """See ``Backend``."""
        return items_of(self._http.send("GET", f"{_path(record)}history/", deadline) or [])

    def users(self, deadline: Deadline) -> list[Item]:
        """See ``Backend``."""
        return items_of(self._http.send("GET", "/v1/entities/", deadline))

    def named(self, key: str, user: str, deadline: Deadline) -> Item | None:
        """See ``Backend``."""
        found = self.listed(Who((user,)), PAGE, deadline, filters=({"metadata": {FABRIC_KEY: key}},))
        return next((item for item in found if (item.get("metadata") or {}).get(FABRIC_KEY) == key), None)

    # ── changing ─────────────────────────────────────────────────────────────────────────────────────────────────

    def add(
        self,
        text: str,
        user: str,
        metadata: Mapping[str, Any],
        deadline: Deadline,
        *,
        agent: str | None = None,
        at: datetime | None = None,
    ) -> str:
        """See ``Backend``.  The platform keeps it later: its id is known when that is done.

        Raises:
            DeadlinePassed: also when it was taken but not yet kept; ``named`` finds it later.
        """
        body: dict[str, Any] = {
            "messages": [{"role": "user", "content": text}],
            "user_id": user,
            "metadata": dict(metadata),
            "infer": False,
        }
        if agent:
            body["agent_id"] = agent
        if at:
            body["timestamp"] = int(at.timestamp())
        answer = self._http.send("POST", "/v3/memories/add/", deadline, body=body, repeat=False)
        event = answer.get("event_id") if isinstance(answer, Mapping) else None
        record = self._kept(str(event), deadline) if event else _first_id(items_of(answer))
        if record is None:
            raise SourceUnavailable(f"{self._http.name}: took the memory and does not say under which id", "try again")
        return record

    def update(self, change: Change, deadline: Deadline) -> Item:
        """See ``Backend``."""
        return self._item(self._http.send("PUT", _path(change.id), deadline, body=_fields(change)), change.id)

    def delete(self, record: str, deadline: Deadline) -> None:
        """See ``Backend``."""
        self._http.send("DELETE", _path(record), deadline)

    def batch_update(self, changes: Sequence[Change], deadline: Deadline) -> list[Status]:
        """See ``Backend``."""
        body = {"memories": [{"memory_id": change.id, **_fields(change)} for change in changes]}
        return self._batch(
            "PUT",
            body,
            [change.id for change in changes],
            lambda place: self.update(changes[place], deadline),
            deadline,
        )

    def batch_delete(self, records: Sequence[str], deadline: Deadline) -> list[Status]:
        """See ``Backend``."""
        body = {"memories": [{"memory_id": record} for record in records]}
        return self._batch("DELETE", body, records, lambda place: self.delete(records[place], deadline), deadline)

    # ── the platform alone ───────────────────────────────────────────────────────────────────────────────────────

    def events(self, deadline: Deadline) -> list[Item]:
        """What the platform does later, newest first: ``id``, ``event_type``, ``status``."""
        return items_of(self._http.send("GET", "/v1/events/", deadline))

    def summary(self, who: Who, deadline: Deadline) -> Any:
        """What the platform says of these memories as a whole."""
        return self._http.send("POST", "/v1/summary/", deadline, body={"filters": condition(who)})

    def create_export(self, schema: Mapping[str, Any], who: Who, deadline: Deadline) -> str:
        """Have the platform write these memories in the form of a JSON schema; the id of the export."""
        body = {"schema": schema, "filters": condition(who)}
        answer = self._http.send("POST", "/v1/exports/", deadline, body=body, repeat=False)
        if not isinstance(answer, Mapping) or not answer.get("id"):
            raise SourceUnavailable(f"{self._http.name}: took the export and does not say under which id", "try again")
        return str(answer["id"])

    def get_export(self, export: str, deadline: Deadline) -> Any:
        """What ``create_export`` made."""
        return self._http.send("POST", "/v1/exports/get/", deadline, body={"memory_export_id": export})

    def close(self) -> None:
        """See ``Backend``."""
        self._http.close()

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _kept(self, event: str, deadline: Deadline) -> str | None:
        """Wait until the platform has kept what it took."""
        late = DeadlinePassed(
            f"{self._http.name}: took the memory but has not kept it yet (event {event})", "look again later"
        )
        wait = FIRST_LOOK
        while True:
            try:
                said = self._http.send("GET", f"/v1/event/{quote(event, safe='')}/", deadline)
            except DeadlinePassed as error:
                raise late from error
            status = str(said.get("status") if isinstance(said, Mapping) else "").upper()
            if status == "SUCCEEDED":
                return _first_id(items_of(said))
            if status == "FAILED":
                raise SourceUnavailable(f"{self._http.name}: could not keep the memory (event {event})", "try again")
            if wait >= deadline.remaining:
                raise late
            self._http.pause(wait)
            wait = min(2 * wait, SLOWEST_LOOK)

    def _batch(
        self,
        method: str,
        body: Mapping[str, Any],
        records: Sequence[str],
        singly: Callable[[int], object],
        deadline: Deadline,
    ) -> list[Status]:
        """All at once; where the platform refuses the batch for some of them, one by one, to know which."""
        try:
            self._http.send(method, "/v1/batch/", deadline, body=body)
        except (NotThere, Refused):
            return [_status(record, singly, place) for place, record in enumerate(records)]
        return [Status(record, True) for record in records]

    def _item(self, answer: Any, record: str) -> Item:
        if not isinstance(answer, Mapping):
            raise SourceUnavailable(f"{self._http.name}: answered in a shape that is not known", "is that mem0?")
        if "memory" not in answer and "id" not in answer:
            return {"id": record, **answer}
        return answer


def condition(who: Who, filters: Sequence[Filter] = ()) -> dict[str, Any]:
    """Whose memories, and what else must hold, as the platform's filters."""
    kinds = {"user_id": who.users, "agent_id": who.agents, "app_id": who.apps}
    owners = [{name: ids[0] if len(ids) == 1 else {"in": list(ids)}} for name, ids in kinds.items() if ids]
    either = owners[0] if len(owners) == 1 else {"OR": owners}
    return {"AND": [either, *map(dict, filters)]} if filters or len(owners) == 1 else either


def _status(record: str, singly: Callable[[int], object], place: int) -> Status:
    try:
        singly(place)
    except (NotThere, Refused) as error:
        return Status(record, False, error.message)
    return Status(record, True)


def _fields(change: Change) -> dict[str, Any]:
    given = {"text": change.text, "metadata": None if change.metadata is None else dict(change.metadata)}
    return {name: value for name, value in given.items() if value is not None}


def _first_id(items: Sequence[Item]) -> str | None:
    return next((str(found) for item in items if (found := item.get("id") or item.get("memory_id"))), None)


def _path(record: str) -> str:
    return f"/v1/memories/{quote(record, safe='')}/"
