"""The benchmarks of hooks run and say what they measured; no time is judged here."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.hooks.conftest import OTHERS, PORT, QUESTION

from memory_fabric import Fabric, Settings

Transcript = Callable[..., Path]


@pytest.fixture
def script(request: pytest.FixtureRequest) -> Callable[[str], Any]:
    def load(name: str) -> Any:
        path = request.config.rootpath / "benchmarks" / f"{name}.py"
        spec = importlib.util.spec_from_file_location(f"benchmarks_{name}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module  # its dataclasses look themselves up there
        spec.loader.exec_module(module)
        return module

    return load


def test_hooks_are_timed_as_whole_processes(script: Callable[[str], Any], tmp_path: Path) -> None:
    out = tmp_path / "result.json"
    given = ["--memories", "60", "--n", "2", "--cache", str(tmp_path / "cache"), "--out", str(out)]
    script("hooks").main(given)
    result = json.loads(out.read_text(encoding="utf-8"))
    assert (result["n"], result["memories"]) == (2, 60)
    assert result["hooks"].keys() == {"python", "SessionStart", "UserPromptSubmit", "Stop"}
    for hook in result["hooks"].values():
        assert hook["wall_ms"].keys() == hook["cpu_ms"].keys() == {"p50", "p95", "max"}
    assert result["hooks"]["SessionStart"]["said"] == 2
    assert result["hooks"]["Stop"]["said"] == 0
    assert str(tmp_path) not in out.read_text(encoding="utf-8")


def test_the_bar_is_measured_on_both_halves(
    script: Callable[[str], Any], home: Path, transcript: Transcript, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    for place, path in ((home, transcript(PORT, *OTHERS)), (other, transcript(*OTHERS[:3], session="session-else"))):
        with Fabric.open(Settings.load(home=place)) as fabric:
            fabric.ingest([path])
    queries, questions = tmp_path / "queries.json", tmp_path / "suite" / "questions.json"
    rows = [{"commit": f"c{n}", "query": QUESTION, "gold_sessions": ["2026-05-01-session-old"]} for n in range(8)]
    queries.write_text(json.dumps(rows), encoding="utf-8")
    questions.parent.mkdir()
    questions.write_text(json.dumps([{"question": "Who wrote the longest novel of that century?"}]), encoding="utf-8")
    out = tmp_path / "result.json"
    given = ["--home", home, "--queries", queries, "--other", questions, "--other-prompts", other, "--out", out]
    script("hook_bar").main(list(map(str, given)))
    result = json.loads(out.read_text(encoding="utf-8"))
    own = [half["own"] for half in result["figures"].values()]
    assert result["figures"].keys() == {"even", "odd"}
    assert sum(each["n"] for each in own) == 8
    assert all(each["given"] == each["right"] == each["n"] for each in own)
    others = [half["suite"] for half in result["figures"].values() if "suite" in half]
    assert [each["given"] for each in others] == [0]
    assert result["chosen_on_even"].keys() == {"share", "words"}
