"""What a new session is told, within its budget, whole items only (F-CMD-9, F-HOOK-4)."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.search.builders import Shelf, memory

from memory_fabric.model.memory import MemoryKind, Statement, StatementKind
from memory_fabric.model.query import Scope
from memory_fabric.search.context import CHARACTERS_PER_TOKEN, Context, load
from memory_fabric.store.sqlite import SqliteStore

ALL = Scope()


def said(kind: StatementKind, text: str, speaker: str = "user", **more: str) -> Statement:
    return Statement(kind, text, 0.8, speaker=speaker, **more)  # type: ignore[arg-type]


def stock() -> Shelf:
    """Ten decisions, five problems, five preferences, in eight sessions."""
    shelf = Shelf()
    for place in range(10):
        it = memory(f"d{place}", f"decision {place}", session=f"s{place % 8}", days=place + 1.0)
        shelf.put(
            it, statements=(said(StatementKind.DECISION, f"We decided on plan {place}. " + "So it is. " * place),)
        )
    for place in range(5):
        it = memory(f"p{place}", f"problem {place}", session=f"s{place}", days=1 / 96)
        shelf.put(it, statements=(said(StatementKind.PROBLEM, f"The login page number {place} is broken."),))
        it = memory(f"l{place}", f"liking {place}", session=f"s{place}", days=20.0 + place)
        shelf.put(it, statements=(said(StatementKind.PREFERENCE, f"I prefer colour {place}."),))
    return shelf


def titles(context: Context) -> dict[str, int]:
    return {section.title: len(section.items) for section in context.sections}


@pytest.fixture
def full(store: SqliteStore) -> SqliteStore:
    stock().save(store, ended=0.0)
    return store


def test_five_decisions_three_problems_three_preferences_five_sessions(full: SqliteStore) -> None:
    """F-CMD-9: 5 decisions, 3 blockers, 5 recent."""
    context = load(full, ALL, 5000)
    assert titles(context) == {"Decisions": 5, "Open problems": 3, "Preferences": 3, "Recent work": 5}
    assert context.left_out == 0
    assert context.sections[0].items[0].startswith("2026-09-14: We decided on plan 0.")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.integers(0, 5000))
def test_the_budget_is_kept_with_whole_items(full: SqliteStore, budget: int) -> None:
    """F-CMD-9, F-HOOK-15: for every budget; nothing is cut in the middle, and what is left out is counted."""
    whole, context = load(full, ALL, 100_000), load(full, ALL, budget)
    assert context.tokens <= budget
    assert len(context.text) <= budget * CHARACTERS_PER_TOKEN
    assert len(context.text) <= context.tokens * CHARACTERS_PER_TOKEN
    of = {section.title: section.items for section in whole.sections}
    kept = [(section.title, item) for section in context.sections for item in section.items]
    assert all(item in of[title] for title, item in kept)
    assert len(kept) + context.left_out == sum(map(len, of.values()))
    assert all(f"- {item}" in context.text for _, item in kept)


@pytest.mark.parametrize("budget", [0, 1])
def test_no_budget_gives_nothing_and_says_how_much_was_left_out(full: SqliteStore, budget: int) -> None:
    context = load(full, ALL, budget)
    assert (context.text, context.tokens, context.sections) == ("", 0, ())
    assert context.left_out == 16


@pytest.mark.parametrize("length", [100, 101, 102, 103])
def test_the_budget_is_exact_to_one_token(store: SqliteStore, length: int) -> None:
    shelf = Shelf()
    shelf.put(memory("d0", session="s0", days=None), statements=(said(StatementKind.DECISION, "x" * length),))
    shelf.save(store)
    need = load(store, ALL, 1000).sections[0].items
    cost = -(-(len("Decisions") + 5 + len(need[0]) + 3) // CHARACTERS_PER_TOKEN)
    assert "Decisions" in titles(load(store, ALL, cost))
    assert "Decisions" not in titles(load(store, ALL, cost - 1))


def test_what_was_superseded_is_not_told(store: SqliteStore) -> None:
    """Decision 9."""
    shelf = Shelf()
    for name, choice, days in (("m1", "Redis", 30.0), ("m2", "Kafka", 29.0)):
        shelf.put(memory(name, days=days), statements=(said(StatementKind.DECISION, f"Use {choice}", choice=choice),))
    shelf.fact("Valkey", "replaces", "Redis", days=5)
    shelf.save(store)
    (decisions, *_) = load(store, ALL).sections
    assert [item.split(": ")[1].split(" (")[0] for item in decisions.items] == ["Use Kafka"]


def test_the_same_words_are_told_once(store: SqliteStore) -> None:
    """C-146."""
    shelf = Shelf()
    for place, text in enumerate(["Use  tabs", "use tabs", "USE TABS"]):
        shelf.put(memory(f"m{place}", days=3.0 - place), statements=(said(StatementKind.DECISION, text),))
    shelf.save(store)
    assert titles(load(store, ALL))["Decisions"] == 1
    assert "USE TABS (said 3 times; m2)" in load(store, ALL).text


@pytest.mark.parametrize(
    ("ended", "open_"), [(None, False), (1.0 - 31 / 1440, False), (1.0 - 30 / 1440, True), (1.0, True)]
)
def test_a_problem_is_open_when_its_session_ended_within_half_an_hour(
    store: SqliteStore, ended: float | None, open_: bool
) -> None:
    shelf = Shelf()
    shelf.put(memory("p", days=1.0), statements=(said(StatementKind.PROBLEM, "The login is broken."),))
    shelf.save(store, ended=ended)
    assert ("Open problems" in titles(load(store, ALL))) is open_


def test_what_the_agent_called_a_problem_is_not_open(store: SqliteStore) -> None:
    shelf = Shelf()
    shelf.put(memory("p", days=1.0), statements=(said(StatementKind.PROBLEM, "It is broken.", "assistant"),))
    shelf.save(store, ended=1.0)
    assert "Open problems" not in titles(load(store, ALL))


def test_a_session_is_named_by_the_first_question_that_tells_something(store: SqliteStore) -> None:
    shelf = Shelf()
    shelf.say("m1", "ok", "an answer", days=3)
    shelf.say("m2", "why are the pages slow?", "an answer", days=2)
    shelf.say("m3", "and what about the others?", "an answer", days=1)
    shelf.say("m4", "yes, do it", "done", days=0.9)
    shelf.put(memory("n1", "note", session="s2", days=0.5, kind=MemoryKind.NOTE))
    shelf.save(store)
    (recent,) = load(store, ALL).sections
    assert [item.split(": ")[1] for item in recent.items] == ["note (n1)", "why are the pages slow? (m4)"]


def test_long_items_are_shortened_with_a_mark(store: SqliteStore) -> None:
    shelf = Shelf()
    shelf.put(memory("m1"), statements=(said(StatementKind.DECISION, "word " * 100),))
    shelf.save(store)
    (item,) = load(store, ALL).sections[0].items
    assert "…" in item
    assert len(item) < 300


def test_an_empty_store_has_nothing_to_say(store: SqliteStore) -> None:
    assert load(store, ALL) == Context((), 0, 0)
