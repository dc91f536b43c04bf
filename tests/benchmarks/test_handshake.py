"""The benchmark of the server's start runs and says what it measured; no time is judged here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_it_tells_seconds_of_every_part(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    script = request.config.rootpath / "benchmarks" / "handshake.py"
    out = tmp_path / "out.json"
    subprocess.run(
        [sys.executable, str(script), "--n", "1", "--out", str(out)],
        check=True,
        capture_output=True,
        env={**os.environ, "MEMORY_FABRIC_EMBEDDER": "none"},
        timeout=120,
    )
    told = json.loads(out.read_text(encoding="utf-8"))
    assert (told["benchmark"], told["n"]) == ("handshake", 1)
    assert set(told["seconds"]) == {"handshake", "first_search", "second_search", "end"}
    assert all(quantiles["p50"] > 0 for quantiles in told["seconds"].values())
    assert told["python_seconds"] > 0
