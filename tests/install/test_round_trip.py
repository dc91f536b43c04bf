"""``install`` then ``uninstall`` leaves a client's configuration byte-identical, whatever it looked like (issue 3)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from tests.install.layouts import json_texts, toml_texts
from tests.install.machines import Machine, machine_in

from memory_fabric.doors.install.clients import CLIENTS
from memory_fabric.doors.install.edit import SYNTAXES
from memory_fabric.doors.install.faults import SyntaxFault
from memory_fabric.doors.install.installer import DELETED, RESTORED, UNCHANGED
from memory_fabric.doors.install.surroundings import PROJECT, USER

JSON_CLIENTS = [name for name in CLIENTS if name != "codex"]
BOMS = st.sampled_from(["", "\ufeff"])
MANY = settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
ODD = [
    "",
    " ",
    "\n",
    "{}",
    "{ }",
    "{\n}",
    "{\r\n}\r\n",
    "{\n\t\n}\n",
    '{"a":1}',
    '{ "a": 1 }',
    '{\n\t"a": 1,\n\t"mcpServers": {},\n}',
    "{\n// x\n}",
    '{"mcpServers": {\n}}',
    '{\n  "mcpServers": { /* none */ },\n  "servers": {}, "mcp": {}, "hooks": {"Stop": [], "SessionStart": [ ]}\n}\n',
    '{\r\n    "hooks": {\r\n        "Stop": [ // mine\r\n        ]\r\n    }\r\n}',
    '{"mcpServers": {}, "mcpServers": {"x": {"command": "y"}}}',
]
"""Texts that a generator finds only now and then."""


def round_trip(client: str, texts: list[str], bom: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = machine_in(Path(folder))
        for file, text in zip(machine.files(client), texts, strict=False):
            file.path.parent.mkdir(parents=True, exist_ok=True)
            file.path.write_bytes((bom + text).encode())
        before = machine.snapshot()
        machine.install(client)
        installed = machine.snapshot()
        for file, text in zip(machine.files(client), texts, strict=False):
            only_ours_was_added(file.path, file.syntax, text)
        assert [done.action for done in machine.install(client)] == [UNCHANGED] * len(machine.files(client))
        assert machine.snapshot() == installed
        assert {done.action for done in machine.uninstall(client)} <= {RESTORED, DELETED}
        assert machine.snapshot() == before


def only_ours_was_added(path: Path, kind: str, before: str) -> None:
    """What the file said it says still, in its order."""
    syntax = SYNTAXES[kind]
    after = syntax.value_of(path.read_text(encoding="utf-8-sig"))
    assert_within(syntax.value_of(before), after)


def assert_within(less: Any, more: Any) -> None:
    if isinstance(less, dict):
        assert [key for key in more if key in less] == list(less)
        for key, value in less.items():
            assert_within(value, more[key])
    elif isinstance(less, list):
        assert more[: len(less)] == less
    else:
        assert more == less


@pytest.mark.parametrize("client", JSON_CLIENTS)
@pytest.mark.parametrize("text", ODD)
def test_an_odd_json_file_comes_back_to_the_byte(client: str, text: str) -> None:
    round_trip(client, [text, text])


@MANY
@given(
    client=st.sampled_from(JSON_CLIENTS), first=json_texts(), second=json_texts(), bom=st.sampled_from(["", "\ufeff"])
)
def test_any_json_file_comes_back_to_the_byte(client: str, first: str, second: str, bom: str) -> None:
    round_trip(client, [first, second], bom)


@MANY
@given(text=toml_texts(), bom=BOMS)
@example(text="", bom="")
@example(text="\n", bom="")
@example(text="# only this", bom="")
@example(text='[mcp_servers]\n[mcp_servers.other]\ncommand = "x"', bom="")
def test_any_toml_file_comes_back_to_the_byte(text: str, bom: str) -> None:
    round_trip("codex", [text], bom)


@pytest.mark.parametrize(
    ("client", "scope"),
    [(name, scope) for name, client in CLIENTS.items() for scope in (USER, PROJECT) if scope == USER or client.project],
)
def test_what_was_not_there_is_gone_with_the_folders_made_for_it(client: str, scope: str, machine: Machine) -> None:
    before = machine.snapshot()
    machine.install(client, scope)
    assert all(file.path.is_file() for file in machine.files(client, scope))
    assert {done.action for done in machine.uninstall(client, scope)} == {DELETED}
    assert machine.snapshot() == before
    assert not (machine.memory / "installed.json").exists()


@MANY
@given(client=st.sampled_from(JSON_CLIENTS), text=json_texts(comments=False), data=st.data())
def test_what_changed_meanwhile_stays_and_only_ours_goes(client: str, text: str, data: st.DataObject) -> None:
    """The client itself writes its file anew, with other layout and more in it."""
    with tempfile.TemporaryDirectory() as folder:
        machine = machine_in(Path(folder))
        path = machine.path(client)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        machine.install(client)
        changed = {**json.loads(path.read_text("utf-8")), "numStartups": 7}
        indent = data.draw(st.sampled_from([None, 2, "\t"]))
        path.write_text(json.dumps(changed, indent=indent), encoding="utf-8")
        machine.uninstall(client)
        expected = {**json.loads(text), "numStartups": 7}
        assert path.read_text("utf-8") == json.dumps(expected, indent=indent)


@MANY
@given(client=st.sampled_from(JSON_CLIENTS), text=json_texts())
def test_without_the_journal_nothing_of_others_is_lost(client: str, text: str) -> None:
    """The memory's folder was deleted: our entries are known by their form."""
    with tempfile.TemporaryDirectory() as folder:
        machine = machine_in(Path(folder))
        for file in machine.files(client):
            file.path.parent.mkdir(parents=True, exist_ok=True)
            file.path.write_text(text, encoding="utf-8", newline="")
        machine.install(client)
        (machine.memory / "installed.json").unlink()
        machine.uninstall(client)
        for file in machine.files(client):
            says = SYNTAXES["json"].value_of(file.path.read_text("utf-8"))
            assert without_empty(says) == without_empty(SYNTAXES["json"].value_of(text))


def without_empty(value: Any) -> Any:
    """Without the containers that may be left over: empty ones."""
    if not isinstance(value, dict):
        return value
    inner = {key: without_empty(each) for key, each in value.items()}
    return {key: each for key, each in inner.items() if each not in ({}, [])}


@MANY
@given(text=toml_texts(), more=st.sampled_from(["[other]\nx = 1\n", "[mcp_servers.z]\ncommand = 'z'\n", "# end\n"]))
def test_a_toml_file_that_grew_keeps_what_it_grew(text: str, more: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        machine = machine_in(Path(folder))
        path = machine.path("codex")
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8", newline="")
        machine.install("codex")
        grown = path.read_text("utf-8") + "\n" + more
        try:
            SYNTAXES["toml"].value_of(text + "\n" + more)
        except SyntaxFault:  # a table that is there already: not what this is about
            assume(False)
        path.write_text(grown, encoding="utf-8", newline="")
        machine.uninstall("codex")
        after = path.read_text("utf-8")
        assert SYNTAXES["toml"].value_of(after) == SYNTAXES["toml"].value_of(text + "\n" + more)
        assert more.strip() in after
