"""The MCP server as a process: from its start to the answered handshake, and from there to its first search.

    python benchmarks/handshake.py [--home DIR] [--n 20] [--out FILE]

Budgets (design §6): the handshake in less than 1.5 s, the first search less than 1 s later.  ``--home`` is a memory to
search (default: the packaged sample, read into a folder for temporary files, with vectors).  Prints one JSON object;
beside the seconds stand those of a bare ``python -c pass`` of the same minutes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import memory_fabric
from memory_fabric import Fabric, Settings
from run import MAIN, QUESTION, machine, quantiles, rounded

HELLO = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
SEARCH = {"name": "search_memory", "arguments": {"query": QUESTION, "project": "all"}}


def started(home: Path) -> dict[str, float]:
    """Seconds of one server: to the handshake, from there to the first search, of the second, and to its end."""
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, "mcp", "--home", str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with process:
        marks = [began]
        for number, (method, params) in enumerate(
            (("initialize", HELLO), ("tools/call", SEARCH), ("tools/call", SEARCH)), 1
        ):
            ask(process, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            marks.append(time.perf_counter())
        assert process.stdin is not None
        process.stdin.close()
        process.wait()
        marks.append(time.perf_counter())
    names = ("handshake", "first_search", "second_search", "end")
    return {name: after - before for name, (before, after) in zip(names, itertools.pairwise(marks), strict=True)}


def ask(process: subprocess.Popen[bytes], request: dict[str, Any]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request).encode() + b"\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    if "error" in answer or answer["result"].get("isError"):
        raise SystemExit(f"the server refused: {answer}")


def bare() -> float:
    """Seconds of a Python that does nothing."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True)
    return time.perf_counter() - began


def measure(home: Path, count: int) -> dict[str, Any]:
    """Quantiles over that many servers, one after the other."""
    runs, pythons = [], []
    for _ in range(count):
        pythons.append(bare())
        runs.append(started(home))
    return {
        "benchmark": "handshake",
        "version": memory_fabric.__version__,
        "n": count,
        "seconds": {name: quantiles([run[name] for run in runs]) for name in runs[0]},
        "python_seconds": rounded(min(pythons)),
        "machine": machine(),
    }


def sample_in(folder: Path) -> Path:
    """A memory of the packaged sample, with vectors."""
    with Fabric.open(Settings.load({}, home=folder)) as fabric:
        fabric.ingest([Path(memory_fabric.__file__).parent / "sample" / "home"])
        fabric.embed()
    return folder


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--n", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    os.environ.pop("MEMORY_FILE_PATH", None)
    with tempfile.TemporaryDirectory(prefix="memory-fabric-bench-") as folder:
        result = measure(options.home or sample_in(Path(folder)), options.n)
    text = json.dumps(result, indent=2)
    if options.out:
        options.out.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
