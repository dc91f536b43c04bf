"""Hooks as processes: exit code 0, in time, and nothing on stdout but what is documented, whatever happens."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from tests.hooks.conftest import ENTRY, PATIENCE, QUESTION, Hooks

from memory_fabric import Fabric, Settings
from memory_fabric.doors.hooks.event import EVENTS
from memory_fabric.doors.hooks.log import calls, last_fired
from memory_fabric.doors.hooks.run import DEADLINE, DEADLINES

STARTUP = 1.5
"""Seconds beyond its deadline in which a process must have ended: a busy machine starts Python slowly."""


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize(
    "told", [b"", b"{", b"null", b"[]", b'{"hook_event_name":5}', b"x" * 5_000_000], ids=lambda told: repr(told[:24])
)
def test_any_input_ends_well_and_silently(hooks: Hooks, event: str, told: bytes) -> None:
    """C-089."""
    done = hooks(event, told)
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "Stop"])
def test_a_pipe_that_nobody_closes_does_not_hold_it(hooks: Hooks, event: str) -> None:
    """C-089, C-095."""
    process = subprocess.Popen([*ENTRY, event], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b'{"session_id": "s')
    process.stdin.flush()
    assert process.wait(DEADLINES.get(event, DEADLINE) + STARTUP) == 0
    out, err = process.communicate()
    assert (out, err) == (b"", b"")


def test_no_input_at_all_is_answered_from_the_environment(
    hooks: Hooks, remembering: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C-091: ``</dev/null``."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "session-env")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(hooks.project))
    done = hooks("SessionStart", b"")
    assert done.code == 0
    assert "payments gateway" in done.context


def test_an_event_that_is_not_ours_is_passed_over_and_logged(hooks: Hooks, remembering: Path) -> None:
    done = hooks("PostToolUse", prompt=QUESTION)
    assert (done.code, done.out) == (0, "")
    assert last_fired(hooks.home)["PostToolUse"].reason == "unknown event"


def test_no_event_at_all_ends_well(hooks: Hooks) -> None:
    done = subprocess.run([*ENTRY], check=False, input=b"{}", capture_output=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("event", EVENTS)
def test_a_data_folder_that_cannot_be_written_is_no_fault_of_the_session(
    hooks: Hooks, event: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C-087."""
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(tmp_path / "file" / "memory"))
    done = hooks(event, prompt=QUESTION)
    assert (done.code, done.out, done.err) == (0, "", "")


@pytest.mark.parametrize("event", EVENTS)
def test_a_damaged_store_is_no_fault_of_the_session(hooks: Hooks, event: str) -> None:
    """C-087."""
    hooks.home.mkdir()
    (hooks.home / "memory.db").write_bytes(b"this is no database, whatever its name says")
    done = hooks(event, prompt=QUESTION)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_settings_that_cannot_be_read_are_logged(hooks: Hooks, remembering: Path) -> None:
    (remembering / "config.toml").write_text("nonsense = 1")
    done = hooks.ask(QUESTION)
    assert (done.code, done.out) == (0, "")
    assert last_fired(remembering)["UserPromptSubmit"].outcome == "failed"
    assert "nonsense" in last_fired(remembering)["UserPromptSubmit"].reason


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"])
def test_a_locked_store_does_not_hold_it(hooks: Hooks, remembering: Path, event: str) -> None:
    """C-095: another process holds the database for longer than any hook lives."""
    code = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('PRAGMA journal_mode = DELETE'); c.execute('BEGIN EXCLUSIVE'); print('held', flush=True);"
        "sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, str(remembering / "memory.db")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        done = hooks(event, prompt=QUESTION)
        assert (done.code, done.out, done.err) == (0, "", "")
        assert done.seconds < DEADLINES.get(event, DEADLINE) + STARTUP
    finally:
        holder.communicate(b"")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize(("event", "name"), [("UserPromptSubmit", "config.toml"), ("SessionStart", "config.toml")])
def test_what_hangs_is_ended_by_the_hooks_own_deadline(hooks: Hooks, remembering: Path, event: str, name: str) -> None:
    """C-095: a file that never answers, as on a disk that has gone."""
    os.mkfifo(remembering / name)
    done = hooks(event, prompt=QUESTION)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert done.seconds < DEADLINES.get(event, DEADLINE) + STARTUP
    assert last_fired(remembering)[event].outcome == "late"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_log_that_hangs_does_not_hold_it_either(hooks: Hooks, remembering: Path) -> None:
    """C-095."""
    (remembering / "hooks").mkdir()
    os.mkfifo(remembering / "hooks" / "log.jsonl")
    done = hooks("SessionEnd", transcript_path="/nowhere/x.jsonl")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert done.seconds < DEADLINE + STARTUP
    (remembering / "hooks" / "log.jsonl").unlink()


def test_no_hook_makes_a_memory(hooks: Hooks) -> None:
    """Only the ingest in the background does."""
    for event in ("SessionStart", "UserPromptSubmit", "SessionEnd"):
        assert hooks(event, prompt=QUESTION).out == ""
    assert not (hooks.home / "memory.db").exists()


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "PreCompact", "SessionEnd"])
def test_what_only_captures_prints_nothing(hooks: Hooks, remembering: Path, event: str) -> None:
    """C-088: twice, the second time with ``stop_hook_active``."""
    for active in (False, True):
        done = hooks(event, stop_hook_active=active, transcript_path="/nowhere/session-now.jsonl", reason="clear")
        assert (done.code, done.out, done.err) == (0, "", "")


def documented(event: str, out: str) -> None:
    """Whether stdout holds nothing, or one object of documented keys (formats.md §2.2)."""
    if not out:
        return
    assert event in {"SessionStart", "UserPromptSubmit"}
    answer = json.loads(out)
    assert answer.keys() == {"suppressOutput", "hookSpecificOutput"}
    assert answer["suppressOutput"] is True
    assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
    assert answer["hookSpecificOutput"]["hookEventName"] == event
    assert len(out) <= 8_000


@pytest.mark.parametrize("event", EVENTS)
def test_only_documented_keys_are_printed_when_there_is_something_to_say(
    hooks: Hooks, remembering: Path, event: str
) -> None:
    """C-097: hit."""
    done = hooks(event, prompt=QUESTION, source="startup")
    assert done.code == 0
    assert bool(done.out) == (event in {"SessionStart", "UserPromptSubmit"})
    documented(event, done.out)


@pytest.mark.parametrize("event", EVENTS)
def test_nothing_is_printed_when_there_is_nothing_to_say(
    hooks: Hooks, remembering: Path, tmp_path: Path, event: str
) -> None:
    """C-097: empty, in another project; C-148."""
    (tmp_path / "other" / ".git").mkdir(parents=True)
    done = hooks(event, prompt=QUESTION, cwd=str(tmp_path / "other"))
    assert (done.code, done.out) == (0, "")


@pytest.mark.parametrize("event", EVENTS)
def test_nothing_is_printed_when_something_fails(hooks: Hooks, remembering: Path, event: str) -> None:
    """C-097: error."""
    with sqlite3.connect(remembering / "memory.db") as connection:
        connection.execute("DROP TABLE memories")
    connection.close()
    done = hooks(event, prompt=QUESTION)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_output_is_utf_8_whatever_the_locale(hooks: Hooks, remembering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}.items():
        monkeypatch.setenv(name, value)
    done = hooks.ask(QUESTION)
    assert "“" in done.context


@pytest.mark.skipif(os.name == "nt", reason="pipes close otherwise there")
def test_a_reader_that_has_gone_is_no_error(hooks: Hooks, remembering: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    told = json.dumps({"session_id": "s-1", "cwd": str(hooks.project), "prompt": QUESTION}).encode()
    done = subprocess.run([*ENTRY, "UserPromptSubmit"], check=False, input=told, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(os.name == "nt", reason="interrupts are sent otherwise there")
def test_an_interrupt_ends_it_well(hooks: Hooks) -> None:
    """Ctrl-C reaches every process of the terminal."""
    process = subprocess.Popen([*ENTRY, "Stop"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    process.stdin.write(b"{")
    process.stdin.flush()
    while not reads_stdin(process.pid):
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out, err) == (0, b"", b"")


def reads_stdin(pid: int) -> bool:
    """Whether the thread that reads standard input runs: Python is up, and our own code has begun."""
    tasks = Path(f"/proc/{pid}/task")
    return not tasks.exists() or len(list(tasks.iterdir())) > 3


def test_the_command_of_the_program_does_the_same(hooks: Hooks, remembering: Path) -> None:
    """``memory-fabric hook``, as its help and its documentation have it."""
    told = json.dumps({"session_id": "s-2", "cwd": str(hooks.project), "prompt": QUESTION}).encode()
    main = [sys.executable, "-c", "from memory_fabric.doors.cli import main; main()"]
    done = subprocess.run([*main, "hook", "UserPromptSubmit"], check=False, input=told, capture_output=True)
    assert done.returncode == 0
    documented("UserPromptSubmit", done.stdout.decode())
    assert b"8081" in done.stdout


def test_another_folder_may_be_named(hooks: Hooks, remembering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(remembering.parent / "elsewhere"))
    for session, words in (("s-3", ["--home", str(remembering)]), ("s-4", [f"--home={remembering}"])):
        told = json.dumps({"session_id": session, "cwd": str(hooks.project), "prompt": QUESTION}).encode()
        done = subprocess.run([*ENTRY, "UserPromptSubmit", *words], check=False, input=told, capture_output=True)
        assert b"8081" in done.stdout


def test_everything_else_goes_to_the_command_line(home: Path) -> None:
    program = [sys.executable, "-m", "memory_fabric.doors.entry"]
    assert subprocess.run([*program, "--version"], check=False, capture_output=True).stdout.strip()
    helped = subprocess.run([*program, "hook", "--help"], check=False, capture_output=True)
    assert helped.returncode == 0
    assert b"EVENT" in helped.stdout


def test_what_was_said_is_not_in_the_log(hooks: Hooks, remembering: Path) -> None:
    hooks.ask(QUESTION)
    text = (remembering / "hooks" / "log.jsonl").read_text(encoding="utf-8")
    assert "gateway" not in text
    (call,) = calls(remembering)
    assert (call.event, call.outcome, call.items) == ("UserPromptSubmit", "said", 1)
    assert call.milliseconds > 0


def test_a_store_of_the_tests_answers_by_itself(remembering: Path) -> None:
    """What the tests above rely on: the question is about the one session, not about the other."""
    with Fabric.open(Settings.load(), read_only=True) as fabric:
        assert fabric.search(QUESTION).results[0].candidate.memory.origin.session == "session-old"
