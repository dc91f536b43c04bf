"""Questions as people ask them become queries (F-PARSE-1 to F-PARSE-10)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import NOW, ago

from memory_fabric import lexicon as lexicons
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import Entity, EntityId
from memory_fabric.model.memory import ProjectId
from memory_fabric.model.query import Intent, Query, Scope, Window
from memory_fabric.model.vocabulary import Kind
from memory_fabric.search.parse import MAX_CHARACTERS, MAX_HINTS, MAX_TERMS, parse
from memory_fabric.search.recipes import asks_for_recent
from memory_fabric.text import entity_key

HERE = Scope(projects=(ProjectId("a"),))
LEXICON = lexicons.load()


def nothing_known(_: Sequence[str]) -> list[Entity]:
    return []


def knowing(*names: str) -> object:
    """A graph that knows these names."""
    known = {entity_key(name): Entity(EntityId(entity_key(name)), name, Kind.CONCEPT) for name in names}
    return lambda asked: [known[key] for key in dict.fromkeys(map(entity_key, asked)) if key in known]


def ask(text: str, *known: str, lexicon: Lexicon = LEXICON, scope: Scope = HERE) -> Query:
    return parse(text, lexicon, knowing(*known) if known else nothing_known, scope, NOW)  # type: ignore[arg-type]


def test_the_question_of_the_seeds() -> None:
    """F-PARSE-2: the acceptance that the originals never executed."""
    query = ask("What pagination approach did database-engineer recommend?")
    assert query.semantic == "pagination approach recommend"
    assert query.entity_hints == ("database-engineer", "pagination")
    assert query.intent in (Intent.DECISION, Intent.PATTERN)
    assert query.text == "What pagination approach did database-engineer recommend?"


def test_actors_leave_the_topic_and_stay_as_hints() -> None:
    """F-PARSE-3."""
    query = ask("What did the security-auditor say about authentication?")
    assert "security" not in query.semantic
    assert "security-auditor" in query.entity_hints
    assert "authentication" in query.semantic
    assert "authentication" in query.entity_hints


def test_a_question_about_an_actor_alone_keeps_its_name() -> None:
    assert ask("What did database-engineer say?").terms


@pytest.mark.parametrize("text", ["reactive programming", "proreact", "Reactivity of the form", "overreact"])
def test_a_name_inside_a_word_is_no_hint(text: str) -> None:
    """F-PARSE-4: the original found ``react`` in "reactive"."""
    assert "react" not in {hint.casefold() for hint in ask(text).entity_hints}


@pytest.mark.parametrize("text", ["react hooks", "Why React?", "(react)", "the REACT app"])
def test_a_name_between_word_boundaries_is_a_hint(text: str) -> None:
    """F-PARSE-4."""
    assert "react" in {hint.casefold() for hint in ask(text).entity_hints}


def test_an_alias_gives_the_name_it_stands_for() -> None:
    """F-PARSE-4: "through aliases"."""
    assert {hint.casefold() for hint in ask("why k8s").entity_hints} == {"kubernetes"}


def test_names_of_the_graph_are_hints() -> None:
    """F-PARSE-4: names already in the graph, of several words, however spelled."""
    assert ask("who wrote the blue widget?", "blue-widget").entity_hints == ("blue-widget",)
    assert ask("is ledger_v2 done", "Ledger V2").entity_hints == ("Ledger V2",)


def test_hints_are_sorted_by_words_and_length_and_cut_at_eight() -> None:
    """F-TRAV-9: more words first, then longer ones, then by name."""
    names = ["delta", "echoes", "one two three", "alpha beta", "gamma rays"]
    assert ask(" and ".join(names), *names).entity_hints == (
        "one two three",
        "alpha beta",
        "gamma rays",
        "echoes",
        "delta",
    )
    for many in (7, 8, 9):
        them = [f"widget{'x' * number}" for number in range(many)]
        assert len(ask(" ".join(them), *them).entity_hints) == min(many, MAX_HINTS)
    assert MAX_HINTS == 8


def test_variants_of_one_name_do_not_eat_the_budget() -> None:
    """F-TRAV-9."""
    assert len(ask("blue-widget Blue Widget blue_widget BLUE WIDGET", "Blue Widget").entity_hints) == 1


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("what did we decide about queues", Intent.DECISION),
        ("which convention do we follow", Intent.PATTERN),
        ("which editor does the team prefer", Intent.PREFERENCE),
        ("why is the login broken", Intent.PROBLEM),
        ("what is the latest on billing", Intent.RECENT),
        ("login page colours", Intent.GENERAL),
        ("undecided about it", Intent.GENERAL),
    ],
)
def test_intents(text: str, intent: Intent) -> None:
    """F-PARSE-6, on whole words."""
    assert ask(text).intent is intent


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_an_empty_question_asks_for_recent_memories(text: str) -> None:
    """F-PARSE-7, F-ERR-4."""
    query = ask(text)
    assert query.text == ""
    assert query.terms == ()
    assert asks_for_recent(query)


@pytest.mark.parametrize(
    ("text", "recent"), [("yesterday", True), ("what did we do last week?", True), ("redis", False)]
)
def test_a_question_about_a_time_alone_asks_what_happened_then(text: str, recent: bool) -> None:
    query = ask(text)
    assert asks_for_recent(query) is recent
    if recent:
        assert query.scope.window.since is not None
        assert query.window is None


def test_the_time_asked_about_stays_inside_the_limits_of_the_user() -> None:
    limits = replace(HERE, window=Window(ago(3), ago(1)))
    assert ask("last 10 days", scope=limits).scope.window == Window(ago(3), ago(1))
    assert ask("yesterday", scope=replace(HERE, window=Window(ago(3)))).scope.window == ask("yesterday").scope.window
    nothing = ask("last month", scope=limits).scope.window
    assert nothing.since == nothing.before


def test_the_time_is_no_topic() -> None:
    """C-136: ``in March 2026`` is when, not what."""
    query = ask("what did we decide about queues in March 2026")
    assert query.semantic == "decide queues"
    assert query.window is not None
    assert query.scope == HERE


@pytest.mark.parametrize("text", ["port 9077", "issue 2019"])
def test_a_bare_number_stays_in_the_search_and_sets_no_time(text: str) -> None:
    """C-136: the year 9077 filtered everything away."""
    query = ask(text)
    assert query.window is None
    assert query.scope.window == Window()
    assert text.split()[1] in query.terms


@pytest.mark.parametrize(
    "text",
    [
        "@global caching",
        "caching cross-project",
        "caching in all projects",
        "Caching across ALL PROJECTS?",
        "@global caching, all projects, cross-project",
    ],
)
def test_the_question_may_widen_its_scope(text: str) -> None:
    """F-PARSE-9: and the words that do it are not searched."""
    query = ask(text)
    assert query.all_projects
    assert query.scope.projects is None
    assert query.semantic.casefold() == "caching"
    assert ask("caching").terms == query.terms


@pytest.mark.parametrize(
    "text", ["globally unique ids", "x@globalcorp.example", "the projects all failed", "project caching"]
)
def test_other_words_do_not_widen_the_scope(text: str) -> None:
    """F-PARSE-9, on word boundaries."""
    query = ask(text)
    assert not query.all_projects
    assert query.scope == HERE


def test_a_pasted_page_is_cut() -> None:
    letters = "bcdfghjklm"
    page = " ".join(f"q{a}z{b}" for a in letters for b in letters).rsplit(maxsplit=100 - MAX_TERMS - 1)[0]
    assert len(ask(page).terms) == MAX_TERMS
    assert len(ask(" ".join(page.split()[:-1])).terms) == MAX_TERMS
    assert len(ask(" ".join(page.split()[:-2])).terms) == MAX_TERMS - 1


@pytest.mark.parametrize(("before", "read"), [(-1, True), (0, True), (1, False)])
def test_only_the_beginning_of_a_pasted_file_is_read(before: int, read: bool) -> None:
    """A prompt may hold 50,000 characters (F-INTENT-6); the text that is shown stays whole."""
    page = "?" * (MAX_CHARACTERS - len(" zebra") + before) + " zebra"
    query = ask(page, "zebra")
    assert ("zebra" in query.terms) is read
    assert (query.entity_hints == ("zebra",)) is read
    assert query.text == page


@pytest.mark.parametrize(
    "text",
    ["TODO: fix", "-pnpm", "src/main.py", "don't", "C++", "AND", "foo OR", "(", "*", '"open', "NOT x", "col:x",
     "\ud800 lone", "a\0b", "%_%", "'; DROP TABLE memories; --", "用户 悬空", "[" * 2000, "🙂", "0000-00-00",
     "9999-12-31"],
)  # fmt: skip
def test_no_text_upsets_the_parser(text: str) -> None:
    """F-PARSE-10, C-051 to C-053, C-064."""
    assert ask(text).now == NOW


@given(st.text(max_size=300))
def test_parse_never_raises(text: str) -> None:
    """F-PARSE-10: and what it gives can be stored and sent anywhere."""
    query = ask(text)
    query.text.encode()
    query.semantic.encode()
    assert len(query.entity_hints) <= MAX_HINTS
    assert len(set(query.terms)) == len(query.terms)
    for window in (query.window, query.scope.window):
        if window is not None and window.since is not None and window.before is not None:
            assert window.since < window.before


def test_a_topic_need_not_be_in_the_graph() -> None:
    assert ask("how does pagination work").entity_hints == ("pagination",)


def test_artifacts_that_the_question_names_are_told_from_other_things() -> None:
    """F-EDGE-1: a file is asked about by its name; a technology is only a hint."""
    file = Entity(EntityId("artifact:p/client.py"), "client.py", Kind.ARTIFACT)
    redis = Entity(EntityId("technology:redis"), "Redis", Kind.TECHNOLOGY)
    query = parse("who changed client.py for Redis?", LEXICON, lambda _: [file, redis], HERE, NOW)
    assert query.named == {file.id}
    assert {"client.py", "redis"} <= {hint.casefold() for hint in query.entity_hints}
