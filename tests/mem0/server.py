"""A mem0 platform of the test's own: holds state, and is as strict about keys, scopes and shapes as the real one.

Written after the platform's API reference and its own client (mem0ai 2.2); ``test_platform.py`` drives both that client
and ours against it.  ``Platform.faults`` makes the next answers go wrong.
"""

# ruff: noqa: ARG002 - every route takes what was asked
from __future__ import annotations

import json
import re
import threading
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.mem0.filters import OWNERS, WrongError, holds, overlap, owners_in

KEY, ORG, PROJECT = "m0-test-key-1234567890", "org-shop", "proj-shop"
Json = dict[str, Any]


@dataclass(frozen=True)
class Fault:
    """What the next answer is in place of what was asked for."""

    status: int = 200
    raw: bytes = b""
    kind: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()
    silent: bool = False
    """Says nothing until the test is over."""
    done: bool = False
    """The request is carried out all the same."""


@dataclass
class Asked:
    method: str
    path: str
    query: Json
    body: Json
    headers: dict[str, str]


@dataclass
class Platform:
    """Its memories, and everything that was asked of it."""

    url: str = ""
    lag: int = 0
    """Looks at an event before the memory is kept."""
    percent: bool = False
    """Scores from 0 to 100."""
    graph: bool = False
    """Whether version 2 answers with relations."""
    memories: dict[str, Json] = field(default_factory=dict)
    past: dict[str, list[Json]] = field(default_factory=dict)
    events: dict[str, Json] = field(default_factory=dict)
    exports: dict[str, Json] = field(default_factory=dict)
    relations: list[Json] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    faults: deque[Fault] = field(default_factory=deque)
    over: threading.Event = field(default_factory=threading.Event)
    clock: datetime = datetime(2026, 3, 1, tzinfo=UTC)

    def keep(self, text: str, *, at: str | None = None, **fields: Any) -> str:
        """A memory that is there already."""
        record = str(uuid.uuid4())
        now = at or self._now()
        self.memories[record] = {
            "id": record, "memory": text, "created_at": now, "updated_at": now, "metadata": None, "categories": [],
            **dict.fromkeys(OWNERS), **fields,
        }  # fmt: skip
        self._note(record, "ADD", None, text)
        return record

    def paths(self) -> list[str]:
        return [f"{each.method} {each.path}" for each in self.asked]

    def _now(self) -> str:
        self.clock += timedelta(seconds=1)
        return self.clock.isoformat()

    def _note(self, record: str, event: str, old: str | None, new: str | None) -> None:
        row = {"id": str(uuid.uuid4()), "memory_id": record, "old_memory": old, "new_memory": new, "event": event}
        self.past.setdefault(record, []).append({**row, "created_at": self._now()})

    # ── what is asked ────────────────────────────────────────────────────────────────────────────────────────────

    def answer(self, asked: Asked) -> Any:
        if asked.headers.get("authorization") != f"Token {KEY}":
            raise WrongError(401, "Invalid API key")
        for name, own in (("org_id", ORG), ("project_id", PROJECT)):
            if {**asked.query, **asked.body}.get(name, own) != own:
                raise WrongError(403, f"You do not have access to this {name}")
        for method, pattern, name in ROUTES:
            match = re.fullmatch(pattern, asked.path)
            if match and method == asked.method:
                work: Callable[..., Any] = getattr(self, name)
                return work(asked, *map(unquote, match.groups()))
        raise WrongError(404, "Not found.")

    def ping(self, asked: Asked) -> Json:
        return {"status": "ok", "org_id": ORG, "project_id": PROJECT, "user_email": None}

    def add(self, asked: Asked) -> Json:
        body = asked.body
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages or not all(
            isinstance(each, dict) and each.get("role") and isinstance(each.get("content"), str) for each in messages
        ):  # fmt: skip
            raise WrongError(400, {"error": "messages: a list of role and content is required"})
        owners = {name: body[name] for name in OWNERS if body.get(name)}
        if not owners:
            raise WrongError(400, {"error": "one of user_id, agent_id, app_id, run_id is required"})
        if body.get("infer", True):
            raise WrongError(400, {"error": "this platform has no language model"})
        event = str(uuid.uuid4())
        waiting = [(each["content"], owners, body.get("metadata"), body.get("timestamp")) for each in messages]
        self.events[event] = {
            "id": event,
            "event_type": "ADD",
            "status": "PENDING",
            "waiting": waiting,
            "left": self.lag,
        }
        if not self.lag:
            self._settle(self.events[event])
        return {"message": "Memory processing has been queued", "status": "PENDING", "event_id": event}

    def _settle(self, event: Json) -> None:
        results = []
        for text, owners, metadata, stamp in event.pop("waiting"):
            at = datetime.fromtimestamp(stamp, UTC).isoformat() if stamp else None
            record = self.keep(text, at=at, metadata=metadata, **owners)
            results.append({"id": record, "event": "ADD", "data": {"memory": text}})
        event |= {"status": "SUCCEEDED", "results": results}

    def event(self, asked: Asked, event: str) -> Json:
        found = self.events.get(event)
        if found is None:
            raise WrongError(404, "Event not found")
        if "waiting" in found:
            found["left"] -= 1
            if found["left"] <= 0:
                self._settle(found)
        return {name: value for name, value in found.items() if name not in ("waiting", "left")} | (
            {"results": []} if "waiting" in found else {}
        )

    def all_events(self, asked: Asked) -> Json:
        shown = [{name: each.get(name) for name in ("id", "event_type", "status")} for each in self.events.values()]
        return {"count": len(shown), "next": None, "previous": None, "results": shown[::-1]}

    def search(self, asked: Asked) -> Json:
        found = self._filtered(asked.body)
        question = asked.body.get("query")
        if not isinstance(question, str) or not question.strip():
            raise WrongError(400, {"query": ["This field may not be blank."]})
        most = asked.body.get("top_k", 10)
        if not isinstance(most, int) or not 1 <= most <= 100:
            raise WrongError(400, {"top_k": ["Ensure this value is between 1 and 100."]})
        words = set(re.findall(r"\w+", question.lower()))
        scored = [(overlap(words, each["memory"]), each) for each in found]
        scored.sort(key=lambda pair: (-pair[0], pair[1]["id"]))
        factor = 100 if self.percent else 1
        return {"results": [each | {"score": score * factor} for score, each in scored[:most] if score > 0]}

    def graph_search(self, asked: Asked) -> Json:
        answer = self.search(asked)
        if asked.body.get("enable_graph") and self.graph:
            return answer | {"relations": self.relations}
        return answer

    def listed(self, asked: Asked) -> Json:
        found = self._filtered(asked.body)
        page, size = int(asked.query.get("page", 1)), int(asked.query.get("page_size", 100))
        more = len(found) > page * size
        here = found[(page - 1) * size : page * size]
        following = f"{self.url}/v3/memories/?page={page + 1}&page_size={size}" if more else None
        return {"count": len(found), "next": following, "previous": None, "results": here}

    def one(self, asked: Asked, record: str) -> Json:
        return self._there(record)

    def update(self, asked: Asked, record: str) -> Json:
        memory = self._there(record)
        self._change(memory, asked.body)
        return memory

    def _change(self, memory: Json, body: Json) -> None:
        if body.get("text") is None and body.get("metadata") is None:
            raise WrongError(400, {"error": "text or metadata is required"})
        if body.get("text") is not None:
            self._note(memory["id"], "UPDATE", memory["memory"], body["text"])
            memory["memory"] = body["text"]
        if body.get("metadata") is not None:
            memory["metadata"] = body["metadata"]
        memory["updated_at"] = self._now()

    def delete(self, asked: Asked, record: str) -> Json:
        self._note(record, "DELETE", self._there(record)["memory"], None)
        del self.memories[record]
        return {"message": "Memory deleted successfully!"}

    def history(self, asked: Asked, record: str) -> list[Json]:
        if record not in self.past:
            raise WrongError(404, "Memory not found")
        return self.past[record]

    def batch(self, asked: Asked) -> Json:
        rows = asked.body.get("memories")
        if not isinstance(rows, list) or not 1 <= len(rows) <= 1000:
            raise WrongError(400, {"error": "1 to 1000 memories are required"})
        if any(row.get("memory_id") not in self.memories for row in rows):
            raise WrongError(400, {"error": "One or more memories not found"})
        for row in rows:
            if asked.method == "PUT":
                self._change(self.memories[row["memory_id"]], row)
            else:
                self.delete(asked, row["memory_id"])
        return {"message": f"{len(rows)} memories"}

    def entities(self, asked: Asked) -> Json:
        counts: dict[tuple[str, str], int] = {}
        for each in self.memories.values():
            for owner in OWNERS:
                if each.get(owner):
                    key = (owner.removesuffix("_id"), each[owner])
                    counts[key] = counts.get(key, 0) + 1
        rows = [{"type": kind, "name": name, "total_memories": many} for (kind, name), many in sorted(counts.items())]
        return {"count": len(rows), "results": rows}

    def export(self, asked: Asked) -> Json:
        if "schema" not in asked.body:
            raise WrongError(400, {"schema": ["This field is required."]})
        export = str(uuid.uuid4())
        self.exports[export] = {"memories": [each["memory"] for each in self._filtered(asked.body)]}
        return {"message": "Memory export request received.", "id": export}

    def exported(self, asked: Asked) -> Json:
        found = self.exports.get(str(asked.body.get("memory_export_id")))
        if found is None:
            raise WrongError(404, "No memory export found")
        return found

    def summary(self, asked: Asked) -> Json:
        return {"summary": f"{len(self._filtered(asked.body))} memories"}

    # ── parts ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _there(self, record: str) -> Json:
        if record not in self.memories:
            raise WrongError(404, "Memory not found!")
        return self.memories[record]

    def _filtered(self, body: Json) -> list[Json]:
        if set(OWNERS) & set(body):
            raise WrongError(400, {"error": "entity ids belong into filters"})
        filters = body.get("filters")
        if not isinstance(filters, dict) or not filters or not (set(owners_in(filters)) & set(OWNERS)):
            raise WrongError(400, {"error": "filters with at least one entity id are required"})
        return [each for each in self.memories.values() if holds(filters, each)]


ROUTES = (
    ("GET", r"/v1/ping/", "ping"),
    ("POST", r"/v3/memories/add/", "add"),
    ("POST", r"/v3/memories/search/", "search"),
    ("POST", r"/v2/memories/search/", "graph_search"),
    ("POST", r"/v3/memories/", "listed"),
    ("GET", r"/v1/memories/([^/]+)/", "one"),
    ("PUT", r"/v1/memories/([^/]+)/", "update"),
    ("DELETE", r"/v1/memories/([^/]+)/", "delete"),
    ("GET", r"/v1/memories/([^/]+)/history/", "history"),
    ("PUT", r"/v1/batch/", "batch"),
    ("DELETE", r"/v1/batch/", "batch"),
    ("GET", r"/v1/entities/", "entities"),
    ("GET", r"/v1/events/", "all_events"),
    ("GET", r"/v1/event/([^/]+)/", "event"),
    ("POST", r"/v1/exports/", "export"),
    ("POST", r"/v1/exports/get/", "exported"),
    ("POST", r"/v1/summary/", "summary"),
)


@contextmanager
def running() -> Iterator[Platform]:
    """A platform on this machine, gone when the test is over."""
    platform = Platform()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log_message(self, *_: Any) -> None:
            """Nothing is printed."""

        def _serve(self) -> None:
            parts = urlsplit(self.path)
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            headers = {name.lower(): value for name, value in self.headers.items()}
            asked = Asked(self.command, parts.path, query, json.loads(raw) if raw else {}, headers)
            platform.asked.append(asked)
            fault = platform.faults.popleft() if platform.faults else None
            if fault is not None:
                if fault.done:
                    platform.answer(asked)
                if fault.silent:
                    platform.over.wait(60)
                    self.close_connection = True
                    return
                self._say(fault.status, fault.raw, fault.kind, fault.headers)
                return
            try:
                status, body = 200, platform.answer(asked)
            except WrongError as error:
                status, body = error.status, error.body
            self._say(status, json.dumps(body).encode(), "application/json")

        def _say(self, status: int, raw: bytes, kind: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815 - the names that http.server looks for

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    platform.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield platform
    finally:
        platform.over.set()
        server.shutdown()
        server.server_close()
        thread.join(5)
