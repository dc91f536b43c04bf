"""``ingest`` from end to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.doors.conftest import SAMPLE, Call

from memory_fabric import Fabric, Settings
from memory_fabric.doors.cli.commands.ingest import Ingest, watched
from memory_fabric.doors.cli.desk import Desk
from memory_fabric.doors.cli.progress import Bars, bars
from memory_fabric.errors import EmbedderUnavailable

Write = Callable[..., Path]
TRANSCRIPTS = len(list(SAMPLE.rglob("*.jsonl")))
TURN = ("Where do we keep sessions?", "We decided to keep sessions in Redis for now.")


def test_a_folder_is_read_and_told_in_full(call: Call) -> None:
    ended = call("ingest", SAMPLE)
    assert ended.code == 0
    assert ended.err == ""
    assert ended.out.startswith(f"Read {TRANSCRIPTS} files (")
    for line in ("files", "lines", "used", "left out", "memories", "relations", "redacted"):
        assert f"\n  {line} " in ended.out
    assert call("ingest", SAMPLE).out.startswith(f"Nothing new in {TRANSCRIPTS} files")


def test_the_report_for_programs_adds_up(call: Call) -> None:
    """F-ING-10: every line is used or left out."""
    data = call("ingest", SAMPLE, "--json").data
    assert data["files"] == {"read": TRANSCRIPTS}
    assert data["lines"] == sum(data["used"].values()) + sum(data["skipped"].values())
    assert data["memories"]["added"] == call("status", "--json").data["memories"] > TRANSCRIPTS
    assert data["redacted"]


def test_a_dry_run_writes_nothing(call: Call, transcript: Write) -> None:
    path = transcript("a.jsonl", TURN)
    ended = call("ingest", "--dry-run", path)
    assert ended.code == 0
    assert "nothing was written" in ended.out
    assert call("search").code == 1
    assert call("ingest", path, "--json").data["files"] == {"read": 1}


def test_no_usual_places_and_no_path_is_told_kindly(call: Call) -> None:
    ended = call("ingest")
    assert ended.code == 1
    assert "no transcripts in the usual places (~/.claude/projects, " in ended.err
    assert "memory-fabric ingest PATH" in ended.err
    assert call("ingest", "--json").data["error"]["code"] == "no_transcripts"


def test_the_usual_places_are_read_without_being_named(call: Call, machine: Path, transcript: Write) -> None:
    place = machine / ".claude" / "projects" / "-work-shop"
    place.mkdir(parents=True)
    transcript("a.jsonl", TURN).rename(place / "s-1.jsonl")
    data = call("ingest", "--json").data
    assert data["files"] == {"read": 1}
    assert data["memories"]["added"] == 1


def test_a_path_that_is_not_there_is_the_users_mistake(call: Call, tmp_path: Path) -> None:
    ended = call("ingest", tmp_path / "nowhere")
    assert ended.code == 2
    assert "no such file or folder" in ended.err


def test_an_unknown_format_is_the_users_mistake(call: Call, transcript: Write) -> None:
    ended = call("ingest", "--format", "telepathy", transcript("a.jsonl", TURN))
    assert ended.code == 2
    assert "telepathy" in ended.err


def test_part_of_a_batch_that_fails_is_counted_and_told_by_the_exit_code(call: Call, transcript: Write) -> None:
    """F-ERR-14, C-154: what could be read is kept."""
    good = transcript("good.jsonl", TURN)
    bad = transcript("bad.jsonl", TURN, session="s-2")
    bad.write_text("{broken\n", encoding="utf-8")
    ended = call("ingest", "--format", "claude_code", good.parent)
    assert ended.code == 1
    assert "1 read, 1 failed" in ended.out
    assert "✗ " in ended.out
    assert "bad.jsonl" in ended.out
    assert call("search", "sessions", "--all").code == 0


def test_broken_lines_are_told_with_path_and_line(call: Call, transcript: Write) -> None:
    """C-001: they cost nothing but themselves."""
    path = transcript("a.jsonl", TURN, TURN)
    lines = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*lines[:2], "{broken", *lines[2:], ""]), encoding="utf-8")
    ended = call("ingest", path)
    assert ended.code == 0
    assert "a.jsonl:3: a broken line was left out" in " ".join(ended.out.split())


def test_a_text_over_two_thousand_characters_is_kept_whole(call: Call, transcript: Write) -> None:
    """F-ERR-7: chunked where long, never cut."""
    long = "We keep sessions in Redis. " * 400
    call("ingest", transcript("a.jsonl", ("Tell all about zebras at the end.", long + "zebra-final")))
    found = call("search", "zebra-final", "--all", "--json").data["results"]
    assert any("zebra-final" in each["text"] for each in found)
    kept = call("search", "--all", "--json").data["results"]
    assert sum(each["text"].count("Redis.") for each in kept) == 400


def test_secrets_are_redacted_before_they_are_stored(call: Call, transcript: Write) -> None:
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    ended = call("ingest", transcript("a.jsonl", (f"My token is {secret}", "Keep it out of the chat.")))
    assert "1 secret" in ended.out
    assert secret not in call("search", "token", "--all", "--json").out
    assert secret not in call("export").out


class Broken:
    """An embedder whose model is not there."""

    space = "broken"
    dimension = 3

    def windows(self, text: str) -> list[str]:
        return [text]

    def embed(self, *_: object) -> Any:
        raise EmbedderUnavailable("embedder broken: the model is missing", "install it again")


@pytest.fixture
def fabric(tmp_path: Path) -> Iterator[Fabric]:
    with Fabric.open(Settings(home=tmp_path / "memory", embedder="none")) as opened:
        yield opened


def test_without_a_model_everything_but_vectors_is_there(
    fabric: Fabric, transcript: Write, call: Call, capsys: pytest.CaptureFixture[str]
) -> None:
    """F-ERR-13, F-VEC-7: one notice, and the exit code of success."""
    fabric.__dict__["embedder"] = Broken()
    job = Ingest(fabric, Desk(), [transcript("a.jsonl", TURN)])
    report = job.run()
    job.show(report)
    assert report.exit_code == 0
    assert report.pending == 1
    err = capsys.readouterr().err
    assert err.count("note: ") == 1
    assert "no vectors, text and graph search work: embedder broken: the model is missing (install it again)" in err


def test_watching_reads_what_changed_and_keeps_quiet_about_the_rest(
    fabric: Fabric, transcript: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = transcript("a.jsonl", TURN)
    job = Ingest(fabric, Desk(), [path.parent], embed=False)
    job.run()

    def rounds() -> Iterator[object]:
        yield {"nothing that matters"}
        transcript("a.jsonl", TURN, ("And carts?", "Carts live in PostgreSQL."))
        yield {"a grew"}
        transcript("b.jsonl", TURN, session="s-2")
        yield {"b is new"}

    watched(job, rounds())
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 2
    assert all(line.startswith("1 file: 1 added") for line in out)
    assert fabric.store.count() == 3


def test_watching_and_trying_out_exclude_each_other(call: Call) -> None:
    ended = call("ingest", "--watch", "--dry-run")
    assert ended.code == 2
    assert "exclude each other" in ended.err


def test_vectors_are_made_with_the_embedder_of_the_settings(
    call: Call, transcript: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "hashed")
    path = transcript("a.jsonl", TURN, ("And carts?", "Carts live in PostgreSQL."))
    without = call("ingest", "--no-embed", path)
    assert "none yet for 2 memories" in without.out
    assert "vectors     2 memories embedded" in call("ingest", path).out


def test_nobody_watches_so_no_bar_is_drawn() -> None:
    with bars(Desk()) as shown:
        assert shown.files() is None
        assert shown.counted("embedding", 5) is None
        assert shown.stage() is None


def test_bars_follow_what_they_are_told() -> None:
    import io

    from rich.console import Console
    from rich.progress import Progress

    progress = Progress(console=Console(file=io.StringIO()))
    shown = Bars(progress)
    tell, done, stage = shown.files(), shown.counted("embedding", 5), shown.stage()
    assert tell is not None
    assert done is not None
    assert stage is not None
    tell(Path("/t/a.jsonl"), 2, 7)
    done(3)
    stage("asking", 1, 4)
    assert [(task.completed, task.total) for task in progress.tasks] == [(2, 7), (3, 5), (1, 4)]
    assert shown.counted("embedding", 0) is None
