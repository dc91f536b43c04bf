"""``bench`` from end to end, on memories of a few sessions."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.doors.cli import call
from memory_fabric.errors import UsageError
from memory_fabric.evals.bench.build import build, home_below
from memory_fabric.evals.bench.run import SEED, Wish, run
from memory_fabric.evals.bench.synthetic import Language
from memory_fabric.settings import Settings

NOW = datetime(2026, 11, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def language() -> Language:
    return Language.of(SEED)


def test_a_run_measures_every_mode_stage_and_part(tmp_path: Path) -> None:
    told: list[str] = []
    settings = Settings(home=tmp_path / "users-own", embedder="hashed")
    wish = Wish((30,), queries=4, keep=tmp_path / "kept")
    found = json.loads(json.dumps(run(wish, settings, NOW, lambda what, *_: told.append(what))))
    assert (found["date"], found["seed"], found["queries"], found["rounds"]) == ("2026-11-30", SEED, 4, 3)
    assert {"python", "sqlite", "numpy"} <= set(found["versions"])
    (size,) = found["sizes"]
    assert size["memories"] == 30
    check_search(size)
    check_rest(size)
    assert {"saving", "embedding", "asking"} <= set(told)
    assert not settings.home.exists()


def check_search(size: dict[str, Any]) -> None:
    modes = size["search"]["modes"]
    assert set(modes) == {"auto", "hybrid", "vector", "graph", "text", "auto, one project"}
    for mode in modes.values():
        assert mode["n"] == 12
        assert len(mode["p50_of_rounds_ms"]) == 3
        for unit in ("ms", "cpu_ms"):
            assert 0 <= mode[unit]["p50"] <= mode[unit]["p95"] <= mode[unit]["p99"]
        assert {"all of it", "parse", "dispatch", "weigh", "fuse", "rank", "attach"} <= set(mode["stages_ms"])
        assert mode["degraded"] == 0
    named = set(modes["auto"]["stages_ms"])
    assert {f"dispatch: {source}" for source in ("text", "vector", "graph")} | {"embed the question"} <= named
    assert set(size["budget"]) == {"p50", "p95"}
    assert size["budget"]["p95"]["measured"] == modes["auto"]["ms"]["p95"]


def check_rest(size: dict[str, Any]) -> None:
    assert size["vectors"] >= size["memories"]
    assert set(size["ingest"]) == {"with_vectors", "without_vectors"}
    assert size["ingest"]["with_vectors"]["memories"] == size["memories"]
    assert 0 < size["store"]["bytes_a_memory_without_vectors"] < size["store"]["bytes_a_memory"]
    assert set(size["cold_start"]) == {"n", "python", "auto", "text"}
    assert set(size["lag_ms"]) == {"save", "embed", "text", "vector"}
    assert size["while_embedding_ms"]["notes_written"] > 0
    assert size["alone"]["vectors"] == size["vectors"]
    assert set(size["times_alone"]) == {
        "text / fts5",
        "vector / (embedding + numpy)",
        "auto / (embedding + numpy + fts5)",
    }
    assert set(size["peak_rss_mebibytes"]) == {"building", "asking"}


def test_the_command_prints_a_table_and_writes_the_data(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "none")
    out = tmp_path / "bench.json"
    assert call("bench", "--memories", "20", "--queries", "2", "--out", str(out)) == 0
    shown = capsys.readouterr().out
    (size,) = json.loads(out.read_text(encoding="utf-8"))["sizes"]
    assert set(size["search"]["modes"]) == {"text", "graph", "text, one project"}
    assert "20 memories, 0 vectors" in shown
    assert "budget p50 < 10 ms" in shown
    assert "stages of text, ms" in shown
    assert set(size["times_alone"]) == {"text / fts5"}


@pytest.mark.parametrize("sizes", ["19", "10000001", "ten", "20,", "-20", ""])
def test_what_is_no_size_is_the_users_mistake(sizes: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("bench", "--memories", sizes, "--json") == 2
    assert "is no size" in json.loads(capsys.readouterr().out)["error"]["message"]


def test_a_file_in_a_folder_that_is_not_there_is_refused_before_anything_is_measured(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("bench", "--out", str(tmp_path / "none" / "bench.json")) == 2
    assert "is no folder" in capsys.readouterr().err


def test_a_kept_memory_is_used_again_with_its_figures(tmp_path: Path, language: Language) -> None:
    settings = kept(tmp_path, language)
    first = build(settings, language, SEED, 30, lambda *_: None)
    again = build(settings, language, SEED, 30, lambda *_: None)
    assert first.figures["made_in_this_run"]
    assert not again.figures["made_in_this_run"]
    assert again.figures["ingest"] == first.figures["ingest"]
    assert first.bases is not None
    assert again.bases is not None
    assert all((a == b).all() for a, b in zip(first.bases.vectors, again.bases.vectors, strict=True))


def test_a_folder_that_holds_another_memory_is_refused(tmp_path: Path, language: Language) -> None:
    settings = kept(tmp_path, language)
    build(settings, language, SEED, 30, lambda *_: None)
    with pytest.raises(UsageError, match="was made of"):
        build(settings, language, SEED, 40, lambda *_: None)
    (settings.home / "built.json").unlink()
    with pytest.raises(UsageError, match="did not finish"):
        build(settings, language, SEED, 30, lambda *_: None)


def kept(folder: Path, language: Language) -> Settings:
    home = home_below(folder, 30, "hashed", language)
    home.mkdir()
    return Settings(home=home, embedder="hashed")
