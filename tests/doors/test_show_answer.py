"""An answer as people see it."""

from __future__ import annotations

from datetime import timedelta

from tests.doors.making import AT, NAMES, answer, memory, relation, result

from memory_fabric.doors.cli.paint import Paint
from memory_fabric.doors.cli.show.answer import Shown, answer_lines, emphasised
from memory_fabric.model.memory import MemoryKind, Project, Session
from memory_fabric.model.result import Factor, Result

PROJECT = Project(memory().project or memory().project, "shop", "/work/shop")  # type: ignore[arg-type]
SESSION = Session(memory().origin.session, "claude_code", title="Back office\nsessions")


def shown(**changes: object) -> Shown:
    return Shown(names=NAMES, sessions={SESSION.id: SESSION}, projects={PROJECT.id: PROJECT}, **changes)  # type: ignore[arg-type]


def test_a_result_is_a_headline_both_voices_facts_and_source() -> None:
    found = answer(result(relations=(relation("rag", "used_for", "pgvector"),)))
    assert list(answer_lines(found, shown())) == [
        " 1. 0.79  2026-05-13  shop  Back office sessions  [text, vector]",
        "    user    Where do sessions live?",
        "    agent   Sessions live in Redis.",
        "    facts   pgvector —used_for→ RAG",
        "    source  /t/a.jsonl:4-9",
    ]


def test_results_are_numbered_with_a_blank_line_between() -> None:
    lines = list(answer_lines(answer(result(), result(memory=memory("m_2"))), shown()))
    assert [line[:3] for line in lines if line.startswith((" 1.", " 2."))] == [" 1.", " 2."]
    assert lines.count("") == 1


def test_folded_and_cross_validated_results_say_so() -> None:
    """F-DEDUP-4, F-DEDUP-6."""
    twin = memory("m_2", at=AT - timedelta(days=1))
    found = answer(result(absorbed=(twin, memory("m_3")), cross_validated=True))
    assert next(iter(answer_lines(found, shown()))).endswith("[text, vector · ×3 · cross-validated]")


def test_derived_text_is_told_from_the_users_words() -> None:
    """C-019."""
    found = answer(result(memory=memory(kind=MemoryKind.SUMMARY, text="A summary of it all.")))
    lines = list(answer_lines(found, shown()))
    assert lines[0].endswith("[text, vector · summary]")
    assert lines[1] == "    summary A summary of it all."


def test_an_explanation_shows_the_factors_as_they_multiply() -> None:
    """F-RANK-5: the parts are those that the score is computed from."""
    found = answer(result(linked=("Redis",), absorbed=(memory("m_2"),)))
    lines = list(answer_lines(found, shown(explain=True)))
    assert "    score   0.786 = recency 0.812^0.3 × relevance 0.700^0.5 × authority 1.000^0.2" in lines
    assert "    found   text 0.50 (weight 0.70), vector 0.60 (weight 0.30)" in lines
    assert "    linked  Redis (also stands elsewhere)" in lines
    assert "    also    /t/a.jsonl:4-9" in lines


def test_the_summed_form_is_explained_as_a_sum() -> None:
    """F-RANK-6: what exceeds 1 is shown with its raw value."""
    high = Result(result().candidate, (Factor("relevance", 1.0, 0.9), Factor("authority", 1.3, 0.2)), summed=True)
    lines = list(answer_lines(answer(high), shown(explain=True)))
    assert "    score   1.000 (raw 1.160) = 0.9·relevance 1.000 + 0.2·authority 1.300" in lines


def test_facts_beyond_the_first_four_are_counted() -> None:
    many = tuple(relation("redis", f"label{number}", "rag") for number in range(6))
    said = " ".join(" ".join(answer_lines(answer(result(relations=many)), shown())).split())
    assert "Redis —label3→ RAG (+2 more)" in said
    assert "label4" not in said


def test_a_fact_that_ended_says_when() -> None:
    """Decision 9: superseded, not deleted."""
    old = relation("redis", "uses", "rag", valid_to=AT)
    lines = list(answer_lines(answer(result(relations=(old,))), shown()))
    assert "    facts   Redis —uses→ RAG (until 2026-05-13)" in lines


def test_a_source_line_is_never_broken() -> None:
    origin = memory().origin
    far = memory(origin=type(origin)("codex", origin.session, "/t/" + "long/" * 40 + "a.jsonl", 1, 2))
    lines = list(answer_lines(answer(result(memory=far)), shown()))
    assert lines[-1].endswith("long/a.jsonl:1-2")


def test_what_was_asked_for_is_marked_on_a_terminal() -> None:
    line = "Sessions live in Redis"
    assert emphasised(line, ("redi",), Paint(True)) == "Sessions live in \x1b[1;36mRedis\x1b[0m"
    assert emphasised(line, ("redi",), Paint(False)) == line
    assert emphasised("は商品ごとに", ("商品",), Paint(True)) == "は\x1b[1;36m商品\x1b[0mごとに"
