"""All sources at once, with one deadline; who fails is named (F-SRC-4, F-SRC-5, F-ERR-1, F-ERR-2, decision 13)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pytest
from tests.search.builders import memory, question

from memory_fabric.clock import Deadline
from memory_fabric.errors import DeadlinePassed, SourceError, SourceUnavailable, StoreUnavailable
from memory_fabric.model.memory import Memory, MemoryId
from memory_fabric.model.query import Query
from memory_fabric.model.result import Found, Hit, Outage
from memory_fabric.ports import Source
from memory_fabric.search.dispatch import Workers, dispatch
from memory_fabric.search.weigh import weigh

AGES = 60.0
"""Seconds that no test waits for."""


def answers(name: str) -> Callable[[], Found]:
    return lambda: Found(name, (Hit(memory(f"from {name}"), 1.0),))


def fails(error: BaseException) -> Callable[[], Found]:
    def work() -> Found:
        raise error

    return work


@dataclass
class Fake:
    """A source that does as it is told."""

    name: str
    work: Callable[[], Found]
    required: bool = False
    asked: tuple[int, Deadline] | None = None

    def find(self, query: Query, limit: int, deadline: Deadline) -> Found:  # noqa: ARG002
        self.asked = (limit, deadline)
        return self.work()

    def weigh(self, query: Query, memories: Sequence[Memory]) -> dict[MemoryId, float]:  # noqa: ARG002
        self.work()
        return {each.id: 0.5 for each in memories}


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    """Holds back every source that waits for it, until the test is over."""
    event = threading.Event()
    yield event
    event.set()


def hangs(gate: threading.Event, name: str = "slow") -> Callable[[], Found]:
    def work() -> Found:
        assert gate.wait(AGES)
        return Found(name, ())

    return work


def ask(sources: Sequence[Source], deadline: Deadline | None = None) -> tuple[list[Found], list[Outage]]:
    return dispatch(question("q"), sources, 20, deadline or Deadline.after(AGES), Workers())


def test_results_come_in_the_order_of_the_sources(gate: threading.Event) -> None:
    """Whoever is done first: the first source waits here for the second."""

    def second() -> Found:
        gate.set()
        return Found("second", ())

    found, outages = ask([Fake("first", hangs(gate, "first")), Fake("second", second)])
    assert [each.source for each in found] == ["first", "second"]
    assert outages == []


def test_all_sources_are_asked_at_once() -> None:
    """F-SRC-4: each of three waits until all three have begun."""
    together = threading.Barrier(3)

    def meet(name: str) -> Callable[[], Found]:
        def work() -> Found:
            together.wait(AGES)
            return Found(name, ())

        return work

    found, _ = ask([Fake(name, meet(name)) for name in "abc"])
    assert [each.source for each in found] == ["a", "b", "c"]


def test_every_source_is_told_the_limit_and_the_one_deadline() -> None:
    deadline = Deadline.after(AGES)
    fakes = [Fake("a", answers("a")), Fake("b", answers("b"))]
    dispatch(question("q"), fakes, 7, deadline, Workers())
    assert [each.asked for each in fakes] == [(7, deadline)] * 2


def test_a_source_that_hangs_does_not_hold_the_answer(gate: threading.Event) -> None:
    """F-SRC-5: and is named, with the remedy."""
    _, outages = ask([Fake("slow", hangs(gate))], Deadline.after(0.01))
    assert [each.source for each in outages] == ["slow"]
    assert "in time" in outages[0].reason
    assert "deadline" in outages[0].remedy


def test_a_required_source_that_hangs_fails_the_search(gate: threading.Event) -> None:
    """F-ERR-2."""
    with pytest.raises(SourceError, match="graph") as caught:
        ask([Fake("graph", hangs(gate, "graph"), required=True)], Deadline.after(0.0))
    assert caught.value.hint


@pytest.mark.parametrize("error", [SourceUnavailable("text: gone", "bring it back"), DeadlinePassed("text: too late")])
def test_a_failing_optional_source_is_an_outage(error: SourceError) -> None:
    """F-SRC-5: errors were swallowed into empty lists."""
    found, outages = ask([Fake("a", answers("a")), Fake("b", fails(error)), Fake("c", answers("c"))])
    assert [each.source for each in found] == ["a", "c"]
    assert outages == [Outage("b", error.message, error.hint)]


def test_a_failing_required_source_fails_the_search() -> None:
    """F-ERR-2."""
    with pytest.raises(SourceUnavailable, match="gone"):
        ask([Fake("a", answers("a")), Fake("graph", fails(SourceUnavailable("gone")), required=True)])


@pytest.mark.parametrize("error", [ValueError("a bug"), StoreUnavailable("disk full"), RecursionError("deep")])
@pytest.mark.parametrize("required", [True, False])
def test_a_bug_and_a_store_failure_propagate(error: Exception, required: bool) -> None:
    """Decision 13: never degraded, never swallowed."""
    with pytest.raises(type(error), match=str(error)):
        ask([Fake("a", answers("a")), Fake("b", fails(error), required=required)])


def test_a_late_answer_is_thrown_away(gate: threading.Event) -> None:
    workers = Workers()
    late = Fake("late", hangs(gate))
    found, outages = dispatch(question("q"), [late], 20, Deadline.after(0.0), workers)
    gate.set()
    assert (found, [each.source for each in outages]) == ([], ["late"])
    again, none = dispatch(question("q"), [Fake("quick", answers("quick"))], 20, Deadline.after(AGES), workers)
    assert [each.source for each in again] == ["quick"]
    assert none == []


def test_a_source_that_hangs_does_not_starve_the_next_search(gate: threading.Event) -> None:
    workers = Workers()
    for _ in range(5):
        dispatch(question("q"), [Fake("slow", hangs(gate))], 20, Deadline.after(0.0), workers)
    found, _ = dispatch(question("q"), [Fake("quick", answers("quick"))], 20, Deadline.after(AGES), workers)
    assert [each.source for each in found] == ["quick"]


def test_a_deadline_of_zero_still_names_everybody(gate: threading.Event) -> None:
    _, outages = ask([Fake(name, hangs(gate, name)) for name in "abc"], Deadline.after(0.0))
    assert [each.source for each in outages] == ["a", "b", "c"]


def test_nobody_to_ask_is_no_error() -> None:
    assert ask([]) == ([], [])


def test_threads_are_used_again() -> None:
    """They keep their database connections."""
    workers = Workers()
    seen: set[int] = set()

    def work() -> Found:
        seen.add(threading.get_ident())
        return Found("a", ())

    for _ in range(20):
        dispatch(question("q"), [Fake("a", work)], 20, Deadline.after(AGES), workers)
    assert len(seen) <= 3


# ── weighing what others found ───────────────────────────────────────────────────────────────────────────────────


def test_each_source_weighs_what_only_others_found() -> None:
    found = [Found("a", (Hit(memory("x"), 1.0), Hit(memory("y"), 1.0))), Found("b", (Hit(memory("y"), 1.0),))]
    weighed, outages = weigh(question("q"), [Fake("a", answers("a")), Fake("b", answers("b"))], found)
    assert weighed == {"b": {"x": 0.5}}
    assert outages == []


def test_a_source_that_did_not_answer_is_not_asked_again() -> None:
    found = [Found("a", (Hit(memory("x"), 1.0),))]
    weighed, outages = weigh(question("q"), [Fake("gone", fails(ValueError("asked")))], found)
    assert (weighed, outages) == ({}, [])


def test_a_source_that_fails_while_it_weighs_is_an_outage() -> None:
    found = [Found("a", (Hit(memory("x"), 1.0),)), Found("b", ())]
    broken = SourceUnavailable("b: gone", "mend it")
    _, outages = weigh(question("q"), [Fake("b", fails(broken))], found)
    assert outages == [Outage("b", "b: gone", "mend it")]
    with pytest.raises(SourceUnavailable):
        weigh(question("q"), [Fake("b", fails(broken), required=True)], found)
    with pytest.raises(ValueError, match="a bug"):
        weigh(question("q"), [Fake("b", fails(ValueError("a bug")))], found)
