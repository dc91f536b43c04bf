"""The sweep is tuned on one half, takes a number only for a gain, and says which mode won (F-EVAL-5)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memory_fabric.evals.asking import Answered
from memory_fabric.evals.half import Half
from memory_fabric.evals.measures import measure
from memory_fabric.evals.outcome import Outcome
from memory_fabric.evals.own.figures import ELSEWHERE, TOGETHER, figures, paired
from memory_fabric.evals.own.tuning import ALWAYS, BOUNDS, GAIN, GRAPH, NEVER, VECTOR, sweep
from memory_fabric.evals.own.verdict import verdict
from memory_fabric.search.route import Routing, graph_share

START = Routing()


def test_where_nothing_helps_the_numbers_stay() -> None:
    trials = sweep(lambda _: {"a": 0.5, "b": 0.5}, START)
    assert trials[-1].routing == START
    assert len({trial.routing for trial in trials}) == len(trials)


def test_one_number_after_another_is_tried() -> None:
    def ask(routing: Routing) -> dict[str, float]:
        good = 0.1 * (routing.graph == 4.0) + 0.1 * (routing.vector == 3.5) + 0.1 * (routing.sure == ALWAYS[1])
        return {"a": 0.3 + good, "b": 0.3}

    trials = sweep(ask, START)
    best = trials[-1]
    assert (best.routing.graph, best.routing.vector, best.routing.sure) == (4.0, 3.5, ALWAYS[1])
    assert best.score == pytest.approx(0.45)
    assert len(trials) <= 1 + 2 * len(BOUNDS) + len(GRAPH) + len(VECTOR)


@pytest.mark.parametrize(("gain", "taken"), [(GAIN * 0.99, False), (GAIN, True), (GAIN * 1.01, True)])
def test_a_number_is_changed_for_a_gain_only(gain: float, taken: bool) -> None:
    trials = sweep(lambda routing: {"a": gain if routing.graph == 2.0 else 0.0}, START)
    assert (trials[-1].routing.graph == 2.0) is taken


def test_each_set_counts_the_same() -> None:
    """A large set does not buy off a small one."""
    trials = sweep(lambda routing: {"a": 0.2, "b": 0.9} if routing.graph == 2.0 else {"a": 0.5, "b": 0.5}, START)
    assert trials[-1].routing.graph == 2.0
    assert trials[-1].score == pytest.approx(0.55)


@pytest.mark.parametrize("confidence", [-90.0, 0.0, 4.0, 90.0])
def test_the_ends_of_the_sweep_are_never_and_always(confidence: float) -> None:
    for bounds, share in ((NEVER, 0.0), (ALWAYS, 1.0)):
        assert graph_share(confidence, replace(START, unsure=bounds[0], sure=bounds[1])) == share


# ── figures ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def outcome(number: int, ranking: tuple[str, ...], category: str = "commits", gold: str = "gold") -> Outcome:
    right = frozenset((gold,))
    return Outcome(f"q{number}", right, ranking, measure(ranking, right), (category,), milliseconds=number)


def answered(*rankings: tuple[str, ...], category: str = "commits") -> Answered:
    from collections import Counter

    return Answered(tuple(outcome(n, ranking, category) for n, ranking in enumerate(rankings)), Counter())


def of_half(half: Half, count: int) -> list[int]:
    return [number for number in range(200) if Half.of(f"q{number}") is half][:count]


def test_a_cell_holds_ranks_hits_and_what_stayed_unanswered() -> None:
    first, second = of_half(Half.CHECK, 2)
    found = Answered((outcome(first, ("x", "y", "gold")), outcome(second, ())), answered().outages)
    cell = figures({"auto": found}, {})["check"]["auto"]["commits"]
    assert cell["mrr"] == pytest.approx(1 / 6, abs=1e-4)
    assert [cell[f"hit@{k}"] for k in (1, 3, 5, 10)] == [0.0, 0.5, 0.5, 0.5]
    assert (cell["n"], cell["empty"]) == (2, 1)
    assert "tune" not in figures({"auto": found}, {})


def test_what_is_known_already_is_set_aside_in_a_row_of_its_own() -> None:
    (number,) = of_half(Half.CHECK, 1)
    found = Answered((outcome(number, ("known", "gold"), "cross-session"),), answered().outages)
    cells = figures({"auto": found}, {f"q{number}": frozenset({"known", "other"})})["check"]["auto"]
    assert cells["cross-session"]["mrr"] == 0.5
    assert cells[ELSEWHERE]["mrr"] == 1.0
    assert cells[TOGETHER]["mrr"] == 0.5


def test_modes_are_paired_question_by_question() -> None:
    numbers = of_half(Half.CHECK, 9)
    auto = Answered(tuple(outcome(n, ("gold",)) for n in numbers), answered().outages)
    text = Answered(tuple(outcome(n, ("x", "gold")) for n in numbers), answered().outages)
    test = paired({"text": text, "auto": auto}, "auto", {})["check"]["commits"]["text"]
    assert (test["difference"], test["better"], test["equal"], test["worse"]) == (0.5, 9, 0, 0)
    assert test["p"] == pytest.approx(2 / 2**9, abs=1e-4)


# ── the sentence ─────────────────────────────────────────────────────────────────────────────────────────────────────


def sentence(**reached: float) -> str:
    halves = {"check": {mode: {"commits": {"n": 80, "mrr": value}} for mode, value in reached.items()}}
    tests = {
        "check": {
            "commits": {
                mode: {"difference": reached["auto"] - value, "p": 0.001 if abs(reached["auto"] - value) > 0.1 else 0.4}
                for mode, value in reached.items()
            }
        }
    }
    return verdict(halves, tests)["commits"]


@pytest.mark.parametrize(
    ("reached", "said"),
    [
        (
            {"bm25": 0.3, "text": 0.4, "vector": 0.5, "auto": 0.7},
            "commits (n = 80): auto won with a mean reciprocal rank of 0.700. auto is above the best single mode, "
            "vector with 0.500 (beyond noise, p = 0.001).",
        ),
        (
            {"text": 0.4, "vector": 0.5, "hybrid": 0.45, "auto": 0.45},
            "commits (n = 80): vector won with a mean reciprocal rank of 0.500, auto has 0.450 "
            "(within noise, p = 0.400).",
        ),
        (
            {"text": 0.4, "hybrid": 0.9, "auto": 0.4},
            "commits (n = 80): hybrid won with a mean reciprocal rank of 0.900, auto has 0.400 "
            "(beyond noise, p = 0.001). "
            "auto is level with the best single mode, text with 0.400 (within noise, p = 0.400).",
        ),
        (
            {"text": 0.4, "hybrid": 0.6, "auto": 0.6},
            "commits (n = 80): hybrid and auto won with a mean reciprocal rank of 0.600. auto is above the best single "
            "mode, text with 0.400 (beyond noise, p = 0.001).",
        ),
        ({"text": 0.0, "auto": 0.0}, "commits (n = 80): no mode found any."),
    ],
)
def test_it_is_said_plainly_who_won(reached: dict[str, float], said: str) -> None:
    assert sentence(**reached) == said


def test_the_half_that_was_tuned_on_is_spoken_of_only_where_nothing_else_was_asked() -> None:
    cell = {"commits": {"n": 1, "mrr": 1.0}}
    halves = {"tune": {"auto": cell, "text": cell}}
    tests = {"tune": {"commits": {"text": {"difference": 0.0, "p": 1.0}}}}
    assert verdict(halves, tests)["commits"].startswith("commits (n = 1): auto and text won")
    assert verdict({}, {}) == {}


def test_of_two_halves_the_checking_one_is_spoken_of() -> None:
    def reached(n: int) -> dict[str, dict[str, dict[str, float]]]:
        return {mode: {"commits": {"n": n, "mrr": 1.0}} for mode in ("auto", "text")}

    test = {"commits": {"text": {"difference": 0.0, "p": 1.0}}}
    told = verdict({"tune": reached(10), "check": reached(20)}, {"tune": test, "check": test})
    assert told["commits"].startswith("commits (n = 20)")
