"""Many servers on one memory, killed servers, killed parents: nothing lost, nothing broken, nothing left running."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import anyio
import httpx2
import pytest
from tests.mcp.driving.clients import python_peer
from tests.mcp.driving.crashing import (
    HELLO,
    KNOWN,
    PARENT,
    SHARED,
    Told,
    Write,
    alive,
    burst,
    killed,
    known_server,
    lost,
    message,
    write_all,
)
from tests.mcp.driving.servers import PROGRAM, environment, first_line, serving

from memory_fabric.app import Fabric
from memory_fabric.doors.resident import find_resident
from memory_fabric.model.nodes import Node
from memory_fabric.settings import Settings

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="kill -9 is POSIX's"),
    pytest.mark.sockets,
]

ROUNDS = 5
AT_ONCE = 8
GONE_WITHIN = 5.0
"""Seconds in which a server must follow its parent (C-075)."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A memory with the shared entity in it."""
    home = tmp_path / "memory"
    with Fabric.open(Settings(home=home, embedder="none")) as fabric:
        assert fabric.knowledge.create_nodes([Node(SHARED, "made")]).new
    return home


# ── many at once ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_two_servers_with_two_hundred_concurrent_writes_each_lose_nothing(home: Path) -> None:
    """C-043, F-MCP-15: create_entities, add_observations and add_memory mixed, eight at a time, on one memory."""
    each = 200
    told = Told()

    async def one(name: str) -> None:
        async with python_peer(home, "legacy") as peer:
            await write_all(peer, burst(name, each, seed=len(name)), told, AT_ONCE)

    async def both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(one, "first")
            group.start_soon(one, "second")

    anyio.run(both)
    assert told.failed == []
    assert len(told.done) == 2 * each
    assert {write.tool for write in told.done} == {"create_entities", "add_observations", "add_memory"}
    assert lost(home, told.done) == []


def test_calls_of_one_message_do_not_lose_each_other(home: Path) -> None:
    """C-042: eight create_entities at once → eight entities.  C-044: seven add_observations → seven observations."""
    writes = [Write("create_entities", f"part{number}") for number in range(8)]
    writes += [Write("add_observations", f"sight{number}") for number in range(7)]
    told = Told()

    async def at_once() -> None:
        async with python_peer(home, "auto") as peer:
            await write_all(peer, writes, told, len(writes))

    anyio.run(at_once)
    assert told.failed == []
    assert lost(home, writes) == []


def test_what_was_not_written_would_be_missed(home: Path) -> None:
    never = [Write("create_entities", "never"), Write("add_observations", "never"), Write("add_memory", "never")]
    assert lost(home, never) == never


# ── the server is killed ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_server_killed_in_the_middle_of_writes_keeps_what_it_acknowledged(home: Path) -> None:
    """C-042: kill -9 at a random point of a burst, again and again on one memory; the point is a number of answers."""
    chance = random.Random(20261130)
    told = Told()

    async def round_(number: int) -> None:
        after = len(told.done) + chance.randint(1, 40)
        writes = burst(f"round{number}", 200, seed=number)
        async with known_server(home) as (peer, pid):

            async def kill() -> None:
                await told.reaches(after)
                os.kill(pid, signal.SIGKILL)

            with killed([pid]):
                async with anyio.create_task_group() as group:
                    group.start_soon(write_all, peer, writes, told, AT_ONCE)
                    group.start_soon(kill)

    for number in range(ROUNDS):
        before = len(told.failed)
        anyio.run(round_, number)
        assert len(told.failed) - before == AT_ONCE, "each worker was cut off by the kill"
        assert lost(home, told.done) == []
    assert len(told.done) >= ROUNDS


def test_a_server_over_http_killed_in_the_middle_of_writes_keeps_what_it_acknowledged(home: Path) -> None:
    """C-042; the file that told of it is no answer any more, and the next server starts as ever."""
    told = Told()

    async def until_killed(number: int) -> None:
        with serving(home) as server:
            async with python_peer(server, "auto") as peer, anyio.create_task_group() as group:
                group.start_soon(write_all, peer, burst(f"http{number}", 100, seed=number), told, AT_ONCE)
                await told.reaches(10 * (number + 1))
                server.process.kill()

    for number in range(2):
        with pytest.raises(ExceptionGroup) as caught:  # the client breaks off where its connection does
            anyio.run(until_killed, number)
        assert caught.group_contains(httpx2.TransportError)
        assert (home / "serve.json").exists()
        assert find_resident(home) is None
        assert lost(home, told.done) == []
    assert 20 <= len(told.done) < 200


# ── the parent is killed ─────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
@pytest.mark.parametrize("held", [False, True], ids=["its input ends", "its input stays open"])
def test_no_server_outlives_its_parent(home: Path, busy: bool, held: bool) -> None:
    """C-075: kill -9 the parent: child gone in 5 s, also with a request that waits for a lock, and also where
    another process inherited the pipe, so that the input never ends."""
    write = message(2, "tools/call", name="add_memory", arguments={"text": "Never acknowledged, never there."})
    ping = message(3, "ping")
    talk = [*HELLO, *([(write, False)] if busy else []), (ping, True)]
    given = json.dumps([[*PROGRAM, "mcp"], held, talk])
    with closing(sqlite3.connect(home / "memory.db", isolation_level=None)) as lock:
        lock.execute("BEGIN IMMEDIATE")
        parent = subprocess.Popen(
            [sys.executable, "-c", PARENT, given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment(home),
        )
        with parent, killed([parent.pid]):
            pids = json.loads(first_line(parent))
            with killed(pids):
                assert all(map(alive, pids))
                parent.kill()
                parent.wait()
                deadline = time.monotonic() + GONE_WITHIN
                while alive(pids[0]) and time.monotonic() < deadline:
                    time.sleep(0.05)
                assert not alive(pids[0])
        lock.execute("ROLLBACK")
    assert lost(home, []) == []


def test_a_process_that_goes_on_would_be_found() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        with killed([process.pid]):
            assert alive(process.pid)
        process.wait()
        assert not alive(process.pid)


def test_the_number_that_is_told_is_the_servers(tmp_path: Path) -> None:
    number = tmp_path / "number"
    command = [sys.executable, "-c", KNOWN, str(number), "version"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(tmp_path)) as process:
        process.communicate()
    assert number.read_text() == str(process.pid)
