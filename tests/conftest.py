"""What every test may rely on: an environment of its own, and no way out of the machine."""

from __future__ import annotations

import itertools
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

_FOREIGN = (
    "MEMORY_FABRIC_",
    "FABRIC_",
    "CLAUDE",
    "CODEX_",
    "GEMINI_",
    "MEM0_",
    "OPENAI_",
    "ANTHROPIC_",
    "XDG_",
    "GIT_",
)
"""Variables of the surroundings that would change what a test sees."""
_HOMES = ("HOME", "USERPROFILE", "APPDATA", "LOCALAPPDATA")

settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "sockets: the test opens network sockets, to this machine only")


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Fresh home directories, one a test."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def clean_environment(_homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory, and none of the user's settings; gives the home directory."""
    home = next(_homes)
    home.mkdir()
    for name in list(os.environ):
        if name.startswith(_FOREIGN):
            monkeypatch.delenv(name)
    for name in _HOMES:
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture(autouse=True)
def no_network(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """No socket is opened unless the test is marked ``sockets`` (C-118)."""
    if request.node.get_closest_marker("sockets"):
        return
    local = getattr(socket, "AF_UNIX", None)

    def refuse(opened: socket.socket, address: Any) -> None:
        if opened.family == local:
            return original(opened, address)
        raise AssertionError(f"a test opened a socket to {address!r}")

    original = socket.socket.connect
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)
