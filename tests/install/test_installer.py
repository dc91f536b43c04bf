"""Writing a client's files: what is written, kept, refused, and how."""

from __future__ import annotations

import json
import stat
from typing import Any

import pytest
from tests.install.machines import PROGRAM, Machine, put, says

from memory_fabric.doors.install.clients import CLIENTS, client_named
from memory_fabric.doors.install.installer import CHANGED, CREATED, DELETED, REMOVED, RESTORED, UNCHANGED
from memory_fabric.doors.install.program import HOOKS, Program
from memory_fabric.doors.install.surroundings import PROJECT
from memory_fabric.errors import ConfigError, UsageError

# ── what is written ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("client", "where", "place", "entry"),
    [
        ("claude-code", ".claude.json", ["mcpServers"], {"type": "stdio", "command": PROGRAM.path, "args": ["mcp"]}),
        ("codex", ".codex/config.toml", ["mcp_servers"], {"command": PROGRAM.path, "args": ["mcp"]}),
        ("cursor", ".cursor/mcp.json", ["mcpServers"], {"type": "stdio", "command": PROGRAM.path, "args": ["mcp"]}),
        ("gemini-cli", ".gemini/settings.json", ["mcpServers"], {"command": PROGRAM.path, "args": ["mcp"]}),
        (
            "opencode",
            ".config/opencode/opencode.json",
            ["mcp"],
            {"type": "local", "command": [PROGRAM.path, "mcp"], "enabled": True},
        ),
        (
            "vscode",
            ".config/Code/User/mcp.json",
            ["servers"],
            {"type": "stdio", "command": PROGRAM.path, "args": ["mcp"]},
        ),
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            ["mcpServers"],
            {"command": PROGRAM.path, "args": ["mcp"]},
        ),
    ],
)
def test_every_client_gets_the_server_memory_in_its_own_form(
    client: str, where: str, place: list[str], entry: dict[str, Any], machine: Machine
) -> None:
    """F-MCP-17: server ``memory``, command ``memory-fabric mcp``."""
    machine.install(client)
    path = machine.here.home / where
    assert machine.path(client) == path
    found = says(path)
    for name in place:
        found = found[name]
    assert list(found) == ["memory"]
    assert {**found["memory"], **entry} == found["memory"]
    assert "env" not in found["memory"]


def test_claude_code_gets_a_hook_for_every_event_with_a_timeout_in_seconds(machine: Machine) -> None:
    """formats.md §2: the settings form."""
    machine.install("claude-code")
    hooks = says(machine.here.home / ".claude" / "settings.json")["hooks"]
    assert list(hooks) == list(HOOKS)
    assert hooks["SessionStart"][0]["matcher"] == "startup|resume|clear|compact"
    for event, groups in hooks.items():
        assert [len(groups), len(groups[0]["hooks"])] == [1, 1]
        handler = groups[0]["hooks"][0]
        assert handler == {"type": "command", "command": f"{PROGRAM.path} hook {event}", "timeout": HOOKS[event][1]}
        assert 5 <= handler["timeout"] <= 10


def test_a_named_memory_is_told_to_the_server_and_to_the_hooks(machine: Machine) -> None:
    named = Program(PROGRAM.path, "/data/my memory", "linux")
    machine.install("claude-code", program=named)
    settings = says(machine.here.home / ".claude" / "settings.json")
    stop = settings["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert stop == f"{PROGRAM.path} hook Stop --home '/data/my memory'"
    server = says(machine.here.home / ".claude.json")["mcpServers"]["memory"]
    assert server["env"] == {"MEMORY_FABRIC_HOME": "/data/my memory"}
    machine.install("opencode", program=named)
    assert says(machine.path("opencode"))["mcp"]["memory"]["environment"] == server["env"]


def test_a_projects_hooks_go_where_nobody_commits_them(machine: Machine) -> None:
    machine.install("claude-code", PROJECT)
    assert "hooks" in says(machine.here.project / ".claude" / "settings.local.json")
    assert "memory" in says(machine.here.project / ".mcp.json")["mcpServers"]
    assert not (machine.here.home / ".claude.json").exists()


def test_a_client_without_projects_says_so(machine: Machine) -> None:
    with pytest.raises(UsageError, match="Claude Desktop has no configuration for a project"):
        machine.install("claude-desktop", PROJECT)


def test_an_unknown_client_is_answered_with_the_known_ones() -> None:
    with pytest.raises(UsageError) as raised:
        client_named("emacs")
    assert all(name in raised.value.hint for name in CLIENTS)


@pytest.mark.parametrize(
    ("platform", "environment", "client", "where"),
    [
        ("linux", {"CLAUDE_CONFIG_DIR": "{}/c"}, "claude-code", "c/.claude.json"),
        ("linux", {"CODEX_HOME": "{}/x"}, "codex", "x/config.toml"),
        ("linux", {"GEMINI_CLI_HOME": "{}/g"}, "gemini-cli", "g/.gemini/settings.json"),
        ("linux", {"XDG_CONFIG_HOME": "{}/xdg"}, "opencode", "xdg/opencode/opencode.json"),
        ("linux", {"OPENCODE_CONFIG": "{}/o.json"}, "opencode", "o.json"),
        ("linux", {"OPENCODE_CONFIG_DIR": "{}/od"}, "opencode", "od/opencode.json"),
        ("linux", {"XDG_CONFIG_HOME": "{}/xdg"}, "vscode", "xdg/Code/User/mcp.json"),
        ("linux", {"VSCODE_PORTABLE": "{}/p"}, "vscode", "p/user-data/User/mcp.json"),
        ("darwin", {}, "vscode", "home/Library/Application Support/Code/User/mcp.json"),
        ("win32", {"APPDATA": "{}/roam"}, "vscode", "roam/Code/User/mcp.json"),
        ("darwin", {}, "claude-desktop", "home/Library/Application Support/Claude/claude_desktop_config.json"),
        ("win32", {"APPDATA": "{}/roam"}, "claude-desktop", "roam/Claude/claude_desktop_config.json"),
        ("win32", {}, "claude-desktop", "home/AppData/Roaming/Claude/claude_desktop_config.json"),
        ("linux", {"CODEX_HOME": "~/x"}, "codex", "home/x/config.toml"),
    ],
)
def test_each_system_and_variable_has_its_place(
    platform: str, environment: dict[str, str], client: str, where: str, machine: Machine
) -> None:
    root = machine.here.home.parent
    there = {name: value.format(root) for name, value in environment.items()}
    assert machine.on(platform, **there).path(client) == root / where


def test_claude_codes_settings_move_with_its_folder(machine: Machine) -> None:
    moved = machine.on("linux", CLAUDE_CONFIG_DIR=str(machine.here.home / "c"))
    assert moved.files("claude-code")[0].path == machine.here.home / "c" / "settings.json"


def test_opencode_keeps_the_form_and_the_file_that_is_there(machine: Machine) -> None:
    """Version 2 keeps servers below ``mcp.servers`` and knows no ``enabled``."""
    path = put(
        machine.here.home / ".config/opencode/opencode.jsonc",
        '{\n  "mcp": {\n    "servers": {} // v2\n  }\n}\n',
    )
    machine.install("opencode")
    assert '"servers": {\n      "memory": {' in path.read_text()
    assert "enabled" not in path.read_text()
    assert not path.with_suffix(".json").exists()


# ── what is kept ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_mode_of_a_file_is_kept_and_a_new_one_is_the_users_alone(machine: Machine) -> None:
    """C-117: these files may hold keys."""
    settings = put(machine.here.home / ".claude" / "settings.json", "{}", 0o640)
    done = machine.install("claude-code")
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640
    assert done[0].backup is not None
    assert stat.S_IMODE(done[0].backup.stat().st_mode) == 0o640
    assert stat.S_IMODE((machine.here.home / ".claude.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((machine.memory / "installed.json").stat().st_mode) == 0o600
    machine.uninstall("claude-code")
    assert stat.S_IMODE(settings.stat().st_mode) == 0o640


def test_a_link_stays_a_link_and_its_target_is_changed(machine: Machine) -> None:
    target = put(machine.here.home / "dotfiles" / "cursor.json", "{}")
    link = machine.here.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(target)
    machine.install("cursor")
    assert link.is_symlink()
    assert "memory" in says(target)["mcpServers"]
    machine.uninstall("cursor")
    assert link.is_symlink()
    assert target.read_text() == "{}"


def test_a_backup_lies_beside_it_until_it_says_what_the_file_says(machine: Machine) -> None:
    path = put(machine.here.home / ".cursor" / "mcp.json", '{"a": 1}')
    (done,) = machine.install("cursor")
    assert done.action == CHANGED
    assert done.backup == path.with_name("mcp.json.bak-memory-fabric")
    assert done.backup.read_text() == '{"a": 1}'
    (done,) = machine.uninstall("cursor")
    assert (done.action, done.backup) == (RESTORED, None)
    assert [each.name for each in path.parent.iterdir()] == ["mcp.json"]


def test_an_older_backup_with_other_contents_is_kept(machine: Machine) -> None:
    path = put(machine.here.home / ".cursor" / "mcp.json", '{"a": 1}')
    older = put(path.with_name("mcp.json.bak-memory-fabric"), "older")
    (done,) = machine.install("cursor")
    assert older.read_text() == "older"
    assert done.backup is not None
    assert done.backup != older
    assert done.backup.read_text() == '{"a": 1}'


def test_what_the_user_added_to_our_entries_stays(machine: Machine) -> None:
    machine.install("codex")
    path = machine.path("codex")
    path.write_text(path.read_text() + "tool_timeout_sec = 99\nenabled = false\n", encoding="utf-8")
    mine = path.read_bytes()
    assert [done.action for done in machine.install("codex")] == [UNCHANGED]
    assert path.read_bytes() == mine
    machine.install("codex", program=Program("/new/memory-fabric", platform="linux"))
    entry = says(path)["mcp_servers"]["memory"]
    assert entry["command"] == "/new/memory-fabric"
    assert (entry["tool_timeout_sec"], entry["enabled"]) == (99, False)
    assert [done.action for done in machine.uninstall("codex")] == [DELETED]


def test_an_update_of_the_program_still_comes_back_to_the_byte(machine: Machine) -> None:
    text = '{\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}'
    settings = put(machine.here.home / ".claude" / "settings.json", text)
    before = machine.snapshot()
    machine.install("claude-code")
    newer = Program("/new place/memory-fabric", platform="linux")
    assert [done.action for done in machine.install("claude-code", program=newer)] == [CHANGED, CHANGED]
    assert PROGRAM.path not in settings.read_text()
    assert settings.read_text().count("'/new place/memory-fabric' hook ") == len(HOOKS)
    machine.uninstall("claude-code")
    assert machine.snapshot() == before


def test_a_home_that_is_no_longer_named_is_no_longer_told(machine: Machine) -> None:
    machine.install("cursor", program=Program(PROGRAM.path, "/data", "linux"))
    machine.install("cursor")
    assert "env" not in says(machine.path("cursor"))["mcpServers"]["memory"]


def test_a_hook_that_the_user_put_beside_ours_stays(machine: Machine) -> None:
    machine.install("claude-code")
    path = machine.here.home / ".claude" / "settings.json"
    config = says(path)
    config["hooks"]["Stop"][0]["hooks"].insert(0, {"type": "command", "command": "say done"})
    path.write_text(json.dumps(config, indent=2), encoding="utf-8")
    assert [done.action for done in machine.install("claude-code")] == [UNCHANGED, UNCHANGED]
    assert [done.action for done in machine.uninstall("claude-code")] == [REMOVED, DELETED]
    assert says(path) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}


# ── dry runs, and doing it by halves ─────────────────────────────────────────────────────────────────────────────────


def test_a_dry_run_says_what_would_come_and_changes_nothing(machine: Machine) -> None:
    put(machine.here.home / ".claude.json", '{\n  "token": "sk-secret"\n}')
    before = machine.snapshot()
    settings, servers = machine.install("claude-code", dry_run=True)
    assert (settings.action, servers.action) == (CREATED, CHANGED)
    assert any("hook SessionStart" in line for line in settings.added)
    assert not any("sk-secret" in line for line in servers.added)
    assert machine.snapshot() == before
    assert not machine.memory.exists()
    machine.install("claude-code")
    installed = machine.snapshot()
    assert {done.action for done in machine.uninstall("claude-code", dry_run=True)} == {DELETED, RESTORED}
    assert machine.snapshot() == installed


def test_uninstalling_what_is_not_installed_changes_nothing(machine: Machine) -> None:
    put(machine.here.home / ".cursor" / "mcp.json", ' { "mcpServers" : { "memory" : { "command" : "npx" } } }')
    before = machine.snapshot()
    for client in CLIENTS:
        assert {done.action for done in machine.uninstall(client)} == {UNCHANGED}
    assert machine.snapshot() == before
    assert not machine.memory.exists()


def test_a_kill_between_journal_and_file_costs_nothing(machine: Machine) -> None:
    """The journal knows of a change that never was."""
    put(machine.here.home / ".cursor" / "mcp.json", '{ "a": 1 }')
    before = machine.snapshot()
    machine.install("cursor")
    journal = (machine.memory / "installed.json").read_bytes()
    machine.uninstall("cursor")
    (machine.memory / "installed.json").write_bytes(journal)
    assert [done.action for done in machine.uninstall("cursor")] == [UNCHANGED]
    assert machine.snapshot() == before
    (machine.memory / "installed.json").write_bytes(journal)
    machine.install("cursor")
    machine.uninstall("cursor")
    assert machine.snapshot() == before


def test_a_journal_that_cannot_be_used_says_so(machine: Machine) -> None:
    put(machine.memory / "installed.json", '{"version": 99, "files": {}}')
    with pytest.raises(ConfigError, match="version 99 is not known"):
        machine.install("cursor")


def test_two_clients_and_two_scopes_do_not_mix(machine: Machine) -> None:
    before = machine.snapshot()
    for client in CLIENTS:
        machine.install(client)
    machine.install("cursor", PROJECT)
    for client in reversed(CLIENTS):
        machine.uninstall(client)
    assert "memory" in says(machine.path("cursor", PROJECT))["mcpServers"]
    machine.uninstall("cursor", PROJECT)
    assert machine.snapshot() == before
