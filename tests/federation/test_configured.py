"""``sources.json``: what it may say, that nothing of it is lost, and that no secret is in it."""

from __future__ import annotations

import json
import os
import stat
import sys
import types
from pathlib import Path

import pytest

from memory_fabric import Settings
from memory_fabric.errors import ConfigError, SourceUnavailable, UsageError
from memory_fabric.sources.configured import (
    FIELDS,
    NAME,
    RESERVED,
    Configured,
    McpServer,
    Mem0Cloud,
    Mem0Library,
    add,
    as_json,
    check,
    config_path,
    kind_of,
    made,
    named,
    read,
    remove,
    write,
)
from memory_fabric.sources.secret import secret_of

NOTES = McpServer(name="notes", command=("npx", "-y", "@modelcontextprotocol/server-memory"), env=("MEMORY_FILE_PATH",))
TEAM = McpServer(name="team", url="https://memory.example/mcp", token_env="TEAM_TOKEN", deadline=1.5, push=True)
CLOUD = Mem0Cloud(name="mem0", user_id="me", org="o", project="p", graph=True, enabled=False)
LOCAL = Mem0Library(name="local", config="mem0.json", keyring="memory-fabric")
ALL: tuple[Configured, ...] = (NOTES, TEAM, CLOUD, LOCAL)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write(tmp_path, ALL)
    assert read(tmp_path) == ALL


def test_without_a_file_there_is_none(tmp_path: Path) -> None:
    assert read(tmp_path) == ()
    assert not config_path(tmp_path).exists()


def test_the_settings_know_the_file(tmp_path: Path) -> None:
    assert Settings(home=tmp_path).sources == config_path(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="modes are of POSIX")
def test_only_its_owner_reads_it_whatever_the_umask(tmp_path: Path) -> None:
    """C-117: umask 000."""
    home = tmp_path / "fresh"
    before = os.umask(0)
    try:
        write(home, ALL)
        write(home, ALL[:1])
    finally:
        os.umask(before)
    assert stat.S_IMODE(config_path(home).stat().st_mode) == 0o600
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert [path.name for path in home.iterdir()] == ["sources.json"]


def test_entries_are_added_behind_and_taken_out_by_name(tmp_path: Path) -> None:
    for entry in ALL:
        add(tmp_path, entry)
    assert read(tmp_path) == ALL
    assert remove(tmp_path, "team") == TEAM
    assert read(tmp_path) == (NOTES, CLOUD, LOCAL)


def test_a_name_is_given_once(tmp_path: Path) -> None:
    add(tmp_path, NOTES)
    with pytest.raises(UsageError, match="'notes' is there already"):
        add(tmp_path, Mem0Cloud(name="notes"))
    assert read(tmp_path) == (NOTES,)


def test_an_unknown_name_is_told_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'nots'") as caught:
        named(ALL, "nots")
    assert "notes, team, mem0, local" in caught.value.hint
    with pytest.raises(UsageError):
        remove(tmp_path, "notes")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "cannot be read"),
        ('[{"type": "mcp", "name": "x", "comand": ["y"]}]', "comand"),
        ('[{"type": "mcp"}]', "name"),
        ('[{"type": "redis", "name": "x"}]', "redis"),
        ('[{"type": "mcp", "name": "x", "command": ["y"], "deadline": 0}]', "deadline"),
        ('[{"type": "mcp", "name": "x"}]', "command or an address"),
        ('[{"type": "mem0", "name": "x"}, {"type": "mem0", "name": "x"}]', "'x'"),
        ("\xff", "cannot be read"),
    ],
)
def test_a_broken_file_is_named_in_one_line_and_left_as_it_is(tmp_path: Path, text: str, said: str) -> None:
    """Nothing is lost: neither by reading, nor by what would change it."""
    path = config_path(tmp_path)
    path.write_bytes(text.encode("latin-1"))
    for tried in (lambda: read(tmp_path), lambda: add(tmp_path, NOTES), lambda: remove(tmp_path, "x")):
        with pytest.raises(ConfigError) as caught:
            tried()
        assert str(path) in caught.value.message
        assert said in caught.value.message
        assert "\n" not in caught.value.message
        assert caught.value.hint
    assert path.read_bytes() == text.encode("latin-1")


@pytest.mark.parametrize("name", ["a", "a1", "my-notes", "my_notes", "9", "a" * 40])
def test_names_are_slugs(name: str) -> None:
    assert NAME.match(name)
    check(Mem0Cloud(name=name))


@pytest.mark.parametrize("name", ["", "-a", "a-", "A", "a b", "a:b", "ä", "a\n", "a/b", "a" * 41, *sorted(RESERVED)])
def test_other_names_and_our_own_sources_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        check(Mem0Cloud(name=name))


@pytest.mark.parametrize(
    "entry",
    [
        McpServer(name="x"),
        McpServer(name="x", command=("y",), url="http://z"),
        McpServer(name="x", url="ftp://z"),
        McpServer(name="x", url="http://"),
        McpServer(name="x", url="http://[::1"),
        McpServer(name="x", command=("y",), env=("A=B",)),
        McpServer(name="x", command=("y",), env=("",)),
        McpServer(name="x", command=("y",), keyring="memory-fabric"),
        Mem0Cloud(name="x", host="api.mem0.ai"),
        Mem0Cloud(name="x", token_env="m0-abc"),
    ],
)
def test_what_cannot_be_meant_is_refused(entry: Configured) -> None:
    with pytest.raises(UsageError, match="source x"):
        check(entry)


@pytest.mark.parametrize("url", ["https://me:pw@memory.example/mcp", "https://me@memory.example/mcp"])
def test_an_address_with_a_password_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(UsageError, match="source x") as caught:
        check(McpServer(name="x", url=url))
    assert "me" not in caught.value.message.replace("memory", "").replace("name", "")
    assert "--token-env" in caught.value.hint


def test_a_secret_in_the_place_of_its_variable_is_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        check(McpServer(name="x", url="http://z", token_env="sk-ant-api03-" + "A" * 40))
    assert "AAAA" not in caught.value.message + caught.value.hint


def test_entries_are_shown_and_made_whole() -> None:
    for entry in ALL:
        shown = as_json(entry)
        assert shown["type"] == kind_of(entry)
        assert set(shown) == FIELDS[kind_of(entry)] | {"type"}
        assert json.loads(json.dumps(shown)) == shown
        assert made(shown.pop("type"), shown) == entry
    with pytest.raises(UsageError, match="source x"):
        made("mcp", {"name": "x", "command": ["y"], "deadline": "soon"})


# ── secrets ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_variable_holds_the_secret() -> None:
    assert secret_of("x", "X_TOKEN", None, {"X_TOKEN": "s"}) == "s"
    assert secret_of("x", None, None, {"X_TOKEN": "s"}) is None


@pytest.mark.parametrize("environment", [{}, {"X_TOKEN": ""}])
def test_a_missing_variable_is_an_outage_that_says_what_to_set(environment: dict[str, str]) -> None:
    with pytest.raises(SourceUnavailable, match="x: the variable X_TOKEN is not set") as caught:
        secret_of("x", "X_TOKEN", None, environment)
    assert "X_TOKEN" in caught.value.hint


def test_without_the_keyring_package_the_hint_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    with pytest.raises(SourceUnavailable, match="not installed") as caught:
        secret_of("x", "X_TOKEN", "memory-fabric", {})
    assert "memory-fabric[keyring]" in caught.value.hint


class KeyringError(Exception):
    """As the package has it."""


@pytest.fixture
def keyring(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, str], str]:
    """A keyring in memory behind the package's interface, in place of the system's own."""
    kept: dict[tuple[str, str], str] = {}

    def get_password(service: str, user: str) -> str | None:
        if service == "locked":
            raise KeyringError("the keyring is locked")
        return kept.get((service, user))

    package, errors = types.ModuleType("keyring"), types.ModuleType("keyring.errors")
    package.get_password = get_password  # type: ignore[attr-defined]
    errors.KeyringError = KeyringError  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", package)
    monkeypatch.setitem(sys.modules, "keyring.errors", errors)
    return kept


def test_the_keyring_is_asked_when_the_variable_is_not_set(keyring: dict[tuple[str, str], str]) -> None:
    keyring["memory-fabric", "x"] = "kept"
    assert secret_of("x", "X_TOKEN", "memory-fabric", {"X_TOKEN": "set"}) == "set"
    assert secret_of("x", "X_TOKEN", "memory-fabric", {}) == "kept"
    assert secret_of("x", None, "memory-fabric", {}) == "kept"


@pytest.mark.parametrize(("service", "said"), [("empty", "has nothing for 'empty'"), ("locked", "is locked")])
def test_a_keyring_that_does_not_have_it_is_an_outage(
    keyring: dict[tuple[str, str], str], service: str, said: str
) -> None:
    with pytest.raises(SourceUnavailable, match=said) as caught:
        secret_of("x", None, service, {})
    assert caught.value.hint
