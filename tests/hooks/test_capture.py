"""Capture: a hook marks and goes, the transcript is read elsewhere, and nothing marked is lost (F-HOOK-2, -3, -13)."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.hooks.conftest import ENTRY, OTHERS, PATIENCE, PORT, Hooks, wait_for

from memory_fabric import Fabric, Scope, Settings
from memory_fabric.doors.hooks import worker
from memory_fabric.doors.hooks.event import Event
from memory_fabric.doors.hooks.lock import held
from memory_fabric.doors.hooks.log import last_fired
from memory_fabric.doors.hooks.marks import DUE, OPEN, TAKEN, Mark, Marks, mark_of
from memory_fabric.doors.hooks.worker import NOTHING, transcripts_of, work

Transcript = Callable[..., Path]


def mark(path: Path | str, session: str = "session-old", event: str = "Stop", hours: float = 0.0) -> Mark:
    first = datetime.now(UTC) - timedelta(hours=hours)
    return Mark(event, session, str(path), first.isoformat())


def remembered() -> int:
    with Fabric.open(Settings.load(), read_only=True) as fabric:
        return fabric.store.count()


def states(home: Path) -> list[str]:
    return sorted(path.suffix for path in (home / "hooks" / "marks").iterdir() if path.name[0] != ".")


# ── hooks ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("event", ["Stop", "SubagentStop", "PreCompact"])
def test_a_transcript_is_read_after_the_hook_has_gone(hooks: Hooks, transcript: Transcript, event: str) -> None:
    """F-HOOK-2, C-094: the hook only marks."""
    path = transcript(PORT)
    done = hooks(event, session_id="session-old", transcript_path=str(path), agent_transcript_path=str(path))
    assert (done.code, done.out) == (0, "")
    hooks.settle()
    assert remembered() == 1
    assert last_fired(hooks.home)["worker"].items == 1


def test_a_session_that_ends_is_only_marked(hooks: Hooks, transcript: Transcript) -> None:
    """C-099."""
    path = transcript(PORT)
    assert hooks("SessionEnd", session_id="session-old", transcript_path=str(path), reason="clear").out == ""
    assert states(hooks.home) == [DUE]
    assert not (hooks.home / "memory.db").exists()


def test_what_was_marked_is_caught_up_at_the_next_start(hooks: Hooks, transcript: Transcript) -> None:
    """C-099, F-HOOK-13."""
    hooks("SessionEnd", session_id="session-old", transcript_path=str(transcript(PORT)))
    assert hooks("SessionStart", source="startup").out == ""
    wait_for(lambda: hooks.worked == 1, "the worker")
    assert remembered() == 1
    assert states(hooks.home) == [OPEN], "the session that has just begun"


@pytest.mark.skipif(os.name == "nt", reason="kills are sent otherwise there")
def test_a_session_whose_end_was_killed_is_caught_up_all_the_same(hooks: Hooks, transcript: Transcript) -> None:
    """C-099: SIGKILL the SessionEnd hook, before it could mark anything; its start was noted."""
    path = transcript(PORT)
    hooks("SessionStart", session_id="session-old", transcript_path=str(path), source="startup")
    process = subprocess.Popen([*ENTRY, "SessionEnd"], stdin=subprocess.PIPE)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    hooks("SessionStart", source="startup")
    wait_for(lambda: hooks.worked == 1, "the worker")
    assert remembered() == 1


def test_a_session_that_only_began_is_not_read_by_its_own_start(hooks: Hooks, transcript: Transcript) -> None:
    for _ in range(2):
        hooks("SessionStart", transcript_path=str(transcript(PORT, session="session-now")), source="resume")
    assert states(hooks.home) == [OPEN]
    assert hooks.worked == 0


def test_a_session_that_nobody_wrote_in_leaves_nothing(hooks: Hooks, tmp_path: Path) -> None:
    """Started and left: no transcript was ever made, and that is no failure."""
    hooks("SessionStart", session_id="session-empty", transcript_path=str(tmp_path / "none.jsonl"), source="startup")
    hooks("SessionStart", session_id="session-next", transcript_path=str(tmp_path / "next.jsonl"), source="startup")
    wait_for(lambda: hooks.worked == 1, "the worker")
    assert [each.session for each in Marks(hooks.home).waiting()] == []
    assert last_fired(hooks.home)["worker"].reason == ""


def test_a_stop_without_a_session_marks_nothing(hooks: Hooks) -> None:
    done = hooks("Stop", b"{}")
    assert (done.code, done.out) == (0, "")
    assert last_fired(hooks.home)["Stop"].reason == "no session named"


@pytest.mark.skipif(os.name == "nt", reason="no modes there")
def test_nobody_else_reads_marks(hooks: Hooks, transcript: Transcript) -> None:
    """C-117."""
    hooks("SessionEnd", transcript_path=str(transcript(PORT)))
    for path in (hooks.home / "hooks").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc here")
def test_the_worker_holds_nothing_of_the_hook(hooks: Hooks, transcript: Transcript, tmp_path: Path) -> None:
    """C-095: a session and files of its own, while it waits for another worker."""
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    with held(hooks.home / "hooks" / "work.lock") as mine:
        assert mine
        told = json.dumps({"session_id": "session-old", "transcript_path": str(transcript(PORT))}).encode()
        done = subprocess.run([*ENTRY, "Stop"], check=False, input=told, capture_output=True, pass_fds=[writing])
        assert (done.returncode, done.stdout) == (0, b"")
        wait_for(lambda: not free(hooks.home / "hooks" / "next.lock"), "the worker to wait")
        (pid,) = [pid for pid in processes() if is_worker(pid, hooks.home)]
        assert os.getsid(pid) == os.getpgid(pid) == pid
        opened = {str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()}
        assert opened == {"/dev/null", *(str(hooks.home / "hooks" / name) for name in ("next.lock", "work.lock"))}
    os.close(writing)
    assert os.read(reading, 1) == b"", "nobody else holds the pipe"
    os.close(reading)
    hooks.settle()
    assert remembered() == 1


def free(path: Path) -> bool:
    with held(path) as mine:
        return mine


def processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def is_worker(pid: int, home: Path) -> bool:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"memory_fabric.doors.hooks.worker" in words and str(home).encode() in words


def test_workers_do_not_get_the_agents_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """C-117: an allow-list."""
    from memory_fabric.doors.hooks import detach

    names = (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "AWS_SECRET_ACCESS_KEY",
        "MEM0_API_KEY",
        "PATH",
        "MEMORY_FABRIC_HOME",
    )
    assert [name for name in names if detach._is_passed_on(name)] == ["PATH", "MEMORY_FABRIC_HOME"]


# ── the worker ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_mark_goes_only_when_its_transcript_is_stored(home: Path, transcript: Transcript, tmp_path: Path) -> None:
    """F-HOOK-3."""
    marks = Marks(home)
    broken = tmp_path / "session-broken.jsonl"
    broken.write_text("this is no transcript\n")
    marks.leave(mark(transcript(PORT)))
    marks.leave(mark(broken, "session-broken"))
    marks.leave(mark(tmp_path / "session-gone.jsonl", "session-gone"))
    assert work(home) == (1, 2)
    assert {each.session: each.reason for each in marks.waiting()} == {
        "session-broken": "it is no transcript",
        "session-gone": NOTHING,
    }
    assert remembered() == 1
    assert work(home) == (0, 2), "what failed is tried again"


def test_a_session_that_may_go_on_stays_open_until_it_ends(home: Path, transcript: Transcript) -> None:
    marks = Marks(home)
    marks.leave(mark(transcript(PORT)))
    work(home)
    assert states(home) == [OPEN]
    marks.leave(mark(transcript(PORT, *OTHERS[:1]), event="SessionEnd"))
    assert work(home) == (1, 0)
    assert states(home) == []
    assert remembered() == 2


def test_a_mark_left_while_its_transcript_is_read_stays(home: Path, transcript: Transcript) -> None:
    """F-HOOK-3: a hook that fires during the ingest is not lost; the same run reads again."""
    marks = Marks(home)
    first = mark(transcript(PORT))
    marks.leave(first)
    seen = []
    for taken in marks.take():
        seen.append(taken.transcript)
        if len(seen) == 1:
            marks.leave(first)
        marks.done(taken)
    assert len(seen) == 2


@pytest.mark.skipif(os.name == "nt", reason="kills are sent otherwise there")
def test_what_a_killed_worker_had_taken_is_taken_up(home: Path, transcript: Transcript) -> None:
    """F-HOOK-13, C-130: at once, and without asking whether its process lives."""
    marks = Marks(home)
    marks.leave(mark(transcript(PORT)))
    (taken,) = [next(marks.take())]
    assert states(home) == [TAKEN]
    assert marks.take_up("session-now"), "a start sees it"
    assert work(home) == (1, 0)
    assert taken.session == "session-old"
    assert remembered() == 1


def test_a_killed_worker_leaves_no_lock_behind(home: Path, transcript: Transcript) -> None:
    """C-130: a worker is killed while it works; the next one proceeds at once."""
    code = (
        "import sys; from pathlib import Path; from memory_fabric.doors.hooks.lock import held\n"
        "with held(Path(sys.argv[1])) as mine:\n    print(mine, flush=True); sys.stdin.read()"
    )
    lock = home / "hooks" / "work.lock"
    holder = subprocess.Popen([sys.executable, "-c", code, str(lock)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert holder.stdout is not None
    assert holder.stdout.readline().strip() == b"True"
    Marks(home).leave(mark(transcript(PORT)))
    holder.kill()
    holder.communicate()
    assert (
        subprocess.run(
            [sys.executable, "-m", "memory_fabric.doors.hooks.worker", "--home", str(home)], check=False
        ).returncode
        == 0
    )
    assert remembered() == 1


@pytest.mark.parametrize(("hours", "archived"), [(23.9, 0), (24.1, 1)])
def test_a_mark_that_fails_for_a_day_is_archived(home: Path, tmp_path: Path, hours: float, archived: int) -> None:
    """F-HOOK-13."""
    marks = Marks(home)
    marks.leave(mark(tmp_path / "session-gone.jsonl", "session-gone", hours=hours))
    assert work(home) == (0, 1)
    assert [each.reason for each in marks.archived()] == [NOTHING] * archived
    assert len(marks.waiting()) == 1 - archived
    assert work(home) == (0, 1 - archived)


@pytest.mark.parametrize(("days", "kept"), [(29.9, 1), (30.1, 0)])
def test_archived_marks_go_after_a_month(home: Path, tmp_path: Path, days: float, kept: int) -> None:
    marks = Marks(home)
    marks.leave(mark(tmp_path / "session-gone.jsonl", "session-gone", hours=24 * days))
    assert work(home) == (0, 1)
    assert len(marks.archived()) == kept
    assert len(list(marks.folder.iterdir())) == kept


def test_a_transcript_that_meets_a_fault_of_ours_holds_nobody_up(
    home: Path, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F-HOOK-13: it fails like any other, is tried again, and doctor shows it in a day."""
    real = Fabric.ingest
    bad, good = transcript(PORT, session="session-bad"), transcript(*OTHERS[:1], session="session-good")

    def ingest(fabric: Fabric, paths: list[Path]) -> object:
        if paths[0] == bad:
            raise ZeroDivisionError("a fault")
        return real(fabric, paths)

    monkeypatch.setattr(Fabric, "ingest", ingest)
    marks = Marks(home)
    marks.leave(mark(bad, "session-bad", hours=1))
    marks.leave(mark(good, "session-good"))
    assert work(home) == (1, 1)
    assert [(each.session, each.reason) for each in marks.waiting()] == [("session-bad", "ZeroDivisionError: a fault")]
    assert remembered() == 1


def test_since_when_a_mark_waits_is_kept_when_it_is_left_again(home: Path, tmp_path: Path) -> None:
    marks = Marks(home)
    old = mark(tmp_path / "session-gone.jsonl", "session-gone", hours=20)
    marks.leave(old)
    (taken,) = [next(marks.take())]
    marks.leave(replace(old, first=datetime.now(UTC).isoformat()))
    marks.failed(taken, "locked")
    assert [(each.first, each.reason) for each in marks.waiting()] == [(old.first, "locked")]


def test_a_wrong_path_is_found_by_the_session(home: Path, clean_environment: Path, transcript: Transcript) -> None:
    """formats.md §2.1: ``transcript_path`` has pointed elsewhere."""
    session = "11111111-1111-4111-8111-111111111111"
    right = clean_environment / ".claude" / "projects" / "-work-shop" / f"{session}.jsonl"
    right.parent.mkdir(parents=True)
    right.write_bytes(transcript(PORT, session=session).read_bytes())
    wrong = transcript(*OTHERS[:1], session="session-other")
    for told in ("/nowhere/x.jsonl", "", str(wrong)):
        Marks(home).leave(mark(told, session, event="SessionEnd"))
        assert work(home) == (1, 0)
    assert remembered() == 1


@pytest.mark.parametrize(
    "session", ["*", "..", "a/b", "", "[a-z]*", "short", "../../etc/passwd", "/etc/passwd", "C:.."]
)
def test_a_session_that_is_no_id_is_not_looked_for(tmp_path: Path, session: str) -> None:
    """C-113: nothing that a client says leads out of the folders where transcripts are."""
    (tmp_path / "anything.jsonl").write_text("{}")
    assert transcripts_of(mark("/nowhere.jsonl", session), [tmp_path]) == []


def test_what_subagents_said_is_read_too(home: Path, transcript: Transcript) -> None:
    path = transcript(PORT)
    beside = path.with_suffix("") / "subagents" / "agent-1.jsonl"
    beside.parent.mkdir(parents=True)
    beside.write_text("")
    assert transcripts_of(mark(path), []) == [path, path.with_suffix("")]


def test_a_subagent_is_marked_by_its_own_transcript() -> None:
    event = Event("SubagentStop", "s-1", "/t/s-1.jsonl", "/w", agent="a", agent_transcript="/t/agent-a.jsonl")
    found = mark_of(event)
    assert found is not None
    assert (found.session, found.transcript) == ("", "/t/agent-a.jsonl")
    assert found.key != Mark("Stop", "s-1", "/t/s-1.jsonl", "").key


def test_one_works_one_waits_and_more_go(home: Path, transcript: Transcript) -> None:
    """At most one ingest of hooks at a time for a memory; who waits reads what was marked meanwhile."""
    Marks(home).leave(mark(transcript(PORT)))
    with held(home / "hooks" / "next.lock") as mine:
        assert mine
        assert worker.main(["--home", str(home)]) == 0
    assert [each.session for each in Marks(home).waiting()] == ["session-old"]
    assert last_fired(home)["worker"].outcome == "silent"
    assert worker.main(["--home", str(home)]) == 0
    assert Marks(home).waiting() == []


def test_settings_that_cannot_be_used_are_logged_and_every_mark_stays(home: Path, transcript: Transcript) -> None:
    Marks(home).leave(mark(transcript(PORT)))
    (home / "config.toml").write_text("nonsense = 1")
    assert worker.main(["--home", str(home)]) == 1
    assert last_fired(home)["worker"].outcome == "failed"
    assert len(Marks(home).waiting()) == 1


@pytest.mark.parametrize("embed", [False, True])
def test_vectors_are_made_at_a_start_only(
    home: Path, transcript: Transcript, monkeypatch: pytest.MonkeyPatch, embed: bool
) -> None:
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "hashed")
    Marks(home).leave(mark(transcript(PORT)))
    work(home, embed=embed)
    with Fabric.open(Settings.load(), read_only=True) as fabric:
        assert fabric.pending() == (0 if embed else 1)


def test_many_missing_vectors_are_left_to_an_ingest(
    home: Path, transcript: Transcript, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "hashed")
    monkeypatch.setattr(worker, "EMBEDDED", 4)
    Marks(home).leave(mark(transcript(*OTHERS[:5])))
    work(home, embed=True)
    with Fabric.open(Settings.load(), read_only=True) as fabric:
        assert fabric.pending() == 5


# ── compaction ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_what_was_reached_is_put_back_after_compaction(hooks: Hooks, transcript: Transcript) -> None:
    """F-HOOK-21."""
    path = transcript(
        ("We decided to use PostgreSQL over MongoDB because orders need transactions.", "PostgreSQL it is."),
        ("The nightly export fails with a timeout error in the billing job.", "I look into the billing job."),
        session="session-now",
    )
    hooks("PreCompact", transcript_path=str(path), trigger="auto", custom_instructions=None)
    hooks.settle()
    done = hooks("SessionStart", source="compact", transcript_path=str(path))
    assert "## Decided before compaction\n- [" in done.context
    assert "this session] We decided to use PostgreSQL" in done.context
    assert "## Last asked before compaction" in done.context
    again = hooks("SessionStart", source="resume", transcript_path=str(path))
    assert again.out == "", "once"
    other = hooks("SessionStart", source="compact", session_id="session-else")
    assert "before compaction" not in other.context


def test_a_manifest_is_bounded_and_of_one_session(home: Path, transcript: Transcript) -> None:
    """F-HOOK-21: at most five decisions and twenty files."""
    from memory_fabric.doors.hooks import manifest

    words = "alpha beta gamma delta epsilon zeta eta theta".split()
    turns = [(f"We decided to use {word}db over sqlite because {word} is faster for us.", "Fine.") for word in words]
    with Fabric.open(Settings.load()) as fabric:
        fabric.ingest([transcript(*turns), transcript(PORT, session="session-other")])
        assert manifest.save(home, fabric, "session-old")
        assert not manifest.save(home, fabric, "session-unknown")
    saved = json.loads((home / "hooks" / "compacted" / "session-old.json").read_text())
    assert saved.keys() == {"sessionId", "compactedAt", "keyDecisions", "filesTouched", "blockers", "nextSteps"}
    assert len(saved["keyDecisions"]) <= manifest.DECISIONS
    assert len(saved["nextSteps"]) == manifest.STEPS
    assert "Envoy" not in json.dumps(saved)


@pytest.mark.parametrize("text", ["", "{", "null", "[]", '{"keyDecisions": 5}', '{"keyDecisions": [5, null, ""]}'])
def test_a_damaged_manifest_counts_as_none(home: Path, text: str) -> None:
    from memory_fabric.doors.hooks.manifest import restored

    path = home / "hooks" / "compacted" / "session-old.json"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert restored(home, "session-old") == []


# ── end to end ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_from_a_prompt_to_its_recall_and_not_back_again(hooks: Hooks, transcript: Transcript) -> None:
    """F-HOOK-5, F-HOOK-6, C-109: one writer, one path; without any server's instructions."""
    first = transcript(*OTHERS, PORT, session="session-one")
    hooks("Stop", session_id="session-one", transcript_path=str(first))
    hooks.settle()
    before = remembered()
    recalled = hooks.ask("On which port does the payments gateway listen behind the Envoy sidecar?", "session-two")
    assert "8081" in recalled.context

    second = transcript(("Thanks. Please write that into the runbook.", "Written."), session="session-two")
    lines = second.read_text(encoding="utf-8").splitlines()
    attachment = {
        "type": "attachment",
        "uuid": "session-two-h1",
        "parentUuid": None,
        "sessionId": "session-two",
        "timestamp": "2026-06-01T09:59:59.000Z",
        "cwd": str(hooks.project),
        "version": "2.1.0",
        "attachment": {
            "type": "hook_additional_context",
            "content": [recalled.context],
            "hookName": "UserPromptSubmit",
        },
    }
    asked = json.loads(lines[0])
    asked["message"]["content"] = [
        {"type": "text", "text": f"<system-reminder>\nUserPromptSubmit hook: {recalled.context}\n</system-reminder>"},
        {"type": "text", "text": recalled.context},
        {"type": "text", "text": "Thanks. Please write that into the runbook."},
    ]
    second.write_text("\n".join([json.dumps(attachment), json.dumps(asked), *lines[1:], ""]), encoding="utf-8")
    hooks("Stop", session_id="session-two", transcript_path=str(second))
    hooks.settle()
    with Fabric.open(Settings.load(), read_only=True) as fabric:
        new = [memory for memory in fabric.store.recent(Scope(), 500) if memory.origin.session == "session-two"]
        assert [memory.text for memory in new] == [
            "USER: Thanks. Please write that into the runbook.\n\nASSISTANT: Written."
        ]
    assert remembered() == before + 1


def test_a_stop_does_not_wait_for_an_ingest(hooks: Hooks, transcript: Transcript) -> None:
    """C-094: while another worker is at it, for as long as it likes."""
    with held(hooks.home / "hooks" / "work.lock") as mine:
        assert mine
        for _ in range(3):
            done = hooks("Stop", session_id="session-old", transcript_path=str(transcript(PORT)))
            assert (done.code, done.out) == (0, "")
            assert done.seconds < PATIENCE / 10
        assert len(Marks(hooks.home).waiting()) == 1
    hooks.settle()
    assert remembered() == 1
