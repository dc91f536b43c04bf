"""Run the very command that was written, once, as the client would run it (C-093)."""

from __future__ import annotations

import json
import os
import queue
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from memory_fabric import __version__
from memory_fabric.doors.hooks.log import calls

PROTOCOL = "2025-06-18"
"""A version of the protocol that every server of ours and every client in the table speaks."""

DEADLINE = 30.0
"""Seconds for a server's answer: what the slowest of the clients waits, Codex as we set it."""

ENDING = 5.0
"""Seconds to end after the input was closed: 2 are promised (C-075), the machine may be busy."""

TIMEOUT = 60.0
"""Seconds that Claude Code gives a hook without a timeout of its own (formats.md §2.2)."""

EVENT = "InstallTrial"
"""Hooks pass over an event that they do not know, so a trial neither reads nor writes a memory."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How one command did."""

    command: tuple[str, ...]
    ok: bool
    seconds: float
    detail: str


def run_server(
    words: Sequence[str], environment: Mapping[str, str], deadline: float = DEADLINE, ending: float = ENDING
) -> Trial:
    """Start an MCP server, shake hands, ask for its tools, and close its input.

    Args:
        words: program and arguments.
        environment: what the server sees, all of it.
        deadline: seconds for each answer.
        ending: seconds to end when its input is closed.
    """
    begun = time.monotonic()
    with tempfile.TemporaryFile() as complaints:
        try:
            process = subprocess.Popen(  # noqa: S603 - the command that was just written
                list(words), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=complaints, env=dict(environment)
            )
        except OSError as error:
            return Trial(tuple(words), False, time.monotonic() - begun, f"cannot be started: {error.strerror}")
        with process:
            try:
                ok, detail = _talk(process, deadline)
            except (OSError, ValueError) as error:
                ok, detail = False, f"it broke off: {error}"
            seconds = time.monotonic() - begun
            ended = _end(process, ending)
        if ok and not ended:
            ok, detail = False, "it did not end when its input was closed"
        return Trial(tuple(words), ok, seconds, detail if ok else f"{detail}{_last_line(complaints)}")


def _talk(process: subprocess.Popen[bytes], deadline: float) -> tuple[bool, str]:
    stdin, stdout = _pipes(process)
    answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_lines, args=(stdout, answers), daemon=True).start()
    client = {"name": "memory-fabric-install", "version": __version__}
    hello = {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client}
    _send(stdin, {"id": 1, "method": "initialize", "params": hello})
    server = _answer(answers, 1, deadline).get("serverInfo")
    name = server.get("name", "a server without a name") if isinstance(server, dict) else "no proper server"
    _send(stdin, {"method": "notifications/initialized"})
    _send(stdin, {"id": 2, "method": "tools/list", "params": {}})
    tools = _answer(answers, 2, deadline).get("tools")
    count = len(tools) if isinstance(tools, list) else 0
    return count > 0, f"{name} answers with {count} tools"


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    if process.stdin is None or process.stdout is None:
        raise ValueError("a process without pipes")
    return process.stdin, process.stdout


def _send(stream: IO[bytes], message: Mapping[str, Any]) -> None:
    stream.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    stream.flush()


def _read_lines(stream: IO[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    for line in stream:
        answers.put(line)
    answers.put(b"")


def _answer(answers: queue.SimpleQueue[bytes], number: int, deadline: float) -> Mapping[str, Any]:
    """The result of a request; what else the server says is passed over.

    Raises:
        ValueError: there is none in time, it is an error, or no JSON.
    """
    until = time.monotonic() + deadline
    while True:
        try:
            line = answers.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            raise ValueError(f"no answer within {deadline:g} s") from None
        if not line:
            raise ValueError("no answer, it has ended")
        message = json.loads(line)
        if isinstance(message, dict) and message.get("id") == number:
            if not isinstance(message.get("result"), dict):
                raise ValueError(f"an error in answer to request {number}: {message.get('error')}")
            result: Mapping[str, Any] = message["result"]
            return result


def _end(process: subprocess.Popen[bytes], deadline: float) -> bool:
    with suppress(OSError):  # it has gone already
        _pipes(process)[0].close()
    try:
        process.wait(deadline)
    except subprocess.TimeoutExpired:
        process.kill()
        return False
    return True


def run_hook(handler: Mapping[str, Any], environment: Mapping[str, str], home: Path) -> Trial:
    """Run a hook as Claude Code does: with a shell, or without one where ``args`` are given.

    An event goes in; exit code 0 and either silence or one JSON object are to come out, and the hook's own line in the
    log: a hook that cannot reach its memory also ends with 0.

    Args:
        handler: the entry in the settings: ``command``, ``timeout``, perhaps ``args``.
        environment: what the hook sees, all of it.
        home: the memory's folder, where the log is.
    """
    before = sum(fired.event == EVENT for fired in calls(home))
    words = [handler["command"], *handler["args"]] if "args" in handler else [*_shell(), handler["command"]]
    told = json.dumps({"hook_event_name": EVENT, "session_id": "", "transcript_path": "", "cwd": tempfile.gettempdir()})
    timeout = float(handler.get("timeout", TIMEOUT))
    begun = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - the command that was just written
            words,
            input=told.encode(),
            capture_output=True,
            timeout=timeout,
            env=dict(environment),
            check=False,
        )
    except subprocess.TimeoutExpired:
        ok, detail = False, f"did not end within its {timeout:g} s"
    except OSError as error:
        ok, detail = False, f"cannot be started: {error.strerror}"
    else:
        ok, detail = _judged(done)
        if ok and sum(fired.event == EVENT for fired in calls(home)) <= before:
            ok, detail = False, f"ends with exit code 0, but left no trace in {home / 'hooks'}"
    return Trial(tuple(words), ok, time.monotonic() - begun, detail)


def _shell() -> list[str]:
    """``sh``, on Windows Git Bash: what Claude Code takes for a command without ``args``."""
    return [shutil.which("bash") or "bash" if os.name == "nt" else "sh", "-c"]


def _judged(done: subprocess.CompletedProcess[bytes]) -> tuple[bool, str]:
    out = done.stdout.decode("utf-8", "replace").strip()
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        return False, f"ended with exit code {done.returncode}" + (f": {said}" if said else "")
    if out:
        try:
            if not isinstance(json.loads(out), dict):
                raise ValueError("no object")
        except ValueError:
            return False, f"printed what would end up in the conversation: {out[:80]!r}"
    return True, "ends with exit code 0"


def _last_line(complaints: IO[bytes]) -> str:
    complaints.seek(0)
    said = complaints.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
    return f" ({said})" if said else ""
