"""What ``doctor`` says of the clients (C-093)."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.install.machines import Machine
from tests.install.standins import PROGRAM, script

from memory_fabric.curate.health import Check, Verdict
from memory_fabric.doors.hooks.log import Fired, write
from memory_fabric.doors.hooks.marks import Mark, Marks
from memory_fabric.doors.install.checks import client_checks
from memory_fabric.doors.install.program import HOOKS, Program
from memory_fabric.doors.install.surroundings import PROJECT
from memory_fabric.doors.install.survey import enabling_plugin, survey

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-in is a script")

NOW = datetime(2026, 5, 4, 10, 0, tzinfo=UTC)


@pytest.fixture
def machine(machine: Machine) -> Machine:
    """With the environment that a client would have."""
    machine.here.home.joinpath(".claude").mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(machine.here.home)}
    environment["MEMORY_FABRIC_HOME"] = str(machine.memory)
    return replace(machine, here=replace(machine.here, environment=environment))


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(script(tmp_path / "bin" / "memory-fabric", PROGRAM), platform="linux")


def checks(machine: Machine, client: str = "claude-code") -> list[Check]:
    return [check for check in client_checks(machine.here, machine.memory) if check.name == client]


def details(found: list[Check], verdict: Verdict) -> list[str]:
    return [check.detail for check in found if check.verdict is verdict]


def fired(machine: Machine, **when: datetime) -> None:
    for event, at in when.items():
        write(machine.memory, Fired(event, at, 12.0, "silent"))


def used(machine: Machine, at: datetime) -> None:
    transcript = machine.here.home / ".claude" / "projects" / "-work" / "s.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("{}\n", encoding="utf-8")
    os.utime(transcript, (at.timestamp(), at.timestamp()))


def test_a_machine_without_clients_has_nothing_to_say_of_them(tmp_path: Path, machine: Machine) -> None:
    machine.here.home.joinpath(".claude").rmdir()
    nothing = replace(machine.here, environment={"PATH": str(tmp_path)})
    assert list(client_checks(nothing, machine.memory)) == []


def test_a_client_without_us_is_told_how(machine: Machine) -> None:
    (check,) = checks(machine)
    assert (check.verdict, check.detail) == (Verdict.OK, "found; not installed")
    assert "memory-fabric install claude-code" in check.remedy


def test_what_is_installed_is_run_and_said_when_it_last_fired(machine: Machine, program: Program) -> None:
    """C-093: the trial itself does not count as a call."""
    machine.install("claude-code", program=program)
    fired(machine, SessionStart=NOW, Stop=NOW + timedelta(minutes=5))
    used(machine, NOW + timedelta(hours=3))
    found = checks(machine)
    assert [check.verdict for check in found] == [Verdict.OK] * 3
    assert f"{len(HOOKS)} hooks run" in found[0].detail
    assert "answers with" in found[1].detail
    assert found[2].detail == "hooks last fired: SessionStart 2026-05-04 10:00, Stop 2026-05-04 10:05"


def test_hooks_that_never_fired_are_said_to(machine: Machine, program: Program) -> None:
    machine.install("claude-code", program=program)
    assert details(checks(machine), Verdict.WARN) == ["no hook has fired yet"]


@pytest.mark.parametrize(("later", "verdict"), [(timedelta(days=46), Verdict.WARN), (timedelta(hours=23), Verdict.OK)])
def test_hooks_that_died_while_the_client_was_used_are_noticed(
    later: timedelta, verdict: Verdict, machine: Machine, program: Program
) -> None:
    """C-093: 46 days silently dead."""
    machine.install("claude-code", program=program)
    fired(machine, Stop=NOW)
    used(machine, NOW + later)
    last = checks(machine)[-1]
    assert last.verdict is verdict
    assert ("but Claude Code was used 2026-06-19 10:00" in last.detail) is (verdict is Verdict.WARN)


def test_a_hook_that_fails_is_said_to(machine: Machine, program: Program) -> None:
    machine.install("claude-code", program=program)
    write(machine.memory, Fired("Stop", NOW, 5.0, "failed", "disk full"))
    assert "Stop 2026-05-04 10:00 (failed)" in checks(machine)[-1].detail


def test_a_transcript_that_hooks_gave_up_on_is_named(machine: Machine, program: Program) -> None:
    """F-HOOK-13: archived after a day, and shown."""
    machine.install("claude-code", program=program)
    marks = Marks(machine.memory)
    since = (datetime.now(UTC) - timedelta(hours=25)).isoformat()
    marks.leave(Mark("Stop", "s-1", "/work/s-1.jsonl", since))
    (mark,) = marks.take()
    assert marks.failed(mark, "is damaged")
    assert any("/work/s-1.jsonl: is damaged" in detail for detail in details(checks(machine), Verdict.WARN))


def test_what_is_no_hook_of_ours_does_not_count_as_one(machine: Machine, program: Program) -> None:
    machine.install("claude-code", program=program)
    fired(machine, worker=NOW, Elsewhere=NOW)
    assert checks(machine)[-1].detail == "no hook has fired yet"


def test_the_log_of_the_memory_that_the_hooks_were_told_is_read(machine: Machine, program: Program) -> None:
    other = machine.memory.with_name("other")
    machine.install("claude-code", program=replace(program, home=str(other)))
    write(other, Fired("Stop", NOW, 5.0, "marked"))
    assert checks(machine)[-1].detail == "hooks last fired: Stop 2026-05-04 10:00"


def test_a_program_that_is_gone_fails(machine: Machine) -> None:
    machine.install("claude-code", program=Program("/nowhere/memory-fabric", platform="linux"))
    found = [check for check in checks(machine) if check.verdict is Verdict.FAIL]
    assert len(found) == 2
    assert all("/nowhere/memory-fabric is gone or cannot be run" in check.detail for check in found)
    assert all("install claude-code" in check.remedy for check in found)


def test_a_command_that_the_shell_spoils_fails(machine: Machine, program: Program) -> None:
    """C-093: backslashes under bash; the program is there, the command does not find it."""
    machine.install("claude-code", program=program)
    path = machine.here.home / ".claude" / "settings.json"
    config = json.loads(path.read_text())
    config["hooks"]["Stop"][0]["hooks"][0]["command"] += " 'unfinished"
    path.write_text(json.dumps(config), encoding="utf-8")
    assert any("exit code 2" in detail for detail in details(checks(machine), Verdict.FAIL))


def test_an_unreadable_file_is_named(machine: Machine) -> None:
    (machine.here.home / ".claude.json").write_text("{\n!", encoding="utf-8")
    (warned,) = details(checks(machine), Verdict.WARN)
    assert str(machine.here.home / ".claude.json") in warned
    assert "line 2" in warned


def test_user_and_project_both_is_found(machine: Machine, program: Program) -> None:
    machine.install("claude-code", program=program)
    machine.install("claude-code", PROJECT, program=program)
    warned = details(checks(machine), Verdict.WARN)
    assert any("hooks stand twice (SessionStart" in detail for detail in warned)
    assert any("the server stands more than once" in detail for detail in warned)


def test_two_entries_in_one_file_are_found(machine: Machine, program: Program) -> None:
    machine.install("cursor", program=program)
    path = machine.path("cursor")
    config = json.loads(path.read_text())
    config["mcpServers"]["memory-2"] = config["mcpServers"]["memory"]
    path.write_text(json.dumps(config), encoding="utf-8")
    assert any("stands more than once" in detail for detail in details(checks(machine, "cursor"), Verdict.WARN))
    machine.install("cursor", program=program)
    assert list(json.loads(path.read_text())["mcpServers"]) == ["memory"]


def test_plugin_and_settings_both_is_found(machine: Machine, program: Program) -> None:
    machine.install("claude-code", program=program)
    path = machine.here.home / ".claude" / "settings.json"
    config = {**json.loads(path.read_text()), "enabledPlugins": {"memory-fabric@memory-fabric": True}}
    path.write_text(json.dumps(config), encoding="utf-8")
    warned = details(checks(machine), Verdict.WARN)
    assert any("and in the plugin: each fires twice" in detail for detail in warned)
    assert any("the server stands more than once" in detail for detail in warned)


@pytest.mark.parametrize(
    ("plugins", "enabled"),
    [
        ({"memory-fabric@anywhere": True}, True),
        ({"memory-fabric@anywhere": False}, False),
        ({"memory-fabric-other@x": True, "x@memory-fabric": True}, False),
        (["memory-fabric"], False),
    ],
)
def test_the_plugin_counts_when_it_is_enabled(plugins: object, enabled: bool, machine: Machine) -> None:
    local = machine.here.project / ".claude" / "settings.local.json"
    local.parent.mkdir()
    local.write_text(json.dumps({"enabledPlugins": plugins}), encoding="utf-8")
    assert enabling_plugin(machine.here) == ((local,) if enabled else ())
    assert bool(survey(machine.here)[0].plugins) is enabled


def test_with_the_plugin_alone_its_hooks_are_looked_at(machine: Machine) -> None:
    settings = machine.here.home / ".claude" / "settings.json"
    settings.write_text('{"enabledPlugins": {"memory-fabric@x": true}}', encoding="utf-8")
    fired(machine, Stop=NOW)
    assert [check.detail for check in checks(machine)] == ["hooks last fired: Stop 2026-05-04 10:00"]
