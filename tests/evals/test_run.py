"""A suite, run end to end on a store of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.evals.conftest import QUERIES, MakeData

from memory_fabric.app import Fabric
from memory_fabric.errors import UsageError
from memory_fabric.evals.measures import MEASURES
from memory_fabric.evals.run import Suite, run
from memory_fabric.model.query import Mode, Scope
from memory_fabric.settings import Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "users-own", embedder="hashed")


@pytest.mark.parametrize("mode", [Mode.AUTO, Mode.TEXT, Mode.HYBRID, Mode.VECTOR])
def test_a_run_gives_the_promised_shape_and_finds_the_sessions(
    make_data: MakeData, transcripts: Path, settings: Settings, mode: Mode
) -> None:
    """Design §7: ``{"suite", "mode", "n", "metrics", "by"}``."""
    report = run(Suite("commits", make_data(), transcripts), mode, settings=settings)
    assert (report["suite"], report["mode"], report["n"]) == ("commits", mode.value, 3)
    metrics, by = report["metrics"], report["by"]
    assert isinstance(metrics, dict)
    assert isinstance(by, dict)
    assert list(metrics) == list(MEASURES)
    assert metrics["hit@1"] == 1.0
    assert metrics["recall@5"] == 1.0
    assert by["not_verbatim"]["n"] == 2
    assert list(by["not_verbatim"]) == ["n", *MEASURES]
    assert report["memories"] == 4


def test_the_users_own_memory_is_left_alone(make_data: MakeData, transcripts: Path, settings: Settings) -> None:
    run(Suite("commits", make_data(), transcripts), Mode.TEXT, settings=settings)
    assert not settings.home.exists()


def test_a_store_that_is_kept_is_used_again(
    make_data: MakeData, transcripts: Path, settings: Settings, tmp_path: Path
) -> None:
    """And tool calls stay out of it, because ``git commit -m`` holds the question."""
    keep = tmp_path / "kept"
    first = run(Suite("commits", make_data(), transcripts), Mode.TEXT, settings=settings, keep=keep)
    again = run(Suite("commits", make_data(), transcripts), Mode.TEXT, settings=settings, keep=keep)
    assert again["metrics"] == first["metrics"]
    with Fabric.open(Settings(home=keep, embedder="none")) as fabric:
        assert not any("tools" in memory.metadata for memory in fabric.store.recent(Scope(), 99))


def test_progress_is_told_by_step(make_data: MakeData, transcripts: Path, settings: Settings) -> None:
    told: list[tuple[str, int, int]] = []
    run(
        Suite("commits", make_data(), transcripts),
        Mode.AUTO,
        settings=settings,
        progress=lambda *step: told.append(step),
    )
    assert {what for what, _, _ in told} == {"reading", "embedding", "asking"}
    assert [step for step in told if step[0] == "asking"] == [("asking", n, 3) for n in (1, 2, 3)]
    assert all(0 <= done <= of for _, done, of in told)


def test_only_verbatim_questions_leave_nothing_to_report_apart(
    make_data: MakeData, transcripts: Path, settings: Settings
) -> None:
    report = run(Suite("commits", make_data([QUERIES[1]]), transcripts), Mode.TEXT, settings=settings)
    assert report["by"] == {}


def test_a_session_that_is_not_found_counts_nought(make_data: MakeData, transcripts: Path, settings: Settings) -> None:
    lost = {"commit": "c9", "query": "zzz qqq xxx", "gold_sessions": ["nowhere"]}
    report = run(Suite("commits", make_data([QUERIES[1], lost]), transcripts), Mode.TEXT, settings=settings)
    metrics = report["metrics"]
    assert isinstance(metrics, dict)
    assert metrics["hit@10"] == 0.5


def test_an_unknown_suite_is_the_users_mistake(make_data: MakeData, transcripts: Path) -> None:
    with pytest.raises(UsageError) as raised:
        run(Suite("comits", make_data(), transcripts))
    assert "commits" in raised.value.hint


def test_transcripts_that_are_not_there_are_the_users_mistake(
    make_data: MakeData, tmp_path: Path, settings: Settings
) -> None:
    with pytest.raises(UsageError, match="nowhere"):
        run(Suite("commits", make_data(), tmp_path / "nowhere"), settings=settings)
