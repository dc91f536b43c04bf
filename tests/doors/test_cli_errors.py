"""Every way in which a call can end badly: code, words, streams (design §7, F-ERR-*)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import typer
from tests.doors.conftest import Call

from memory_fabric.doors.cli import COMMANDS, program
from memory_fabric.doors.cli.outermost import run, wants_json
from memory_fabric.errors import SourceUnavailable


@pytest.mark.parametrize(
    ("words", "said", "remedy"),
    [
        (["serch"], "no such command 'serch'", "memory-fabric --help"),
        (["search", "--nonsense"], "no such option: --nonsense", "memory-fabric search --help"),
        (["related"], "missing argument 'NAME'", "memory-fabric related --help"),
        (["search", "x", "--mode", "magic"], "'magic' is not one of 'auto', 'hybrid', 'vector'", "search --help"),
        (["eval", "walk"], "no such command 'walk'", "memory-fabric eval --help"),
        (["search", "x", "--kind", "dream"], "kind 'dream' is not known", "decision"),
        (["search", "x", "--category", "a_b"], "category 'a_b' is not known", "ai-ml"),
        (["eval", "run", "commits", "--data", "."], "suite 'commits' asks about transcripts", "--transcripts DIR"),
    ],
)
def test_the_users_mistake_is_one_line_with_its_remedy(call: Call, words: list[str], said: str, remedy: str) -> None:
    """F-ERR-5: unknown modes, commands and options, exit code 2, nothing on standard output."""
    ended = call(*words)
    assert ended.code == 2
    assert ended.out == ""
    first, second = ended.err.splitlines()
    assert first.startswith("error: ")
    assert said in first
    assert second.startswith("  → ")
    assert remedy in second


@pytest.mark.parametrize(("option", "low", "high"), [("--limit", 1, 50), ("--depth", 1, 4), ("--budget", 50, 100_000)])
def test_numbers_are_taken_inside_their_range_only(
    call: Call, remembering: Path, option: str, low: int, high: int
) -> None:
    words = {"--limit": ["search", "redis"], "--depth": ["related", "redis", "--all"], "--budget": ["load"]}[option]
    assert call(*words, option, str(low)).code in {0, 1}
    assert call(*words, option, str(high)).code in {0, 1}
    for outside in (low - 1, high + 1):
        ended = call(*words, option, str(outside))
        assert ended.code == 2
        assert option in ended.err
    assert call(*words, option, "many").code == 2


@pytest.mark.parametrize("place", ["before", "after"])
def test_with_json_an_error_is_an_object_on_standard_output(call: Call, place: str) -> None:
    words = ["--json", "search", "--mode", "x"] if place == "before" else ["search", "--mode", "x", "--json"]
    ended = call(*words)
    assert ended.code == 2
    assert set(ended.data["error"]) == {"code", "message", "hint"}
    assert ended.data["error"]["code"] == "usage"
    assert ended.err == ""


def test_a_question_may_hold_the_word_json() -> None:
    assert wants_json(["search", "--json", "x"])
    assert not wants_json(["search", "--", "--json"])


@pytest.mark.parametrize(
    "words",
    [["search", "x"], ["related", "x"], ["paths", "x", "y"], ["load"], ["history"], ["status"], ["doctor"], ["export"]],
)
def test_reading_makes_no_memory_and_says_that_there_is_none(call: Call, tmp_path: Path, words: list[str]) -> None:
    """F-CMD-14: reads never write.  C-152: the reason is said, with what to do."""
    ended = call(*words)
    assert ended.code == 1
    assert "there is no memory in" in ended.err
    assert "memory-fabric ingest" in ended.err
    assert not (tmp_path / "memory").exists()
    assert call(*words, "--json").data["error"]["code"] == "no_memory"


@pytest.mark.parametrize("words", [["search", "x"], ["status"], ["doctor"], ["ingest", "."], ["export"]])
def test_a_damaged_memory_is_not_available_and_never_nothing_found(
    call: Call, tmp_path: Path, words: list[str]
) -> None:
    """F-ERR-2, C-052: the store is required; an engine's error is no empty answer."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.db").write_bytes(b"this is no database " * 400)
    ended = call(*words)
    assert ended.code == 3
    assert ended.out == ""
    assert "memory.db" in ended.err
    data = call(*words, "--json").data
    assert data["error"]["code"] == "store_unavailable"
    assert data["error"]["hint"]


def test_a_bad_setting_is_the_users_mistake(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """F-CONF-1."""
    monkeypatch.setenv("MEMORY_FABRIC_DEDUP_THRESHOLD", "2")
    ended = call("status")
    assert ended.code == 2
    assert "dedup_threshold" in ended.err


def failing(error: BaseException) -> Any:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)

    @app.command()
    def only(as_json: bool = typer.Option(False, "--json")) -> int:
        raise error

    return lambda: typer.main.get_command(app)


def test_a_bug_shows_its_traceback_and_is_not_taken_for_nothing_found(capsys: pytest.CaptureFixture[str]) -> None:
    """C-052: its exit code is not that of an empty answer."""
    assert run(failing(RuntimeError("surprise")), []) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "Traceback" in err
    assert "error: a fault of Memory Fabric: RuntimeError: surprise" in err


def test_a_source_that_is_down_is_not_available(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(failing(SourceUnavailable("mem0: no answer", "check the key")), ["--json"]) == 3
    assert '"source_unavailable"' in capsys.readouterr().out


def test_an_interruption_ends_with_the_code_that_shells_know(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(failing(KeyboardInterrupt()), []) == 130
    assert run(failing(typer.Abort()), []) == 130
    assert run(failing(typer.Exit(1)), []) == 1
    assert "what was finished is kept" in capsys.readouterr().err


def test_a_reader_that_has_gone_ends_a_command_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    """The descriptor of the test's own output is put back by the capture."""
    import os
    import sys

    kept = os.dup(sys.stdout.fileno())
    try:
        assert run(failing(BrokenPipeError()), []) == 0
    finally:
        os.dup2(kept, sys.stdout.fileno())
        os.close(kept)
    assert capfd.readouterr().err == ""


def test_the_program_alone_and_a_group_alone_show_their_help(call: Call) -> None:
    """F-CMD-14."""
    ended = call()
    assert ended.code == 0
    for name, _, about in COMMANDS:
        assert name in ended.out
        assert about in ended.out
    assert "run Run one suite" in " ".join(call("eval").out.split())


@pytest.mark.parametrize("name", [name for name, _, _ in COMMANDS])
def test_every_command_has_json_home_and_help(call: Call, name: str) -> None:
    """F-CMD: ``--json`` everywhere."""
    options = {option for param in program().commands[name].params for option in param.opts}
    assert {"--json", "--home"} <= options
    shown = call(name, "--help")
    assert shown.code == 0
    assert shown.out.startswith(f"Usage: memory-fabric {name}")


def test_the_version_is_told_in_three_ways(call: Call) -> None:
    from memory_fabric import __version__

    assert call("--version").out.strip() == __version__
    assert call("version").out.strip() == __version__
    assert call("version", "--json").data == {"version": __version__}
