"""What the crash tests need: servers whose process number is known, bursts of writes, a parent that can be killed."""

from __future__ import annotations

import os
import random
import signal
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
from tests.mcp.driving.calls import Json
from tests.mcp.driving.clients import Outcome, PythonPeer
from tests.mcp.driving.servers import START, environment

from memory_fabric.app import Fabric
from memory_fabric.settings import Settings

SHARED = "Shared"
"""The entity that every burst adds observations to."""

KNOWN = f"import os, pathlib, sys; pathlib.Path(sys.argv.pop(1)).write_text(str(os.getpid())); {START}"
"""A start of our program that tells its process number first."""


# ── writing ──────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Write:
    """One write that can be told from every other, and looked for afterwards."""

    tool: str
    word: str

    @property
    def arguments(self) -> Json:
        """Of the tool."""
        if self.tool == "create_entities":
            return {"entities": [{"name": self.word, "entityType": "made", "observations": [f"{self.word} was made"]}]}
        if self.tool == "add_observations":
            return {"observations": [{"entityName": SHARED, "contents": [f"{self.word} was seen"]}]}
        return {"text": f"{self.word} is worth remembering, said the crash test.", "source": "crash"}


TOOLS = ("create_entities", "add_observations", "add_memory")


def burst(name: str, count: int, seed: int) -> list[Write]:
    """Writes of all three kinds, mixed; the same seed gives the same mix."""
    mix = random.Random(seed)
    return [Write(mix.choice(TOOLS), f"{name}x{number}") for number in range(count)]


@dataclass
class Told:
    """What a client was told of its writes."""

    done: list[Write] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    _awaited: list[tuple[int, anyio.Event]] = field(default_factory=list)

    def add(self, write: Write) -> None:
        """One more was acknowledged."""
        self.done.append(write)
        for count, event in self._awaited:
            if len(self.done) >= count:
                event.set()

    async def reaches(self, count: int) -> None:
        """Wait until so many were acknowledged; a minute at most."""
        event = anyio.Event()
        self._awaited.append((count, event))
        with anyio.fail_after(60):
            await event.wait()


async def write_all(peer: PythonPeer, writes: Sequence[Write], told: Told, at_once: int) -> None:
    """Make the writes, so many at a time, each as soon as one before it was answered."""
    waiting = iter(writes)

    async def worker() -> None:
        for each in waiting:
            outcome = await peer.call(each.tool, each.arguments)
            if succeeded(each, outcome):
                told.add(each)
            else:
                told.failed.append(f"{each}: {outcome.error}")
                return

    async with anyio.create_task_group() as group:
        for _ in range(at_once):
            group.start_soon(worker)


def succeeded(write: Write, outcome: Outcome) -> bool:
    """Whether a client may rely on this write."""
    if outcome.error is not None or outcome.data is None:
        return False
    if write.tool == "create_entities":
        return [each["name"] for each in outcome.data["entities"]] == [write.word]
    if write.tool == "add_observations":
        return bool(outcome.data["results"][0]["addedObservations"] == [f"{write.word} was seen"])
    return bool(outcome.data["ok"])


def lost(home: Path, writes: Sequence[Write]) -> list[Write]:
    """The writes that cannot be found in the store; it must be sound."""
    with Fabric.open(Settings(home=home, embedder="none"), read_only=True) as fabric:
        assert fabric.store.check() == []
        made = {node.name for write in writes for node in fabric.knowledge.open_nodes([write.word]).nodes}
        shared = fabric.knowledge.open_nodes([SHARED]).nodes
        seen = set(shared[0].observations) if shared else set()
        texts = {str(row.get("text", "")).partition(" ")[0] for row in fabric.export() if row.get("type") == "memory"}

    def there(write: Write) -> bool:
        if write.tool == "create_entities":
            return write.word in made
        if write.tool == "add_observations":
            return f"{write.word} was seen" in seen
        return write.word in texts

    return [write for write in writes if not there(write)]


@asynccontextmanager
async def known_server(home: Path) -> AsyncIterator[tuple[PythonPeer, int]]:
    """The official client on a server over stdio, and the server's process number."""
    from mcp.client.stdio import stdio_client

    from mcp import Client, StdioServerParameters

    number = home.parent / f"{home.name}.pid"
    start = StdioServerParameters(command=sys.executable, args=["-c", KNOWN, str(number), "mcp"], env=environment(home))
    with Path(os.devnull).open("w") as quiet:
        async with Client(stdio_client(start, errlog=quiet), mode="legacy") as client:
            yield PythonPeer(client), int(number.read_text())


# ── dying ────────────────────────────────────────────────────────────────────────────────────────────────────────


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended and was not fetched by its parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat")
    try:
        return state.read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except FileNotFoundError:  # no such list here, or gone between the two looks
        return not Path("/proc/self/stat").exists()


@contextmanager
def killed(pids: list[int]) -> Iterator[None]:
    """Whatever happens, these processes are gone after the block."""
    try:
        yield
    finally:
        for pid in pids:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)


PARENT = """
import json, subprocess, sys
command, held, messages = json.loads(sys.argv[1])
server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
wire = server.stdin.fileno()
holder = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=(wire,)) if held else None
for message, answered in messages:
    server.stdin.write((json.dumps(message) + "\\n").encode())
    server.stdin.flush()
    while answered and json.loads(server.stdout.readline()).get("id") != message["id"]:
        pass
print(json.dumps([server.pid, *([holder.pid] if holder else [])]), flush=True)
sys.stdin.read()
"""
"""Starts a server, talks to it, then waits to be killed.  ``held``: another child keeps the server's input open."""


def message(number: int | None, method: str, **params: Any) -> Json:
    """A JSON-RPC request, or a notification."""
    named = {} if number is None else {"id": number}
    return {"jsonrpc": "2.0", **named, "method": method, "params": params}


HELLO = [
    (
        message(
            1,
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "parent", "version": "1"},
        ),
        True,
    ),
    (message(None, "notifications/initialized"), False),
]
"""Messages, and whether their answer is awaited."""
