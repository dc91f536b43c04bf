"""Servers that tests start and end: ours over HTTP, ours over stdio, the official memory server from npm."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PEERS = ROOT / "tests" / "peers" / "node_modules"
INSPECTOR = PEERS / ".bin" / "inspector"
OFFICIAL = PEERS / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"

LEAST = {INSPECTOR: 20, OFFICIAL: 18}
"""Oldest Node.js that runs a peer (the inspector asks for 22.19; its command line runs on 20: tried)."""

START = "from memory_fabric.doors.cli import main; main()"
PROGRAM = (sys.executable, "-c", START)

_OURS = ("MEMORY_FABRIC_", "FABRIC_", "MEMORY_FILE_PATH")
"""Variables that would change what a server does."""


def missing(peer: Path) -> str | None:
    """Why a program from npm cannot be run here, or None."""
    version = node_version()
    if version is None:
        return "Node.js is not installed"
    if version < LEAST[peer]:
        return f"Node.js {version} is too old for {peer.name}: {LEAST[peer]} is needed"
    return None if peer.exists() else f"{peer.relative_to(ROOT)} is not there; scripts/test installs it"


@cache
def node_version() -> int | None:
    """The major version of the Node.js that is on PATH."""
    if shutil.which("node") is None:
        return None
    told = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.", told.stdout)
    return int(found[1]) if found else None


def environment(home: Path, embedder: str = "none") -> dict[str, str]:
    """For a server on the memory in this folder: no settings of the user's, and no model where none is asked for."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OURS)}
    return {**kept, "MEMORY_FABRIC_HOME": str(home), "MEMORY_FABRIC_EMBEDDER": embedder}


@dataclass(frozen=True)
class Serving:
    """Our server over HTTP."""

    url: str
    """Of the tools."""
    token: str
    process: subprocess.Popen[str]

    @property
    def root(self) -> str:
        """Without a path."""
        return self.url.removesuffix("/mcp")

    @property
    def bearer(self) -> dict[str, str]:
        """The header that shows the token."""
        return {"Authorization": f"Bearer {self.token}"}


@contextmanager
def serving(
    home: Path,
    *words: str,
    program: tuple[str, ...] = PROGRAM,
    umask: int = -1,
    embedder: str = "none",
) -> Iterator[Serving]:
    """``memory-fabric serve`` on a free port while the block runs."""
    process = subprocess.Popen(
        [*program, "serve", "--port", "0", "--json", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment(home, embedder),
        umask=umask,
    )
    with ended(process):
        told = json.loads(first_line(process))
        token = Path(told["token_file"]).read_text(encoding="ascii").strip()
        yield Serving(told["url"], token, process)


def first_line(process: subprocess.Popen[str]) -> str:
    """What a process says first; one that says nothing for a minute is killed."""
    assert process.stdout is not None
    patience = threading.Timer(60, process.kill)
    patience.start()
    try:
        line = process.stdout.readline()
    finally:
        patience.cancel()
    assert line, f"it said nothing and ended with {process.wait()}"
    return line


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """Whatever happens, the process is gone after the block."""
    try:
        yield
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
