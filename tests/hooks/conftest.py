"""A memory, a project, and hooks called as Claude Code calls them: as processes that read one JSON object."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory_fabric import Fabric, Settings
from memory_fabric.doors.hooks.log import calls

ENTRY = (sys.executable, "-m", "memory_fabric.doors.entry", "hook")
PATIENCE = 30.0
"""Seconds that a test waits for a process that works in the background."""

STARTING = frozenset({"Stop", "SubagentStop", "PreCompact"})


@dataclass(frozen=True)
class Done:
    """How one hook ended."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def context(self) -> str:
        """What was put into the context; "" for nothing."""
        return str(json.loads(self.out)["hookSpecificOutput"]["additionalContext"]) if self.out else ""


def wait_for(condition: Callable[[], Any], what: str) -> None:
    """Until the condition holds."""
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends, f"waited {PATIENCE} s for {what}"
        time.sleep(0.02)


@dataclass
class Hooks:
    """Claude Code, as far as hooks can tell."""

    home: Path
    project: Path
    started: int = 0
    """Workers that hooks have started."""

    def __call__(self, event: str, _raw: bytes | None = None, **fields: Any) -> Done:
        """One hook, told these fields over the usual ones; or these very bytes."""
        usual = {"session_id": "session-now", "cwd": str(self.project), "hook_event_name": event}
        told = json.dumps(usual | fields).encode() if _raw is None else _raw
        begun = time.monotonic()
        done = subprocess.run([*ENTRY, event], check=False, input=told, capture_output=True, timeout=PATIENCE)
        took = time.monotonic() - begun
        result = Done(done.returncode, done.stdout.decode(), done.stderr.decode(), took)
        self.started += event in STARTING and self.marked > self.started
        return result

    @property
    def marked(self) -> int:
        """Hooks that marked something and started a worker, as the log tells."""
        return sum(call.event in STARTING and call.outcome == "marked" for call in calls(self.home))

    @property
    def worked(self) -> int:
        """Workers that ended."""
        return sum(call.event == "worker" for call in calls(self.home))

    def settle(self, more: int = 0) -> None:
        """Until every worker that was started has ended; ``more`` of them by other hands."""
        wait_for(lambda: self.worked >= self.marked + more, "the worker")

    def ask(self, prompt: str, session: str = "session-now", **fields: Any) -> Done:
        return self("UserPromptSubmit", prompt=prompt, session_id=session, **fields)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the memory, which is not there yet."""
    folder = tmp_path / "memory"
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(folder))
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "none")
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository."""
    folder = tmp_path / "shop"
    (folder / ".git").mkdir(parents=True)
    return folder


@pytest.fixture
def hooks(home: Path, project: Path) -> Iterator[Hooks]:
    called = Hooks(home, project)
    yield called
    if os.environ.get("MEMORY_FABRIC_HOME") == str(home) and home.exists():
        called.settle()


def exchange(number: int, prompt: str, reply: str, *, session: str, cwd: str, day: str = "2026-05") -> list[str]:
    """Two lines of a transcript as Claude Code writes them."""
    stamp = f"{day}-{number:02d}T10:00:00.000Z"
    common = {"sessionId": session, "cwd": cwd, "isSidechain": False, "userType": "external", "version": "2.1.0"}
    ask = {
        **common,
        "type": "user",
        "uuid": f"{session}-u{number}",
        "parentUuid": f"{session}-a{number - 1}" if number > 1 else None,
        "timestamp": stamp,
        "message": {"role": "user", "content": prompt},
    }
    answer = {
        **common,
        "type": "assistant",
        "uuid": f"{session}-a{number}",
        "parentUuid": f"{session}-u{number}",
        "timestamp": stamp.replace("10:00", "10:01"),
        "message": {
            "role": "assistant",
            "id": f"msg-{session}-{number}",
            "model": "claude-opus-4-5",
            "content": [{"type": "text", "text": reply}],
            "usage": {"input_tokens": 10, "cache_read_input_tokens": 1000, "output_tokens": 20},
        },
    }
    return [json.dumps(ask), json.dumps(answer)]


Turns = Sequence[tuple[str, str]]


@pytest.fixture
def transcript(tmp_path: Path, project: Path) -> Callable[..., Path]:
    """Writes a transcript of some exchanges where Claude Code would, and gives its path."""

    def write(*turns: tuple[str, str], session: str = "session-old", cwd: Path = project, day: str = "2026-05") -> Path:
        path = tmp_path / "claude" / "projects" / cwd.name / f"{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [
            line
            for number, turn in enumerate(turns, 1)
            for line in exchange(number, *turn, session=session, cwd=str(cwd), day=day)
        ]
        path.write_text("\n".join([*lines, ""]), encoding="utf-8")
        return path

    return write


OTHERS = tuple((f"Please tidy module number {n} of the warehouse.", f"Tidied module {n}.") for n in range(60))
"""Exchanges that have nothing to do with the question, so that its words are rare."""

PORT = (
    "Which port does the payments gateway listen on behind Envoy?",
    "The payments gateway listens on port 8081, because the Envoy sidecar owns 8080.",
)
QUESTION = "On which port does the payments gateway listen behind the Envoy sidecar?"


@pytest.fixture
def remembering(home: Path, transcript: Callable[..., Path]) -> Path:
    """A memory of one session of the project, and a session about other things; gives its folder."""
    paths = [transcript(PORT, session="session-old"), transcript(*OTHERS, session="session-other")]
    with Fabric.open(Settings.load()) as fabric:
        fabric.ingest(paths)
    return home
