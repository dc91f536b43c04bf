"""Two runs, question by question."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evals.outcomes import outcome, run_of

from memory_fabric.errors import UsageError
from memory_fabric.evals.compare import ALL, as_json, compare
from memory_fabric.evals.measures import HEADLINE
from memory_fabric.evals.outcome import Run
from memory_fabric.evals.significance import Tally


def ranked(name: str, *ranks: int | None, **more: Any) -> Run:
    """Questions q1, q2, …; the even ones are ``even``."""
    return run_of(
        name,
        [
            outcome(f"q{number}", rank, categories=("even",) if number % 2 == 0 else (), **more)
            for number, rank in enumerate(ranks, 1)
        ],
    )


def test_the_second_is_compared_with_the_first() -> None:
    """By hand: hit@1 of (1, 0, 0, 0) and (1, 1, 1, 0); two of the four signs of two gains come as far as both."""
    row = compare(ranked("a", 1, 2, 2, None), ranked("b", 1, 1, 1, None), ["hit@1"]).rows["hit@1"][ALL]
    assert (row.n, row.first.mean, row.second.mean, row.difference.mean) == (4, 0.25, 0.75, 0.5)
    assert row.p == 0.5
    assert row.tally == Tally(wins=2, ties=2, losses=0)
    assert 0.0 <= row.difference.interval.low <= 0.5 <= row.difference.interval.high <= 1.0


def test_each_category_has_a_row() -> None:
    rows = compare(ranked("a", 1, 2, 2, None), ranked("b", 1, 1, 1, None), ["hit@1"]).rows["hit@1"]
    assert list(rows) == [ALL, "even"]
    assert (rows["even"].n, rows["even"].difference.mean) == (2, 0.5)


def test_exchanging_the_runs_changes_the_sign() -> None:
    a, b = ranked("a", 1, 3, None, 2), ranked("b", 2, 1, None, 5)
    there, back = compare(a, b).rows["mrr"][ALL], compare(b, a).rows["mrr"][ALL]
    assert there.difference.mean == -back.difference.mean
    assert there.p == back.p
    assert (there.tally.wins, there.tally.losses) == (back.tally.losses, back.tally.wins)


def test_a_run_does_not_differ_from_itself() -> None:
    a = ranked("a", 1, 3, None, 2)
    for rows in compare(a, a).rows.values():
        assert rows[ALL].p == 1.0
        assert (
            rows[ALL].difference.mean == rows[ALL].difference.interval.low == rows[ALL].difference.interval.high == 0.0
        )


def test_questions_are_paired_by_id_and_not_by_place() -> None:
    a = ranked("a", 1, 2, 3)
    turned = run_of("b", list(reversed(a.outcomes)))
    assert compare(a, turned).rows["mrr"][ALL].tally == Tally(0, 3, 0)


def test_the_headline_is_compared_unless_measures_are_named() -> None:
    a = ranked("a", 1, 2)
    assert list(compare(a, a).rows) == list(HEADLINE)
    assert list(compare(a, a, ["ndcg@5", "all@1"]).rows) == ["ndcg@5", "all@1"]
    with pytest.raises(UsageError, match="'hit@3'") as raised:
        compare(a, a, ["hit@3"])
    assert "ndcg@10" in raised.value.hint


def test_groups_are_resampled_as_a_whole() -> None:
    """Three conversations of four questions: three facts, so that p is 2 / 8 and not 2 / 4,096."""
    first = run_of("a", [outcome(f"q{number}", 2, group=f"talk {number % 3}") for number in range(12)])
    second = run_of("b", [outcome(f"q{number}", 1, group=f"talk {number % 3}") for number in range(12)])
    found = compare(first, second, ["hit@1"])
    assert found.groups == 3
    assert found.rows["hit@1"][ALL].p == 0.25


def test_other_questions_are_refused_and_named() -> None:
    a, b = ranked("a.json", 1, 2, 3), run_of("b.json", [outcome("q1", 1), outcome("x", 1)])
    with pytest.raises(UsageError) as raised:
        compare(a, b)
    assert "only in a.json: q2, q3" in raised.value.message
    assert "only in b.json: x" in raised.value.message


@pytest.mark.parametrize(("count", "told"), [(5, "q1, q2, q3, q4, q5"), (6, "q1, q2, q3, q4, q5 and 1 more")])
def test_many_other_questions_are_counted(count: int, told: str) -> None:
    a, b = ranked("a", *[1] * count), run_of("b", [outcome("x", 1)])
    with pytest.raises(UsageError) as raised:
        compare(a, b)
    assert f"only in a: {told};" in raised.value.message


def test_the_same_question_with_another_right_answer_is_refused() -> None:
    a = ranked("a", 1, 2)
    changed = run_of("b", [a.outcomes[0], outcome("other", 1)])
    moved = run_of("b", [a.outcomes[0], type(a.outcomes[0])("q2", *_all_but_id(changed.outcomes[1]))])
    with pytest.raises(UsageError, match="other right answers for q2"):
        compare(a, moved)


def _all_but_id(made: Any) -> tuple[Any, ...]:
    return (made.gold, made.ranking, made.measures, made.categories)


def test_two_suites_are_refused() -> None:
    with pytest.raises(UsageError, match="talks and commits"):
        compare(ranked("a", 1), run_of("b", [outcome("q1", 1)], suite="commits"))


def test_programs_get_the_same_figures() -> None:
    found: Any = as_json(compare(ranked("a", 1, 2, 2, None), ranked("b", 1, 1, 1, None), ["hit@1"]))
    assert (found["suite"], found["n"], found["groups"], found["a"]["name"], found["b"]["mode"]) == (
        *("talks", 4, None),
        *("a", "b"),
    )
    row = found["measures"]["hit@1"]
    assert (row["a"]["mean"], row["b"]["mean"], row["difference"]["mean"], row["p"]) == (0.25, 0.75, 0.5, 0.5)
    assert (row["wins"], row["ties"], row["losses"]) == (2, 2, 0)
    assert set(row["by"]) == {"even"}
