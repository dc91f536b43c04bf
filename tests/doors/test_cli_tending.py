"""``status``, ``doctor``, ``export``, ``import`` and ``demo`` from end to end."""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path

import pytest
from tests.doors.conftest import SAMPLE, Call


def test_status_counts_everything(call: Call, remembering: Path) -> None:
    """F-CMD-13."""
    data = call("status", "--json").data
    assert data["health"] == "healthy"
    assert data["memories"] == sum(data["by_kind"].values()) > 0
    assert data["projects"] == ["payments-api", "tidylog", "web-shop"]
    assert data["store"]["bytes"] > 0
    assert [place["exists"] for place in data["places"]] == [False] * 4
    shown = call("status").out
    assert shown.startswith(f"healthy\n  memories    {data['memories']} (")
    assert "missing  claude_code   ~/.claude/projects" in shown


def test_status_says_why_it_is_degraded(call: Call, remembering: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "hashed")
    data = call("status", "--json").data
    assert data["health"] == "degraded"
    assert data["reasons"] == [f"{data['memories']} memories without vectors"]
    assert data["vectors"]["pending"] == data["memories"]


def test_an_empty_memory_is_empty(call: Call, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    call("ingest", tmp_path / "in")
    ended = call("status")
    assert ended.code == 0
    assert ended.out.startswith("empty\n  memories    none")


def test_the_doctor_finds_nothing_wrong(call: Call, remembering: Path) -> None:
    ended = call("doctor")
    assert ended.code == 0
    assert ended.out.startswith("ok    store")
    data = call("doctor", "--json").data
    assert data["ok"] is True
    assert {check["verdict"] for check in data["checks"]} <= {"ok", "warn"}


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_the_doctor_finds_what_others_may_read(call: Call, tmp_path: Path) -> None:
    """C-117: exit code 1, and a remedy."""
    call("ingest", SAMPLE)
    (tmp_path / "memory" / "memory.db").chmod(0o644)
    ended = call("doctor")
    assert ended.code == 1
    assert "FAIL  store" in ended.out
    assert "→ " in ended.out
    assert call("doctor", "--json").data["ok"] is False


def test_a_memory_survives_a_journey(call: Call, remembering: Path, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    assert call("export", file).out.startswith("Wrote ")
    elsewhere = tmp_path / "elsewhere"
    taken = call("import", file, "--home", elsewhere, "--json")
    assert taken.code == 0
    assert taken.data["counts"]["memory"] == call("status", "--json").data["memories"]
    again = call("import", file, "--home", elsewhere)
    assert again.out == "Nothing new: everything was there already\n"
    assert call("export", "--home", elsewhere).out == file.read_text(encoding="utf-8")
    question = ["search", "pagination", "--all", "--json"]
    here, there = call(*question).data, call(*question, "--home", elsewhere).data
    assert [each["id"] for each in here["results"]] == [each["id"] for each in there["results"]]


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_an_export_is_nobody_elses_and_never_overwritten_by_accident(
    call: Call, remembering: Path, tmp_path: Path
) -> None:
    """C-117."""
    file = tmp_path / "memory.jsonl"
    before = os.umask(0)
    try:
        call("export", file)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text("precious", encoding="utf-8")
    refused = call("export", file)
    assert refused.code == 2
    assert "--force" in refused.err
    assert file.read_text(encoding="utf-8") == "precious"
    assert call("export", file, "--force").code == 0
    assert file.read_text(encoding="utf-8").startswith('{"type": "memory-fabric", "version": 1}\n')
    assert list(tmp_path.glob(".*.part")) == []


def test_secrets_are_redacted_on_the_way_out_too(call: Call, tmp_path: Path) -> None:
    """C-112: a memory written before a rule existed leaves clean."""
    from tests.doors.making import memory

    from memory_fabric import Fabric, Settings
    from memory_fabric.ports import Batch, Record

    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"
    with Fabric.open(Settings(home=tmp_path / "memory", embedder="none")) as fabric:
        fabric.store.save(Batch(records=(Record(memory(text=f"USER: use {secret}", project=None), 0),)))
    ended = call("export")
    assert secret not in ended.out
    assert "[redacted:" in ended.out
    assert "1 secrets were redacted on the way out" in ended.err


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("", 1, "empty"),
        ('{"type": "user"}\n', 1, "not an export of Memory Fabric"),
        ('{"type": "memory-fabric", "version": 2}\n', 1, "version 2 is newer than 1"),
        ("[1]\n", 1, ":1: not an object"),
        ('{"type": "memory-fabric", "version": 1}\n\n{"type": "mem', 1, ":3: not JSON"),
        ('{"type": "memory-fabric", "version": 1}\n{"type": "dream"}\n', 2, "dream"),
    ],
)
def test_a_file_that_is_not_ours_changes_nothing(call: Call, tmp_path: Path, text: str, code: int, said: str) -> None:
    file = tmp_path / "x.jsonl"
    file.write_text(text, encoding="utf-8")
    ended = call("import", file)
    assert ended.code == code
    assert said in ended.err
    assert call("search", "--all").code == 1


def test_a_damaged_line_late_in_a_file_undoes_the_lines_before_it(
    call: Call, remembering: Path, tmp_path: Path
) -> None:
    lines = call("export").out.splitlines()
    file = tmp_path / "x.jsonl"
    file.write_text("\n".join([*lines, "{broken"]), encoding="utf-8")
    elsewhere = tmp_path / "elsewhere"
    assert call("import", file, "--home", elsewhere).code == 1
    assert call("status", "--home", elsewhere, "--json").data["memories"] == 0


def test_a_stream_may_be_imported(
    call: Call, remembering: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(call("export", "-").out))
    assert call("import", "-", "--home", tmp_path / "elsewhere").out.startswith("Took in ")


def test_a_file_that_is_not_there_is_the_users_mistake(call: Call, tmp_path: Path) -> None:
    assert call("import", tmp_path / "nowhere").code == 2
    ended = call("import")
    assert ended.code == 2
    assert "FILE" in ended.err


def test_the_demo_answers_its_questions_and_leaves_nothing_behind(call: Call, tmp_path: Path) -> None:
    ended = call("demo")
    assert ended.code == 0
    assert f"{len(list(SAMPLE.rglob('*.jsonl')))} transcripts → " in ended.out
    assert ended.out.count("\n? ") == 5
    assert "sample:~/" in ended.out
    assert "memory-fabric ingest" in ended.out.partition("Next")[2]
    assert not (tmp_path / "memory").exists()


def test_the_demo_finds_what_its_questions_expect(call: Call) -> None:
    data = call("demo", "--json").data
    assert len(data["questions"]) == 5
    found = [
        any(word in result["text"] for result in each["answer"]["results"] for word in each["expect"])
        for each in data["questions"]
    ]
    assert all(found)


def test_the_demo_can_be_kept_and_asked_again(call: Call, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    ended = call("demo", "--keep", kept)
    assert f"memory-fabric --home {kept} search" in ended.out
    assert call("search", "pagination", "--all", "--home", kept).code == 0
    assert call("demo", "--keep", kept).code == 0


def test_the_demo_reads_ones_own_transcripts_only_when_told(call: Call, machine: Path) -> None:
    place = machine / ".claude" / "projects" / "-work-shop"
    place.mkdir(parents=True)
    turn = json.loads((SAMPLE.parent / "questions.json").read_text(encoding="utf-8"))["questions"][0]["question"]
    from tests.doors.conftest import exchange

    (place / "s-1.jsonl").write_text("\n".join([*exchange(1, turn, "My own words."), ""]), encoding="utf-8")
    assert call("demo", "--json").data["own"] is None
    assert call("demo", "--mine", "--json").data["own"]["files"] == {"read": 1}
    assert "Your own" in call("demo", "--mine").out


def test_the_demo_says_when_there_is_nothing_of_ones_own(call: Call) -> None:
    assert "no transcripts of your own" in call("demo", "--mine").err
