"""What an installer must leave alone: others' servers of the same name, files that it cannot read or write."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.install.machines import PROGRAM, Machine, put, says

from memory_fabric.doors.install import files
from memory_fabric.doors.install.faults import NameTaken, UnreadableConfig
from memory_fabric.doors.install.installer import UNCHANGED
from memory_fabric.doors.install.program import Program
from memory_fabric.errors import ConfigError

OTHER = {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory"], "env": {"KEY": "sk-theirs"}}


# ── names that are taken ─────────────────────────────────────────────────────────────────────────────────────────────


def test_another_server_of_that_name_is_not_overwritten(machine: Machine) -> None:
    path = put(machine.here.home / ".claude.json", json.dumps({"mcpServers": {"memory": OTHER}}))
    before = machine.snapshot()
    with pytest.raises(NameTaken) as raised:
        machine.install("claude-code")
    assert "npx -y @modelcontextprotocol/server-memory" in raised.value.message
    assert "--replace" in raised.value.hint
    assert "--name memory-fabric" in raised.value.hint
    assert "sk-theirs" not in raised.value.message
    assert machine.snapshot() == before, "no other file of the client may be changed either"
    machine.install("claude-code", name="memory-fabric")
    assert list(says(path)["mcpServers"]) == ["memory", "memory-fabric"]
    assert [done.action for done in machine.install("claude-code")] == [UNCHANGED, UNCHANGED]
    machine.uninstall("claude-code")
    assert machine.snapshot() == before


@pytest.mark.parametrize("rewritten", [False, True])
def test_a_replaced_server_comes_back(rewritten: bool, machine: Machine) -> None:
    text = '{\n  "mcpServers": {\n    "memory": {"command": "npx" /* old */}, "x": {"command": "y"}\n  }\n}\n'
    path = put(machine.here.home / ".cursor" / "mcp.json", text)
    machine.install("cursor", replace=True)
    assert says(path)["mcpServers"]["memory"]["command"] == PROGRAM.path
    assert [done.action for done in machine.install("cursor")] == [UNCHANGED]
    machine.install("cursor", program=Program("/new/mf", platform="linux"))
    assert says(path)["mcpServers"]["memory"]["command"] == "/new/mf"
    if rewritten:
        path.write_text(json.dumps({**says(path), "more": 1}), encoding="utf-8")
    machine.uninstall("cursor")
    if rewritten:
        assert '"memory": {"command": "npx" /* old */}' in path.read_text()
        assert '"more": 1' in path.read_text()
    else:
        assert path.read_text() == text


def test_a_replaced_table_of_codex_comes_back(machine: Machine) -> None:
    text = 'a = 1\n\n[mcp_servers.memory]\ncommand = "npx" # old\n\n[mcp_servers.memory.env]\nK = "v"\n\n[z]\nb = 2\n'
    path = put(machine.here.home / ".codex" / "config.toml", text)
    with pytest.raises(NameTaken):
        machine.install("codex")
    machine.install("codex", replace=True)
    assert says(path)["mcp_servers"]["memory"]["command"] == PROGRAM.path
    machine.uninstall("codex")
    assert path.read_text() == text


# ── what is refused ──────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("client", "data", "told"),
    [
        ("cursor", b'{\n  "a": 1\n  "b": 2\n}', "line 3: expected ','"),
        ("codex", b"a = 1\nb = = 2\n", "line 2: "),
        ("cursor", b'{\n"a": "\xff"}', "line 2: it is not UTF-8"),
        ("cursor", "{}".encode("utf-16"), "line 1: it is UTF-16, not UTF-8"),
        ("cursor", b'{\n"mcpServers": []}', "line 2: mcpServers is not an object"),
        ("codex", b"mcp_servers = {}\n", "line 1: mcp_servers is closed"),
    ],
)
def test_what_cannot_be_read_is_left_with_file_line_and_remedy(
    client: str, data: bytes, told: str, machine: Machine
) -> None:
    path = machine.path(client)
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    before = machine.snapshot()
    with pytest.raises(UnreadableConfig) as raised:
        machine.install(client)
    assert str(path) in raised.value.message
    assert told in raised.value.message
    assert raised.value.hint
    assert machine.snapshot() == before
    assert not machine.memory.exists()


def test_one_unreadable_file_of_a_client_spares_the_other(machine: Machine) -> None:
    put(machine.here.home / ".claude.json", "{")
    settings = put(machine.here.home / ".claude" / "settings.json", "{}")
    with pytest.raises(UnreadableConfig):
        machine.install("claude-code")
    assert settings.read_text() == "{}"


def test_a_file_that_changes_while_it_is_written_is_not_overwritten(tmp_path: Path) -> None:
    path = put(tmp_path / "mcp.json", "{}")
    before = files.read(path)
    path.write_text('{"theirs": 1}', encoding="utf-8")
    with pytest.raises(UnreadableConfig, match="changed by another program"):
        files.write(before, b"ours")
    assert path.read_text() == '{"theirs": 1}'
    assert [each.name for each in tmp_path.iterdir()] == ["mcp.json"], "no temporary file stays"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root cannot be denied a file")
def test_a_folder_that_cannot_be_written_is_named(machine: Machine) -> None:
    path = put(machine.here.home / ".cursor" / "mcp.json", "{}")
    path.parent.chmod(0o500)
    try:
        with pytest.raises(ConfigError, match="cannot be written"):
            machine.install("cursor")
    finally:
        path.parent.chmod(0o700)


def test_a_folder_in_the_files_place_is_named(machine: Machine) -> None:
    machine.path("cursor").mkdir(parents=True)
    with pytest.raises(UnreadableConfig, match="cannot be read"):
        machine.install("cursor")
