"""Turns to exchanges: nothing lost, order kept (F-ING-2, F-ING-3)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st
from tests.ingest.world import turn

from memory_fabric.ingest.exchange import exchanges
from memory_fabric.model.memory import SessionId
from memory_fabric.model.transcript import Exchange, Role, SessionFacts, ToolCall, ToolKind, Turn

USER, AGENT, SUMMARY = Role.USER, Role.ASSISTANT, Role.SUMMARY


def collected(turns: list[Turn]) -> list[Exchange]:
    return [item for item in exchanges(turns) if isinstance(item, Exchange)]


def said(turns: list[Turn]) -> list[tuple[str, str]]:
    return [(exchange.prompt, exchange.reply) for exchange in collected(turns)]


TURNS = st.lists(
    st.builds(
        lambda role, session, abandoned: (role, session, abandoned),
        st.sampled_from(Role),
        st.sampled_from(["a", "b"]),
        st.booleans(),
    ),
    max_size=14,
).map(
    lambda drawn: [
        turn(role, f"w{n}", f"r{n}", session=session, abandoned=abandoned, offset=n, first_line=n, last_line=n)
        for n, (role, session, abandoned) in enumerate(drawn)
    ]
)


@given(TURNS)
def test_no_text_is_lost_doubled_or_reordered(turns: list[Turn]) -> None:
    """F-ING-2: the words of a session's exchanges, in order, are the words of its turns, by prompt then reply."""
    found = collected(turns)
    assert sorted(word for e in found for word in (e.prompt + " " + e.reply).split()) == sorted(t.text for t in turns)
    for session in ("a", "b"):
        mine = [exchange for exchange in found if exchange.session == session]
        assert [e.record for e in mine] == sorted((e.record for e in mine), key=lambda record: int(record[1:]))
        words = [word for e in mine for word in (e.prompt + " " + e.reply).split()]
        assert words == [t.text for t in turns if t.session == session]


@given(TURNS)
def test_no_exchange_mixes_sessions_branches_or_derived_text(turns: list[Turn]) -> None:
    by_word = {t.text: t for t in turns}
    for exchange in collected(turns):
        parts = [by_word[word] for word in (exchange.prompt + " " + exchange.reply).split()]
        assert {(t.session, t.abandoned) for t in parts} == {(exchange.session, exchange.abandoned)}
        assert exchange.derived == (parts[0].role is SUMMARY)
        assert len(parts) == 1 or all(part.role is not SUMMARY for part in parts)
        assert (exchange.first_line, exchange.last_line) == (parts[0].first_line, parts[-1].last_line)
        assert (exchange.record, exchange.offset) == (parts[0].record, parts[0].offset)


def test_one_prompt_begins_one_exchange_and_takes_all_replies() -> None:
    """F-ING-2: all assistant text up to the next prompt."""
    turns = [turn(USER, "Q1", "1"), turn(AGENT, "A1", "2"), turn(AGENT, "A2", "3"), turn(USER, "Q2", "4")]
    assert said(turns) == [("Q1", "A1\n\nA2"), ("Q2", "")]


def test_prompts_without_an_answer_between_them_are_one_exchange() -> None:
    """F-ING-2: steering text, a queued command."""
    turns = [turn(USER, "Fix it", "1"), turn(USER, "in the parser", "2"), turn(AGENT, "Done", "3")]
    assert said(turns) == [("Fix it\n\nin the parser", "Done")]


def test_what_an_agent_says_before_anybody_asked_is_an_exchange_without_a_prompt() -> None:
    assert said([turn(AGENT, "Hello", "1"), turn(USER, "Hi", "2")]) == [("", "Hello"), ("Hi", "")]


def test_a_summary_stands_alone_and_is_never_a_prompt() -> None:
    """C-019: derived text is nobody's own words; what follows it is not its answer."""
    turns = [turn(USER, "Q", "1"), turn(AGENT, "A", "2"), turn(SUMMARY, "In short", "3"), turn(AGENT, "More", "4")]
    found = collected(turns)
    assert [(e.prompt, e.reply, e.derived) for e in found] == [
        ("Q", "A", False),
        ("", "In short", True),
        ("", "More", False),
    ]


def test_a_sub_agent_that_speaks_in_between_is_collected_apart() -> None:
    """formats.md §1.5: an inline sidechain neither ends nor joins the exchange around it."""
    side = {"session": "s/agent-1", "sidechain": True}
    turns = [
        turn(USER, "Q", "1"),
        turn(USER, "task", "2", **side),
        turn(AGENT, "looking", "3"),
        turn(AGENT, "found", "4", **side),
        turn(AGENT, "done", "5"),
    ]
    found = {str(exchange.session): exchange for exchange in collected(turns)}
    assert (found["s"].prompt, found["s"].reply, found["s"].sidechain) == ("Q", "looking\n\ndone", False)
    side_exchange = found["s/agent-1"]
    assert (side_exchange.prompt, side_exchange.reply, side_exchange.sidechain) == ("task", "found", True)


def test_a_branch_that_was_left_does_not_flow_into_the_one_that_was_taken() -> None:
    turns = [turn(USER, "old", "1", abandoned=True), turn(AGENT, "new", "2")]
    assert [(e.prompt, e.reply, e.abandoned) for e in collected(turns)] == [("old", "", True), ("", "new", False)]


def test_an_exchange_in_which_nobody_said_anything_keeps_its_tool_calls() -> None:
    """F-ING-6: calls are structure, not text."""
    tool = ToolCall(ToolKind.FILE, "Edit", "/w/app/a.py")
    (found,) = collected([turn(AGENT, "  ", "1", tools=(tool,))])
    assert (found.prompt, found.reply, found.tools) == ("", "", (tool,))


def test_tool_calls_models_and_times_of_all_turns_are_kept() -> None:
    """F-ING-5: references belong to the exchange."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    tools = [ToolCall(ToolKind.FILE, "Edit", name) for name in ("a.py", "b.py")]
    turns = [
        turn(USER, "Q", "1", cwd="/w/app", branch="main"),
        turn(AGENT, "", "2", tools=(tools[0],), model="m1", at=at),
        turn(AGENT, "A", "3", tools=(tools[1],), model="m2", at=at.replace(hour=1)),
        turn(AGENT, "B", "4", model="m1"),
    ]
    (found,) = collected(turns)
    assert found.tools == tuple(tools)
    assert found.models == ("m1", "m2")
    assert (found.at, found.ended_at) == (at, at.replace(hour=1))
    assert (found.cwd, found.branch) == ("/w/app", "main")


def test_the_time_of_the_first_turn_counts_even_when_a_later_one_is_earlier() -> None:
    at = datetime(2026, 3, 2, tzinfo=UTC)
    (found,) = collected([turn(USER, "Q", "1", at=at), turn(AGENT, "A", "2", at=at.replace(day=1))])
    assert found.at == at


def test_facts_pass_through_in_their_place() -> None:
    facts = SessionFacts(SessionId("s"), title="A title")
    first, second = turn(USER, "Q", "1"), turn(USER, "R", "3")
    stream: list[Turn | SessionFacts] = [first, replace(first, role=AGENT, text="A", record="2"), facts, second]
    assert [type(item).__name__ for item in exchanges(stream)] == ["SessionFacts", "Exchange", "Exchange"]


def test_a_prompt_without_a_time_takes_that_of_its_answer_and_where_it_came_from() -> None:
    """C-138: ``at_source`` speaks of the very time that is given."""
    at = datetime(2026, 3, 1, tzinfo=UTC)
    (found,) = collected([turn(USER, "Q", "1", at_source="none"), turn(AGENT, "A", "2", at=at, at_source="file")])
    assert (found.at, found.at_source) == (at, "file")
    (undated,) = collected([turn(USER, "Q", "1", at_source="none"), turn(AGENT, "A", "2", at_source="none")])
    assert (undated.at, undated.at_source, undated.ended_at) == (None, "none", None)
