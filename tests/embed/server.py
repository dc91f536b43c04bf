"""A server that speaks OpenAI's ``/embeddings`` with hashed vectors, and can be told to misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memory_fabric.embed.hashed import HashedEmbedder


@dataclass(frozen=True)
class Fault:
    """An answer that is none."""

    status: int = 200
    body: bytes = b"{}"
    headers: tuple[tuple[str, str], ...] = ()


@dataclass
class Embeddings:
    """What was asked of it, and what it is to answer first."""

    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    """Taken from the front, one a request."""
    alike: bool = False
    """Whether every text gets the same vector."""
    dimension: int = 64

    def answer(self, body: dict[str, Any]) -> bytes:
        vectors = HashedEmbedder(self.dimension).embed(["same"] * len(body["input"]) if self.alike else body["input"])
        rows = [{"index": row, "embedding": [float(x) * 3 for x in vector]} for row, vector in enumerate(vectors)]
        return json.dumps({"object": "list", "data": rows[::-1], "model": body["model"]}).encode()

    def texts(self) -> list[str]:
        return [text for body in self.asked for text in body["input"]]


@contextmanager
def serving() -> Iterator[Embeddings]:
    """One on a free port of this machine."""
    state = Embeddings()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            state.asked.append(body)
            state.headers.append({name.casefold(): value for name, value in self.headers.items()} | {"path": self.path})
            fault = state.faults.pop(0) if state.faults else Fault(body=state.answer(body))
            self.send_response(fault.status)
            for name, value in fault.headers:
                self.send_header(name, value)
            self.send_header("content-length", str(len(fault.body)))
            self.end_headers()
            self.wfile.write(fault.body)

        def log_message(self, *_: object) -> None:
            """Tests print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
