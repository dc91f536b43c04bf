"""The protocol on stdin and stdout: nothing else on the wire, nothing kills it, it ends in time."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.mcp.talking import PATIENCE, PROGRAM, Raw, hello, raw, request, surroundings, tool_call

ENTITY = {"name": "build", "entityType": "topic", "observations": ["uses pnpm"]}
POSIX = pytest.mark.skipif(os.name != "posix", reason="parents and modes as POSIX has them")

NOISY = """
import os, sys

class Noisy:
    def find_spec(self, name, path=None, target=None):
        if name in {"mcp", "anyio", "numpy"}:
            print("hi from", name)
            sys.stdout.flush()
            os.write(1, b"x")
        return None

sys.meta_path.insert(0, Noisy())
"""


@contextmanager
def locked(home: Path) -> Iterator[sqlite3.Connection]:
    """The store, held by another writer: whoever writes waits."""
    connection = sqlite3.connect(home / "memory.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    finally:
        connection.close()


# ── nothing but the protocol ─────────────────────────────────────────────────────────────────────────────────────────


def test_what_libraries_print_while_they_are_imported_never_reaches_the_client(home: Path, tmp_path: Path) -> None:
    """C-074: from Python and from below it."""
    (tmp_path / "noise").mkdir()
    (tmp_path / "noise" / "sitecustomize.py").write_text(NOISY)
    with raw(home, PYTHONPATH=str(tmp_path / "noise"), MEMORY_FABRIC_EMBEDDER="minilm") as server:
        assert server.shake_hands()["result"]["serverInfo"]["name"] == "memory-fabric"
        assert not server.ask(tool_call(1, "add_memory", text="pnpm builds it"))["result"].get("isError")
        code, rest = server.end(2)
        assert (code, rest) == (0, [])
        assert server.process.stderr is not None
        said = server.process.stderr.read()
    assert said.count(b"hi from") == 3
    assert b"x" in said


def test_a_start_that_fails_says_so_on_stderr_only(home: Path) -> None:
    ended = subprocess.run(
        [*PROGRAM, "mcp"],
        env=surroundings(home, MEMORY_FABRIC_DEADLINE="never"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert b"deadline" in ended.stderr


def test_a_handshake_makes_no_store(home: Path) -> None:
    """C-083, F-MCP-16: heavy work waits for the first tool."""
    with raw(home) as server:
        server.shake_hands()
        assert server.ask(request(1, "tools/list"))["result"]["tools"]
        assert not (home / "memory.db").exists()
        server.ask(tool_call(2, "read_graph"))
        assert (home / "memory.db").exists()


# ── probes ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_method_that_is_not_known_is_answered_before_any_handshake(wire: Raw) -> None:
    """C-083: as the first message, also without the version mark."""
    first = wire.ask({"id": 1, "method": "server/discover"})
    assert first["error"]["code"] == -32601
    assert wire.ask(request(2, "no/such/method"))["error"]["code"] == -32601
    assert "result" in wire.shake_hands()


def test_a_protocol_of_the_future_is_negotiated_down(wire: Raw) -> None:
    """C-083."""
    from mcp_types.version import LATEST_HANDSHAKE_VERSION

    answer = wire.ask(request(1, "initialize", **hello("2099-01-01")))
    assert answer["result"]["protocolVersion"] == LATEST_HANDSHAKE_VERSION


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_older_protocols_are_spoken_as_asked(wire: Raw, version: str) -> None:
    assert wire.shake_hands(version)["result"]["protocolVersion"] == version
    result = wire.ask(tool_call(1, "create_entities", entities=[ENTITY]))["result"]
    assert '"build"' in result["content"][0]["text"]


# ── bad bytes ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def hardy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Raw]:
    """One server for all that is bad."""
    with raw(tmp_path_factory.mktemp("hardy") / "memory") as process:
        process.shake_hands()
        yield process


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"\xff\xfe{", -32700),
        (b"{", -32700),
        (b"hello", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"17", -32600),
        (b'{"jsonrpc":"2.0"}', -32600),
        (b'{"jsonrpc":"1.0","id":null,"method":"ping"}', -32600),
    ],
    ids=["bytes", "half", "words", "deep", "batch", "number", "empty", "version"],
)
def test_a_bad_line_is_answered_and_the_next_one_read(hardy: Raw, line: bytes, code: int) -> None:
    """C-085."""
    hardy.send(line)
    answer = hardy.receive()
    assert (answer["id"], answer["error"]["code"]) == (None, code)
    assert hardy.ask(request(7, "ping"))["result"] == {}


def test_bad_bytes_before_the_handshake_do_not_end_it(wire: Raw) -> None:
    """C-085: and empty lines are no messages."""
    wire.send(b"", b"  ", b"\r", b"\xff\xfe{")
    assert wire.receive()["error"]["code"] == -32700
    assert "result" in wire.shake_hands()


def test_a_message_that_cannot_be_one_is_answered_by_its_id(hardy: Raw) -> None:
    hardy.send(b'{"jsonrpc":"2.0","id":5,"method":17}')
    assert hardy.receive()["id"] == 5


def test_a_line_longer_than_any_message_is_refused_and_skipped(hardy: Raw) -> None:
    from memory_fabric.doors.mcp.stdio import LONGEST_LINE

    hardy.send(b" " * (LONGEST_LINE + 1))
    assert hardy.receive()["error"]["code"] == -32600
    assert hardy.ask(request(7, "ping"))["result"] == {}


# ── cancelling ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_cancelled_call_is_never_answered(home: Path, wire: Raw) -> None:
    """C-085: its late answer is dropped; what it wrote stays."""
    wire.shake_hands()
    wire.ask(tool_call(1, "read_graph"))
    with locked(home):
        wire.send(tool_call(2, "create_entities", entities=[ENTITY]))
        wire.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 2}})
        assert wire.ask(request(3, "ping"))["result"] == {}
    wire.ask(tool_call(4, "create_entities", entities=[{**ENTITY, "name": "other"}]))
    code, rest = wire.end(2)
    assert code == 0
    assert [each.get("id") for each in rest] == []


def test_a_call_that_waits_does_not_hold_up_others(home: Path, wire: Raw) -> None:
    wire.shake_hands()
    wire.ask(tool_call(1, "read_graph"))
    with locked(home):
        wire.send(tool_call(2, "create_entities", entities=[ENTITY]))
        assert wire.ask(tool_call(3, "read_graph"))["result"]["structuredContent"] == {"entities": [], "relations": []}
    assert wire.receive()["id"] == 2


# ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_no_input_at_all_ends_it_well(home: Path) -> None:
    """C-075: ``memory-fabric mcp </dev/null`` exits 0."""
    ended = subprocess.run(
        [*PROGRAM, "mcp"],
        env=surroundings(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")


def test_it_ends_within_two_seconds_of_its_input_with_a_request_running(home: Path, wire: Raw) -> None:
    """C-075: the request is told that the connection is closed."""
    wire.shake_hands()
    wire.ask(tool_call(1, "read_graph"))
    with locked(home):
        wire.send(tool_call(2, "create_entities", entities=[ENTITY]))
        wire.ask(request(3, "ping"))
        code, rest = wire.end(2)
    assert code == 0
    assert [each["id"] for each in rest] == [2]
    assert "error" in rest[0]


def test_requests_sent_before_the_end_of_input_are_answered(home: Path) -> None:
    """Whoever pipes a file of requests in gets all the answers."""
    with raw(home) as server:
        server.send(
            request(0, "initialize", **hello("2025-06-18")),
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            request(1, "tools/list"),
            tool_call(2, "create_entities", entities=[ENTITY]),
        )
        code, said = server.end(PATIENCE)
    assert code == 0
    assert {each["id"]: "result" in each for each in said} == {0: True, 1: True, 2: True}


def test_a_client_that_reads_no_answers_any_more_ends_it(home: Path) -> None:
    process = subprocess.Popen([*PROGRAM, "mcp"], env=surroundings(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.wait(PATIENCE) == 0


@POSIX
def test_it_dies_with_its_parent_though_its_input_stays_open(home: Path, tmp_path: Path) -> None:
    """C-075: kill -9 of the parent; gone in 5 seconds."""
    inward, held = os.pipe()
    parent = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(f"""
            import subprocess, sys, time
            child = subprocess.Popen([*{PROGRAM!r}, "mcp"], stdin={inward}, stdout=open({str(tmp_path / "out")!r}, "w"))
            print(child.pid, flush=True)
            time.sleep(600)
        """)],
        env=surroundings(home),
        pass_fds=[inward],
        stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    with parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        try:
            os.write(held, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
            wait_for(lambda: (tmp_path / "out").stat().st_size > 0, PATIENCE)
            parent.kill()
            wait_for(lambda: not running(server), 5)
        finally:
            parent.kill()
            if running(server):
                os.kill(server, signal.SIGKILL)
            os.close(held)
            os.close(inward)


def running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    status = Path(f"/proc/{pid}/stat")
    if Path("/proc/self").exists():
        return status.exists() and status.read_text().rpartition(")")[2].split()[0] not in {"Z", "X"}
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for(come: object, seconds: float) -> None:
    assert callable(come)
    end = time.monotonic() + seconds
    while not come():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


# ── its own trouble ──────────────────────────────────────────────────────────────────────────────────────────────────


@POSIX
def test_trouble_goes_to_a_file_for_the_owner_alone(home: Path, wire: Raw) -> None:
    """A store that cannot be opened is the caller's to know, in words; what the server logs, nobody else reads."""
    home.mkdir()
    (home / "memory.db").write_bytes(b"no database at all, whatever its name says" * 100)
    wire.shake_hands()
    result = wire.ask(tool_call(1, "read_graph"))["result"]
    assert result["isError"]
    assert "memory.db" in result["content"][0]["text"]
    (home / "memory.db").unlink()
    assert not wire.ask(tool_call(2, "read_graph"))["result"].get("isError"), "the next call tries again"
    wire.send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progress": "far"}})
    assert wire.ask(request(3, "ping"))["result"] == {}
    wait_for((home / "mcp.log").exists, PATIENCE)
    assert stat.S_IMODE((home / "mcp.log").stat().st_mode) == 0o600


@pytest.mark.parametrize(("beyond", "put_aside"), [(0, False), (1, True)])
def test_a_log_that_grew_long_is_put_aside_at_a_start(home: Path, beyond: int, put_aside: bool) -> None:
    from memory_fabric.doors.mcp.log import LARGEST

    home.mkdir()
    (home / "mcp.log").write_bytes(b"x" * (LARGEST + beyond))
    with raw(home) as server:
        server.shake_hands()
        assert (home / "mcp.log.old").exists() == put_aside
