"""Issue 4, point 5: a change may not lose more than its noise on small sets that lie here (``data/README.md``).

``MF_REGENERATE=1 pytest tests/quality/test_floors.py`` writes ``floors.json`` anew; read the difference of its figures
before committing it, and say in the message what was given up for what.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.quality.floors import ALL, DATA, MEASURES, MODES, RECORD, SETS, Set, Values, falls, figures, together

from memory_fabric.evals.half import Half
from memory_fabric.evals.run import Means, Suite, run
from memory_fabric.model.query import Mode
from memory_fabric.settings import Settings

Outcomes = dict[str, dict[str, Values]]
"""Mode → set → values."""

LARGEST = 3 << 20
"""Bytes of all sets: everybody who clones the repository has them."""

REGENERATE = bool(os.environ.get("MF_REGENERATE"))
"""Read on import: each test runs without the variables of the product."""


def asked(each: Set, mode: str, settings: Settings, keep: Path) -> Values:
    """One run as a user would make it, question by question; nothing may be left out."""
    transcripts = each.folder / "transcripts" if each.transcripts else None
    means = Means(settings, keep=keep / each.name)
    found: dict[str, Any] = run(Suite(each.suite, each.folder, transcripts), Mode(mode), means)
    assert not found["outages"]
    assert not found["left_out"]
    return {row["id"]: [row["measures"][name] for name in MEASURES] for row in found["questions"]}


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> Outcomes:
    """Every set in every mode, with the settings that everybody starts with."""
    home = tmp_path_factory.mktemp("quality")
    settings = Settings(home=home)
    return {mode: {each.name: asked(each, mode, settings, home) for each in SETS} for mode in MODES}


@pytest.fixture(scope="module")
def recorded(now: Outcomes) -> Outcomes:
    if REGENERATE:
        content = {
            "figures": {
                mode: {
                    name: {"n": len(values), **figures(values)}
                    for name, values in {**sets, ALL: together(sets)}.items()
                }
                for mode, sets in now.items()
            },
            "measures": MEASURES,
            "questions": now,
        }
        RECORD.write_text(written(content) + "\n", encoding="utf-8")
    found: dict[str, Any] = json.loads(RECORD.read_text(encoding="utf-8"))
    assert found["measures"] == list(MEASURES)
    questions: Outcomes = found["questions"]
    return questions


def written(value: Any, depth: int = 0) -> str:
    """JSON with a line a question: a change shows in the lines of what it touches."""
    if not isinstance(value, dict) or depth > 3 or all(isinstance(each, int | float) for each in value.values()):
        return json.dumps(value, ensure_ascii=False)
    rows = (f"{' ' * (depth + 1)}{json.dumps(name)}: {written(each, depth + 1)}" for name, each in value.items())
    return "{\n" + ",\n".join(rows) + "\n" + " " * depth + "}"


@pytest.mark.parametrize("each", SETS, ids=lambda each: each.name)
@pytest.mark.parametrize("mode", MODES)
def test_no_figure_has_fallen_by_more_than_its_noise(now: Outcomes, recorded: Outcomes, each: Set, mode: str) -> None:
    assert falls(recorded[mode][each.name], now[mode][each.name]) == []


@pytest.mark.parametrize("mode", MODES)
def test_nor_over_all_sets_together(now: Outcomes, recorded: Outcomes, mode: str) -> None:
    assert falls(together(recorded[mode]), together(now[mode])) == []


def test_the_figures_of_the_record_are_those_of_its_questions(recorded: Outcomes) -> None:
    told = json.loads(RECORD.read_text(encoding="utf-8"))["figures"]
    for mode, sets in recorded.items():
        for name, values in {**sets, ALL: together(sets)}.items():
            assert told[mode][name] == {"n": len(values), **figures(values)}


def worse(settings: Settings) -> Settings:
    """Where words and meaning no longer count."""
    return replace(settings, weight_recency=1.0, weight_relevance=0.0, weight_authority=0.0)


def folding(settings: Settings) -> Settings:
    """Where nearly everything counts as said before."""
    return replace(settings, dedup_threshold=0.02)


@pytest.mark.parametrize("broken", [worse, folding])
def test_a_broken_ranking_would_be_noticed(
    recorded: Outcomes, tmp_path: Path, broken: Callable[[Settings], Settings]
) -> None:
    """By the settings that everybody can set."""
    (talk,) = (each for each in SETS if each.name == "conversation")
    values = asked(talk, "text", broken(Settings(home=tmp_path)), tmp_path)
    assert falls(recorded["text"]["conversation"], values) != []


def flat(count: int, lost: int = 0) -> Values:
    """Questions that are all answered but the first ``lost``."""
    return {f"q{number}": [float(number >= lost)] * len(MEASURES) for number in range(count)}


@pytest.mark.parametrize(("lost", "noticed"), [(0, False), (5, False), (6, True), (40, True)])
def test_six_questions_lost_are_more_than_chance_and_five_are_not(lost: int, noticed: bool) -> None:
    assert bool(falls(flat(40), flat(40, lost))) is noticed


def test_what_is_gained_is_no_fall() -> None:
    assert falls(flat(40, lost=20), flat(40)) == []


def test_losses_and_gains_that_even_out_are_none() -> None:
    before = {**flat(40), **{f"more{number}": [0.0] * 3 for number in range(8)}}
    after = {**flat(40, lost=8), **{f"more{number}": [1.0] * 3 for number in range(8)}}
    assert falls(before, after) == []


def test_other_questions_than_are_recorded_are_refused() -> None:
    with pytest.raises(ValueError, match="1 missing, 0 new"):
        falls(flat(40), flat(39))


def test_a_loss_that_hides_in_each_set_shows_over_all() -> None:
    before, after = ({name: flat(40, lost) for name in ("a", "b")} for lost in (0, 3))
    assert not falls(before["a"], after["a"])
    assert falls(together(before), together(after))


def test_every_set_is_named_with_its_origin_and_together_they_are_small() -> None:
    page = (DATA / "README.md").read_text(encoding="utf-8")
    assert {path.name for path in DATA.iterdir() if path.is_dir()} == {each.name for each in SETS}
    for each in SETS:
        assert f"| `{each.name}` | `{each.suite}` |" in page
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < LARGEST


@pytest.mark.parametrize("name", ["pages", "assistant"])
def test_an_excerpt_shows_nothing_of_the_half_that_is_reported(recorded: Outcomes, name: str) -> None:
    assert {Half.of(id_) for id_ in recorded["text"][name]} == {Half.TUNE}
