"""The program as a process: streams, exit codes, encodings, what it loads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

MAIN = "from memory_fabric.doors.cli import main; main()"
HEAVY = ("numpy", "onnxruntime", "tokenizers", "rich", "watchfiles", "backports.zstd")


def start(*words: str, **environment: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **environment},
    )


def test_answers_notes_and_errors_take_their_own_ways(remembering: Path) -> None:
    found = start("search", "pagination")
    out, err = found.communicate()
    assert found.returncode == 0
    assert out.startswith(b" 1. 0.")
    assert err == b"note: not inside a project: searched all projects\n"
    assert b"\x1b" not in out
    wrong = start("search", "--mode", "magic")
    out, err = wrong.communicate()
    assert (wrong.returncode, out) == (2, b"")
    assert err.startswith(b"error: ")


def test_output_is_utf_8_whatever_the_locale(remembering: Path) -> None:
    found = start(
        "search",
        "--project",
        "web-shop",
        "--since",
        "2026-08-01",
        "--before",
        "2026-08-30",
        LC_ALL="C",
        PYTHONUTF8="0",
        PYTHONCOERCECLOCALE="0",
        PYTHONIOENCODING="ascii",
    )
    out, err = found.communicate()
    assert (found.returncode, err) == (0, b"")
    assert "消費税" in out.decode("utf-8")


@pytest.mark.skipif(os.name == "nt", reason="pipes close otherwise there")
def test_a_reader_that_goes_away_early_ends_it_quietly(remembering: Path) -> None:
    """``memory-fabric export | head``."""
    process = start("export")
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.read(20) == b'{"type": "memory-fab'
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_a_search_by_words_loads_nothing_heavy(remembering: Path) -> None:
    """The budget of a whole process is spent on imports."""
    code = (
        "import sys; from memory_fabric.doors.cli import call; "
        "code = call('search', 'pagination', '--all', '--mode', 'text'); "
        f"print(code, sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stderr.decode().strip() == "0 []"
