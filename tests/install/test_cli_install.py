"""``install`` and ``uninstall`` as commands."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.doors.cli import call as call_program
from memory_fabric.doors.install.clients import CLIENTS
from memory_fabric.doors.install.program import HOOKS, find_program


@dataclass(frozen=True)
class Called:
    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Called]


@pytest.fixture
def home(clean_environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder; one stands in a project."""
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "src").mkdir()
    monkeypatch.chdir(tmp_path / "project" / "src")
    return clean_environment


@pytest.fixture
def call(home: Path, capsys: pytest.CaptureFixture[str]) -> Call:
    def run(*words: str | Path) -> Called:
        capsys.readouterr()
        code = call_program(*map(str, words))
        out, err = capsys.readouterr()
        return Called(code, out, err)

    return run


def everything(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
        if "memory-fabric" not in path.relative_to(folder).parts
    }


def test_without_a_client_it_shows_which_there_are(call: Call, home: Path) -> None:
    (home / ".codex").mkdir()
    shown = call("install")
    assert shown.code == 0
    assert [line.split()[0] for line in shown.out.splitlines()] == list(CLIENTS)
    data = call("install", "--json").data
    states = {row["client"]: row for row in data["clients"]}
    assert (states["codex"]["found"], states["codex"]["installed"]) == (True, False)
    assert states["codex"]["files"][0] == {
        "scope": "user",
        "path": str(home / ".codex" / "config.toml"),
        "exists": False,
        "servers": [],
        "hooks": [],
        "fault": None,
    }


def test_install_writes_runs_and_says_so_and_uninstall_leaves_no_trace(call: Call, home: Path) -> None:
    """C-093: the exact command is run once and the result shown."""
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_bytes(b'\xef\xbb\xbf{\r\n\t"model": "x"\r\n}')
    before = everything(home)
    done = call("install", "claude-code", "--json")
    assert done.code == 0, done.out
    (row,) = done.data["clients"]
    assert [file["action"] for file in row["files"]] == ["changed", "created"]
    assert row["files"][0]["backup"] == str(settings) + ".bak-memory-fabric"
    program = find_program("", None)
    commands = [trial["command"][-1] for trial in row["trials"]]
    assert commands == [*(f"{program.path} hook {event}" for event in HOOKS), "mcp"]
    assert all(trial["ok"] for trial in row["trials"])
    assert "answers with" in row["trials"][-1]["detail"]
    again = call("install", "claude-code")
    assert again.code == 0
    assert again.out.count("unchanged") == 2
    assert again.out.count("runs ") == len(HOOKS) + 1
    assert "installed" in call("install").out
    gone = call("uninstall", "claude-code")
    assert gone.code == 0
    assert "restored" in gone.out
    assert "deleted" in gone.out
    assert everything(home) == before | {".local": None, ".local/share": None}


def test_the_memory_is_passed_on_when_it_was_named(call: Call, home: Path, tmp_path: Path) -> None:
    assert call("install", "cursor", "--home", tmp_path / "m").code == 0
    entry = json.loads((home / ".cursor" / "mcp.json").read_text())["mcpServers"]["memory"]
    assert entry["env"] == {"MEMORY_FABRIC_HOME": str(tmp_path / "m")}
    assert call("install", "claude-code", "--home", tmp_path / "m").code == 0
    assert f"hook Stop --home {tmp_path / 'm'}" in (home / ".claude" / "settings.json").read_text()


def test_uninstall_need_not_be_told_which_memory_it_was(
    call: Call, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{ "mcpServers" :{} }', encoding="utf-8")
    assert call("install", "cursor", "codex", "--home", tmp_path / "m").code == 0
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(tmp_path / "other"))
    assert call("uninstall", "cursor", "codex").code == 0
    assert (home / ".cursor" / "mcp.json").read_text() == '{ "mcpServers" :{} }'
    assert not (home / ".codex").exists()


def test_a_project_is_that_of_its_repository(call: Call, tmp_path: Path) -> None:
    done = call("install", "vscode", "--project", "--json")
    assert done.code == 0
    (row,) = done.data["clients"]
    assert row["files"][0]["path"] == str(tmp_path / "project" / ".vscode" / "mcp.json")
    assert any("before you commit" in note for note in row["notes"])
    assert call("uninstall", "vscode", "--project").code == 0
    assert not (tmp_path / "project" / ".vscode").exists()


def test_a_client_that_was_not_found_is_configured_and_told(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", os.defpath)
    done = call("install", "codex", "--json")
    (row,) = done.data["clients"]
    assert row["found"] is False
    assert any("was not found on this machine" in note for note in row["notes"])


def test_a_dry_run_shows_the_lines_and_changes_nothing(call: Call, home: Path) -> None:
    before = everything(home)
    shown = call("install", "codex", "claude-code", "--dry-run")
    assert shown.code == 0
    assert "+ [mcp_servers.memory]" in shown.out
    assert "hook SessionStart" in shown.out
    assert "runs " not in shown.out
    assert everything(home) == before


@pytest.mark.parametrize("command", ["install", "uninstall"])
def test_an_unknown_client_is_the_users_mistake(command: str, call: Call, home: Path) -> None:
    done = call(command, "codex", "emacs", "--json")
    assert done.code == 2
    assert done.data["error"]["code"] == "usage"
    assert "claude-desktop" in done.data["error"]["hint"]
    assert not (home / ".codex").exists(), "nothing is done by halves"


def test_an_unreadable_file_is_an_error_with_line_and_remedy(call: Call, home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text("{\n,}", encoding="utf-8")
    done = call("install", "cursor", "--json")
    assert done.code == 1
    assert done.data["error"]["code"] == "client_config"
    assert f"{home / '.cursor' / 'mcp.json'}: line 2" in done.data["error"]["message"]
    assert done.data["error"]["hint"]


def test_one_clients_error_does_not_stop_the_others(call: Call, home: Path) -> None:
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text('{"mcpServers": {"memory": {"command": "npx"}}}', encoding="utf-8")
    done = call("install", "cursor", "codex", "--json")
    assert done.code == 1
    cursor, codex = done.data["clients"]
    assert (cursor["ok"], cursor["error"]["code"]) == (False, "name_taken")
    assert codex["ok"] is True
    assert "error" in call("install", "cursor", "codex").out


@pytest.mark.parametrize("name", ["", "a b", "x" * 65, "mémoire", "a.b"])
def test_a_name_that_clients_do_not_take_is_refused(name: str, call: Call) -> None:
    assert call("install", "cursor", "--name", name).code == 2


def test_beside_the_plugin_nothing_is_installed(call: Call, home: Path) -> None:
    (home / ".claude").mkdir()
    (home / ".claude" / "settings.json").write_text('{"enabledPlugins": {"memory-fabric@mf": true}}', encoding="utf-8")
    before = everything(home)
    done = call("install", "claude-code", "--json")
    assert (done.code, done.data["error"]["code"]) == (1, "plugin_enabled")
    assert everything(home) == before


def test_the_console_script_writes_its_own_path(home: Path, tmp_path: Path) -> None:
    """Through a link, as pipx and uv make them."""
    link = tmp_path / "bin" / "memory-fabric"
    link.parent.mkdir()
    link.symlink_to(find_program("", None).path)
    done = subprocess.run([link, "install", "codex", "--dry-run"], capture_output=True, text=True, check=True)
    assert f'command = "{link}"' in done.stdout


def test_doctor_tells_of_the_clients(call: Call, home: Path) -> None:
    """C-093: double installs, last fire time, whether it runs."""
    from memory_fabric import Fabric, Settings

    with Fabric.open(Settings(home=home / "m", embedder="none")):
        pass
    call("install", "codex", "--home", home / "m")
    told = call("doctor", "--home", home / "m", "--json")
    (check,) = (check for check in told.data["checks"] if check["name"] == "codex")
    assert check["verdict"] == "ok"
    assert "answers with" in check["detail"]
