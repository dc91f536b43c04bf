"""Result files, written and read back; whatever is wrong in one is named and nothing is guessed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.evals.outcomes import content, outcome, run_of, write

from memory_fabric.errors import UsageError
from memory_fabric.evals.outcome import Outcome, groups_of, summary
from memory_fabric.evals.results import read_all, read_run, read_runs

TWO = [
    outcome(
        "q1", 1, categories=("easy", "short"), milliseconds=2.5, group="g", score=0.5, confidence=3.25, graph=0.125
    ),
    outcome("q2", 4, categories=("hard",), milliseconds=4.0),
]


def test_a_run_is_read_back_as_it_was(tmp_path: Path) -> None:
    made = run_of("auto", TWO, split="dev", seed=7, machine={"processors": 2})
    (read,) = read_runs(write(tmp_path / "a.json", made))
    assert (read.name, read.suite, read.mode) == ("auto", "talks", "auto")
    assert [each.as_json() for each in read.outcomes] == [each.as_json() for each in TWO]
    assert read.outcomes[0] == TWO[0]
    assert {name: read.about[name] for name in ("split", "seed", "machine")} == made.about
    assert list(read.categories()) == ["easy", "short", "hard"]


def test_a_file_of_all_modes_gives_a_run_for_each(tmp_path: Path) -> None:
    modes = {name: content(run_of(name, TWO)) for name in ("bm25", "text", "auto")}
    path = write(tmp_path / "all.json", {**content(run_of("auto", TWO)), "modes": modes})
    assert [run.name for run in read_runs(path)] == ["bm25", "text", "auto"]
    assert read_run(str(path)).mode == "auto"
    assert read_run(f"{path}#text").mode == "text"
    with pytest.raises(UsageError, match="no run of mode 'graph'") as raised:
        read_run(f"{path}#graph")
    assert "bm25, text, auto" in raised.value.hint


def test_a_mark_in_a_files_own_name_is_part_of_it(tmp_path: Path) -> None:
    path = write(tmp_path / "run#text", run_of("hybrid", TWO))
    assert read_run(str(path)).mode == "hybrid"
    assert read_run(f"{path}#hybrid").mode == "hybrid"


def test_several_files_are_told_apart_by_their_names(tmp_path: Path) -> None:
    first, second = write(tmp_path / "old.json", run_of("auto", TWO)), write(tmp_path / "new.json", run_of("auto", TWO))
    assert [run.name for run in read_all([first, second])] == ["old auto", "new auto"]
    assert [run.name for run in read_all([first])] == ["auto"]
    (tmp_path / "other").mkdir()
    alike = write(tmp_path / "other" / "old.json", run_of("auto", TWO))
    assert [run.name for run in read_all([first, alike])] == [f"{first} auto", f"{alike} auto"]
    with pytest.raises(UsageError, match="twice"):
        read_all([first, first])


Change = Callable[[dict[str, Any]], object]


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.pop("questions"),
        lambda file: file.pop("suite"),
        lambda file: file.update(questions=[]),
        lambda file: file.update(questions=5),
        lambda file: file.update(modes={}),
        lambda file: file.update(modes=[1]),
        lambda file: file["questions"][0].pop("gold"),
        lambda file: file["questions"][0]["measures"].pop("mrr"),
        lambda file: file["questions"][0]["measures"].update(mrr=1.0001),
        lambda file: file["questions"][0]["measures"].update(mrr=-0.0001),
        lambda file: file["questions"][0]["measures"].update(mrr=float("nan")),
        lambda file: file["questions"][0]["measures"].update(mrr="1"),
        lambda file: file["questions"][0].update(score=2),
        lambda file: file["questions"][0].update(confidence=float("inf")),
        lambda file: file["questions"][0].update(milliseconds=-1),
        lambda file: file["questions"].append(file["questions"][0]),
    ],
)
def test_a_file_of_another_shape_is_the_users_mistake(tmp_path: Path, change: Change) -> None:
    file: dict[str, Any] = content(run_of("auto", TWO))
    change(file)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(file), encoding="utf-8")
    with pytest.raises(UsageError, match=r"a\.json") as raised:
        read_runs(path)
    assert "eval run" in raised.value.hint


@pytest.mark.parametrize("text", ["", "{", "[]", "5", "null", "\x00"])
def test_what_is_no_result_file_at_all_is_the_users_mistake(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="not a result file"):
        read_runs(path)
    with pytest.raises(UsageError, match="nowhere"):
        read_runs(tmp_path / "nowhere.json")


def test_a_result_made_before_questions_were_kept_says_so(tmp_path: Path) -> None:
    path = write(tmp_path / "old.json", {"suite": "s", "mode": "auto", "n": 3, "metrics": {}, "by": {}})
    with pytest.raises(UsageError, match="questions"):
        read_runs(path)


def test_questions_without_a_group_stand_for_themselves() -> None:
    assert groups_of([outcome("a", 1), outcome("b", 1)]) is None
    assert groups_of([outcome("a", 1, group="x"), outcome("b", 1, group="x")]) == ["group x", "group x"]
    mixed = groups_of([outcome("a", 1, group="b"), outcome("b", 1), outcome("c", 1)])
    assert mixed is not None
    assert len(set(mixed)) == 3


def test_a_summary_is_over_all_and_by_category_with_its_times() -> None:
    found: Any = summary([*TWO, outcome("q3", None, categories=("hard",), milliseconds=100.0)])
    assert found["metrics"]["hit@1"] == 0.3333
    assert found["metrics"]["mrr"] == round((1 + 1 / 4) / 3, 4)
    assert {name: part["n"] for name, part in found["by"].items()} == {"easy": 1, "short": 1, "hard": 2}
    assert found["by"]["hard"]["hit@5"] == 0.5
    assert found["milliseconds"] == {"p50": 4.0, "p95": 4.0}


def test_only_ten_items_of_a_ranking_are_kept_and_the_measures_are_of_all() -> None:
    row = outcome("q", 12).as_json()
    assert Outcome.from_json(row).measures["mrr"] == pytest.approx(1 / 12, abs=1e-6)
