"""The benchmarks run and say what they measured; no time is judged here."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

import memory_fabric
from memory_fabric import Fabric, Settings

SAMPLE = Path(memory_fabric.__file__).parent / "sample"
QUANTILES = {"p50", "p95", "p99", "max"}
SPREAD = {"min", "median", "max"}


@pytest.fixture(scope="module")
def benchmarks(request: pytest.FixtureRequest) -> Any:
    script = request.config.rootpath / "benchmarks" / "run.py"
    spec = importlib.util.spec_from_file_location("benchmarks_run", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A memory of the packaged sample, without vectors."""
    home = tmp_path / "home"
    with Fabric.open(Settings.load({}, home=home, embedder="none")) as fabric:
        fabric.ingest([SAMPLE])
    return home


def measured(benchmarks: Any, tmp_path: Path, *given: object) -> dict[str, Any]:
    out = tmp_path / "result.json"
    benchmarks.main([*map(str, given), "--out", str(out)])
    result: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    assert result["benchmark"] == given[0]
    assert result["version"] == memory_fabric.__version__
    assert result["machine"].keys() == {"processors", "machine", "system", "python", "load_average", "loop_ms"}
    assert str(tmp_path) not in out.read_text(encoding="utf-8")
    return result


def test_ingest_tells_files_memories_speed_peak_and_second_run(benchmarks: Any, tmp_path: Path) -> None:
    pytest.importorskip("resource")
    result = measured(benchmarks, tmp_path, "ingest", "--transcripts", SAMPLE)
    assert result["files"] > 0
    assert result["bytes"] > 0
    assert result["memories"] > 0
    assert {"seconds", "cpu_seconds", "mebibytes_per_second", "peak_rss_mebibytes", "store_mebibytes"} < result.keys()
    assert result["second_run"].keys() == {"seconds", "cpu_seconds"}


def test_search_tells_quantiles_by_mode_and_stage(benchmarks: Any, tmp_path: Path, home: Path) -> None:
    asked = tmp_path / "questions.json"
    asked.write_text(json.dumps(["which database?", {"query": "why the cache?"}, "left out"]), encoding="utf-8")
    given = ("search", "--home", home, "--questions", asked, "--n", 2, "--modes", "text", "graph")
    result = measured(benchmarks, tmp_path, *given)
    assert result["n"] == 2
    assert result["memories"] > 0
    assert result["modes"].keys() == {"text", "graph"}
    text = result["modes"]["text"]
    assert text.keys() == {"wall_ms", "cpu_ms", "first_ms", "stages_wall_ms", "degraded"}
    assert text["wall_ms"].keys() == text["cpu_ms"].keys() == text["stages_wall_ms"]["text"].keys() == QUANTILES


@pytest.mark.skipif(not hasattr(os, "wait4"), reason="the system cannot tell what a process took")
def test_process_tells_times_and_peak_beside_those_of_python(benchmarks: Any, tmp_path: Path, home: Path) -> None:
    result = measured(benchmarks, tmp_path, "process", "--home", home, "--n", 1, "--modes", "text")
    assert result["commands"].keys() == {"python", "version", "search text"}
    for command in result["commands"].values():
        assert command.keys() == {"wall_seconds", "cpu_seconds", "peak_rss_mebibytes", "times_python"}
        assert command["wall_seconds"].keys() == SPREAD
    assert result["commands"]["python"]["times_python"]["wall"] == 1.0
