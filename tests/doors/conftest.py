"""A memory read from the packaged sample, and calls of the program in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import memory_fabric
from memory_fabric.doors.cli import call as call_program

SAMPLE = Path(memory_fabric.__file__).parent / "sample" / "home"


@dataclass(frozen=True)
class Called:
    """How one call ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Called]


@pytest.fixture(autouse=True)
def machine(clean_environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No transcripts, a current folder without a project, no embedding model; gives the home folder."""
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(tmp_path / "memory"))
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "none")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(clean_environment)
    return clean_environment


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Call:
    """Runs the program with some words; prints nothing of its own."""

    def run(*words: str | Path) -> Called:
        capsys.readouterr()
        code = call_program(*map(str, words))
        out, err = capsys.readouterr()
        return Called(code, out, err)

    return run


@pytest.fixture(scope="session")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A memory of the sample, for reading only."""
    from memory_fabric import Fabric, Settings

    home = tmp_path_factory.mktemp("sampled")
    with Fabric.open(Settings(home=home, embedder="none")) as fabric:
        fabric.ingest([SAMPLE])
    return home


@pytest.fixture
def remembering(sampled: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The program's memory is that of the sample."""
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(sampled))
    return sampled


def exchange(number: int, prompt: str, reply: str, *, session: str = "s-1", cwd: str = "/work/shop") -> list[str]:
    """Two lines of a transcript as Claude Code writes them."""
    stamp = f"2026-05-{number:02d}T10:00:00.000Z"
    common = {"sessionId": session, "cwd": cwd, "isSidechain": False, "userType": "external", "version": "2.1.0"}
    ask = {
        **common,
        "type": "user",
        "uuid": f"{session}-u{number}",
        "parentUuid": f"{session}-a{number - 1}" if number > 1 else None,
        "timestamp": stamp,
        "message": {"role": "user", "content": prompt},
    }
    answer = {
        **common,
        "type": "assistant",
        "uuid": f"{session}-a{number}",
        "parentUuid": f"{session}-u{number}",
        "timestamp": stamp.replace("10:00", "10:01"),
        "message": {
            "role": "assistant",
            "id": f"msg-{session}-{number}",
            "model": "claude-opus-4-5",
            "content": [{"type": "text", "text": reply}],
        },
    }
    return [json.dumps(ask), json.dumps(answer)]


@pytest.fixture
def transcript(tmp_path: Path) -> Callable[..., Path]:
    """Writes a transcript of some exchanges below a folder, and gives its path."""

    def write(name: str, *turns: tuple[str, str], session: str = "s-1", broken: bool = False) -> Path:
        lines = [line for number, turn in enumerate(turns, 1) for line in exchange(number, *turn, session=session)]
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join([*lines, *(['{"type": "user", "mess'] if broken else []), ""]), encoding="utf-8")
        return path

    return write
