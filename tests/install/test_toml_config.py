"""The text of a TOML configuration, changed in place (Codex CLI)."""

from __future__ import annotations

import pytest

from memory_fabric.doors.install import toml_config
from memory_fabric.doors.install.faults import SyntaxFault
from memory_fabric.doors.install.toml_tables import tables

OURS = {"command": "/opt/mf", "args": ["mcp"], "env": {"A B": 'x"\\y'}}


def added(text: str) -> str:
    return toml_config.add(text, ["mcp_servers"], "memory", OURS, "\n")[0]


def test_a_table_of_its_own_comes_last_after_a_blank_line() -> None:
    assert added('model = "o3"\n') == (
        'model = "o3"\n\n[mcp_servers.memory]\ncommand = "/opt/mf"\nargs = ["mcp"]\nenv = { "A B" = "x\\"\\\\y" }\n'
    )
    assert toml_config.value_of(added(""))["mcp_servers"]["memory"] == OURS


@pytest.mark.parametrize("closed", ["mcp_servers = {}\n", "a = 1\nmcp_servers = { x = { command = 'y' } }\n"])
def test_a_closed_table_is_refused_with_its_line_and_the_remedy(closed: str) -> None:
    with pytest.raises(
        SyntaxFault, match=r"mcp_servers is closed: write its members as \[mcp_servers.NAME\]"
    ) as raised:
        added(closed)
    assert raised.value.line == closed.count("\n")


def test_what_is_no_toml_is_refused_with_its_line() -> None:
    with pytest.raises(SyntaxFault) as raised:
        toml_config.value_of("a = 1\nb = \nc = 3\n")
    assert raised.value.line == 2


@pytest.mark.parametrize(
    "behind", ["# a remark\n", "\n# for what follows\n[next]\nx = 1\n", "\n\n[[list]]\n", '[a]\ntext = """\n# x"""\n']
)
def test_what_stands_behind_our_table_stays(behind: str) -> None:
    text = "[before]\ny = 2\n"
    after = toml_config.remove(added(text) + behind, ("mcp_servers", "memory"))
    assert behind in after
    assert toml_config.value_of(after) == toml_config.value_of(text + behind)


def test_tables_that_the_client_put_into_ours_go_with_it() -> None:
    """Codex keeps what the user allowed there."""
    text = added("") + '\n[mcp_servers.memory.tools.search_nodes]\napproval_mode = "approve"\n\n[x]\ny = 1\n'
    assert toml_config.value_of(toml_config.remove(text, ("mcp_servers", "memory"))) == {"x": {"y": 1}}


def test_ours_written_otherwise_is_left_and_said() -> None:
    with pytest.raises(SyntaxFault, match="not written as a table of its own"):
        toml_config.remove("mcp_servers.memory.command = 'mf'\n", ("mcp_servers", "memory"))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("a = 1\n", []),
        ('[a]\nx = """\n[b]\n"""\n[c.d] # [e]\n', [("a",), ("c", "d")]),
        ("[a]\nx = [\n[1],\n[2]\n]\n  [b]\n", [("a",), ("b",)]),
        ("[[a]]\n[[a]]\n", [("a",), ("a",)]),
        ('[a.\'b.c\'."d\\""]\r\n', [("a", "b.c", 'd"')]),
        ("x = '''\n[a]'''\n[b]", [("b",)]),
    ],
)
def test_tables_are_found_where_they_are(text: str, paths: list[tuple[str, ...]]) -> None:
    assert [table.path for table in tables(text)] == paths


def test_a_replaced_table_comes_back_as_it_was_written() -> None:
    text = "[mcp_servers.memory]\ncommand = 'npx' # theirs\nargs = [ ]\n"
    swapped, old = toml_config.swap(text, ("mcp_servers", "memory"), OURS, "\n")
    assert toml_config.value_of(swapped)["mcp_servers"]["memory"] == OURS
    assert toml_config.restore(swapped, ("mcp_servers", "memory"), old, "\n") == text
