"""Decisions, preferences, problems and questions."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_fabric.ingest.extract.guards import noise_reason
from memory_fabric.ingest.extract.statements import KEEP_DECISION, MAX_TEXT, Statements, decision_confidence
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.memory import Memory, Statement, StatementKind
from memory_fabric.model.transcript import Exchange
from memory_fabric.ports import Extraction

DECISION, PREFERENCE = StatementKind.DECISION, StatementKind.PREFERENCE
PROBLEM, QUESTION = StatementKind.PROBLEM, StatementKind.QUESTION

Read = Callable[[str], Extraction]


@pytest.fixture
def read(words: Lexicon, remember: Callable[[str], Memory], exchange: Callable[..., Exchange]) -> Read:
    statements = Statements(words)
    return lambda text: statements.extract(remember(text), exchange(), None)


def kinds(extraction: Extraction) -> list[StatementKind]:
    return [statement.kind for statement in extraction.statements]


def only(extraction: Extraction) -> Statement:
    (statement,) = extraction.statements
    return statement


def test_a_decision_carries_all_that_was_said_about_it(read: Read) -> None:
    """F-INTENT-2."""
    text = (
        "USER: We decided on PostgreSQL over MongoDB because we need joins. It must run on Linux. "
        "The downside is memory use.\n\nASSISTANT: Noted, the index is next."
    )
    decision = only(read(text))
    assert decision == Statement(
        kind=DECISION,
        text="We decided on PostgreSQL over MongoDB because we need joins.",
        confidence=0.99,
        speaker="user",
        category="database",
        choice="PostgreSQL",
        alternatives=("MongoDB",),
        rationale="because we need joins",
        constraints=("must run on Linux",),
        tradeoffs=("downside is memory use",),
        entities=("PostgreSQL", "MongoDB"),
        position=6,
    )


@pytest.mark.parametrize(
    ("given", "confidence"),
    [
        ({}, 0.5),
        ({"strong": True}, 0.7),
        ({"rationale": True}, 0.65),
        ({"alternatives": True}, 0.6),
        ({"entities": 1}, 0.55),
        ({"entities": 2}, 0.6),
        ({"entities": 3}, 0.6),
        ({"width": 21}, 0.5),
        ({"width": 20}, 0.5),
        ({"width": 19}, 0.4),
        ({"strong": True, "rationale": True, "alternatives": True, "entities": 1}, 0.99),
        ({"strong": True, "rationale": True, "alternatives": True}, 0.95),
    ],
)
def test_confidence_follows_the_table(given: dict[str, int], confidence: float) -> None:
    """F-INTENT-4: each number alone, at its edge, and the clamp at 0.99."""
    plain = {"strong": False, "rationale": False, "alternatives": False, "entities": 0, "width": 40}
    assert decision_confidence(**{**plain, **given}) == confidence  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("We chose the second plan.", 0.7),  # strong alone: exactly the limit
        ("We selected Redis for the cache.", 0.75),
        ("let's use Redis since it is fast.", 0.7),
        ("let's use the second plan since it is fast.", None),  # 0.65
        ("We chose Redis.", None),  # strong and an entity, but short: 0.65
    ],
)
def test_a_decision_is_kept_from_0_7(read: Read, text: str, kept: float | None) -> None:
    """F-INTENT-4."""
    extraction = read(text)
    assert [s.confidence for s in extraction.statements] == ([kept] if kept else [])
    assert extraction.dropped.get("weak decision", 0) == (0 if kept else 1)
    assert KEEP_DECISION == 0.7


@pytest.mark.parametrize(
    ("text", "choice", "alternatives"),
    [
        ("We decided to use Redis for the cache.", "Redis", ()),
        ("We decided to keep the cache in memory, for now.", "keep the cache in memory", ()),
        ("We chose PostgreSQL instead of MySQL or MongoDB.", "PostgreSQL", ("MySQL", "MongoDB")),
        ("We chose the outbox-pattern over polling here.", "outbox-pattern", ("polling here",)),
        ("We decided that you take over the night shift.", "you take over the night shift", ()),
    ],
)
def test_choice_and_alternatives(read: Read, text: str, choice: str, alternatives: tuple[str, ...]) -> None:
    """vocabulary.md §5."""
    decision = only(read(text))
    assert (decision.choice, decision.alternatives) == (choice, alternatives)


@pytest.mark.parametrize(
    ("text", "choice", "alternatives"),
    [
        ("キャッシュにはRedisに決めました。", "Redis", ()),
        ("MongoDBではなくPostgreSQLを採用します。", "PostgreSQL", ("MongoDB",)),
    ],
)
def test_japanese_decisions(read: Read, text: str, choice: str, alternatives: tuple[str, ...]) -> None:
    decision = only(read(text))
    assert (decision.kind, decision.choice, decision.alternatives) == (DECISION, choice, alternatives)


@pytest.mark.parametrize(
    "text",
    [
        "If we chose Redis over MySQL, joins would be gone.",
        "Should we use Redis over MySQL because it is fast?",
        "We have not decided on Redis over MySQL yet.",
        'He wrote "we decided on Redis over MySQL" in jest.',
        "We decided on [your database] over [the other one].",
    ],
)
def test_what_is_not_decided_is_no_decision(read: Read, text: str) -> None:
    assert DECISION not in kinds(read(text))


def test_the_agents_words_count_only_when_strong(read: Read) -> None:
    assert kinds(read("ASSISTANT: I'll use Redis over MySQL because it is fast.")) == []
    decision = only(read("ASSISTANT: I decided to use Redis over MySQL because it is fast."))
    assert (decision.kind, decision.speaker) == (DECISION, "assistant")
    assert kinds(read("ASSISTANT: I prefer tabs and always use them.")) == []
    assert kinds(read("ASSISTANT: How do you want to use Redis?")) == []
    assert kinds(read("ASSISTANT: The issue is clear.")) == []
    assert kinds(read("ASSISTANT: The issue is that the lock is never released.")) == [PROBLEM]


@pytest.mark.parametrize(
    ("text", "confidence"),
    [
        ("I prefer Redis in all services.", 0.8),
        ("Always use early returns in handlers.", 0.6),
        ("Never use global state in handlers please.", 0.6),
        ("Do not forget to add tests for every module.", 0.6),
        ("Don’t use any external frameworks here.", 0.6),
    ],
)
def test_a_preference_names_an_entity_or_a_habit(read: Read, text: str, confidence: float) -> None:
    """F-INTENT-4, vocabulary.md §6."""
    preference = only(read(text))
    assert (preference.kind, preference.confidence, preference.category) == (PREFERENCE, confidence, "preference")


@pytest.mark.parametrize(
    "text",
    [
        "I want to see the log of this.",
        "I like https://shop.example/page very much.",
        "I want you to use Redis in this branch.",
        "I can always use the summary later.",
        "We don't use Redis in here.",
    ],
)
def test_a_wish_about_the_present_task_is_no_preference(read: Read, text: str) -> None:
    """F-INTENT-6."""
    assert PREFERENCE not in kinds(read(text))


@pytest.mark.parametrize(
    "text",
    [
        "There is an issue with the checkout page.",
        "The checkout doesn't work on phones.",
        "the payment form is broken again",
        "I am getting an error in the cart view.",
        "It fails when the cart is empty.",
        "A timeout in the worker again.",
        "We are blocked by the payment provider.",
        "The test is still failing on Windows.",
    ],
)
def test_problems(read: Read, text: str) -> None:
    """vocabulary.md §7."""
    problem = only(read(text))
    assert (problem.kind, problem.confidence) == (PROBLEM, 0.75)


@pytest.mark.parametrize(
    "text",
    ["There is no issue with it now.", "Create a Linear issue for this.", "If it doesn't work, revert all of it."],
)
def test_no_problem(read: Read, text: str) -> None:
    assert PROBLEM not in kinds(read(text))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How do I configure the cache?", True),
        ("how do i configure the cache", True),
        ("Why does it take so long?", True),
        ("where are the logs kept?", True),
        ("When I click, nothing happens at all.", False),
        ("What is it?", False),
    ],
)
def test_questions(read: Read, text: str, found: bool) -> None:
    extraction = read(text + " " * 5)
    assert (QUESTION in kinds(extraction)) == found
    assert all(s.confidence == 0.8 for s in extraction.statements)


def test_of_overlapping_matches_the_surer_stays(read: Read) -> None:
    """F-INTENT-5: "will use" and "decided to use" match in one sentence."""
    decision = only(read("We decided to use Redis and will use MySQL because it is there."))
    assert decision.choice == "Redis"


def test_matches_of_different_kinds_may_overlap(read: Read) -> None:
    assert kinds(read("I prefer pytest over unittest in every package.")) == [DECISION, PREFERENCE]


@pytest.mark.parametrize("length", [MAX_TEXT - 1, MAX_TEXT, MAX_TEXT + 1])
def test_the_text_is_capped(read: Read, length: int) -> None:
    """F-INTENT-3."""
    sentence = "We chose Redis over MySQL " + "x" * (length - 27) + "."
    assert len(only(read(sentence)).text) == min(length, MAX_TEXT)


@pytest.mark.parametrize(("gap", "found"), [(0, True), (300, True), (420, False)])
def test_constraints_are_looked_for_nearby(read: Read, gap: int, found: bool) -> None:
    """F-INTENT-3: up to 400 characters behind the match."""
    text = "We chose Redis over MySQL here. " + "Ok then. " * (gap // 9) + "It must run on Linux boxes."
    assert bool(read(text).statements[0].constraints) == found


def test_at_most_five_constraints(read: Read) -> None:
    """F-INTENT-3."""
    text = "We chose Redis over MySQL. " + " ".join(f"It must hold rule {n}x." for n in "abcdefg")
    assert len(only(read(text)).constraints) == 5


def test_windows_stay_with_the_speaker(read: Read) -> None:
    text = "USER: We chose Redis over MySQL here.\n\nASSISTANT: It works because it must be quick."
    decision = only(read(text))
    assert (decision.rationale, decision.constraints) == (None, ())


@pytest.mark.parametrize(
    ("prompt", "reason"),
    [
        ("x" * 14, "too short"),
        ("We like it all", "too short"),
        ("We like it all.", None),
        ("word " * 10_000, None),
        ("w" + "word " * 10_000 + "w", "too long"),
        ("look at data:image/png;base64,AAAA please", "data URI"),
        ("A" * 1023 + " is data", None),
        ("A" * 1024 + " is data", "base64"),
        ("abcdefg" * 2 + "###" * 2, None),
        ("abcdefg" * 2 + "###" * 2 + "#", "not textual"),
        ("<system-reminder> do this and that", "system noise"),
        ("<SYSTEM-REMINDER> do this and that", "system noise"),
    ],
)
def test_guards(prompt: str, reason: str | None) -> None:
    """F-INTENT-6: each number at it, below and above."""
    assert noise_reason(prompt, ("<system-reminder>",)) == reason


def test_a_refused_prompt_is_counted(read: Read) -> None:
    extraction = read("USER: <system-reminder> We decided to use Redis over MySQL because it is fast.")
    assert extraction.statements == ()
    assert extraction.dropped == {"prompt: system noise": 1}


@pytest.mark.parametrize(
    "text",
    ["[00:12.500 - 00:14.000] we decided to ship on Friday", "- [x] we decided to ship on Friday over Monday"],
)
def test_pasted_transcripts_and_checkboxes_say_nothing(read: Read, text: str) -> None:
    """C-035."""
    assert read(text).statements == ()


def test_positions_point_into_the_memory(read: Read) -> None:
    text = "USER: Hello there. We chose Redis over MySQL.\n\nASSISTANT: The bug is that the lock leaks away."
    for statement in read(text).statements:
        assert text[statement.position :].startswith(statement.text)


def test_a_summary_makes_no_statement(
    words: Lexicon, remember: Callable[[str], Memory], exchange: Callable[..., Exchange]
) -> None:
    memory = remember("We chose Redis over MySQL.")
    assert Statements(words).extract(memory, exchange(derived=True), None) == Extraction()


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("USER: plan\n\nASSISTANT: **Key Design Decision:** Shell out to the CLI.", "Shell out to the CLI"),
        ("USER: Decision: keep one table per tenant, because backups are per tenant.", "keep one table per tenant"),
        ("USER: The flow has a decision: continue or reset?", None),
        ("USER: The hook answers with decision: block and a reason, which the harness shows.", None),
        ("USER: 2. Final decision: drop the second cache.", "drop the second cache"),
        ("USER: look\n\nASSISTANT: The user chose to revert everything today.", None),
        ("USER: So the customer decided to use Redis for the cache, because it is fast.", None),
        ("USER: So we have now decided to use Redis for the cache, because it is fast.", "Redis"),
    ],
)
def test_a_decision_is_ones_own_or_labelled_as_one(read: Read, text: str, choice: str | None) -> None:
    """F-INTENT-1: what somebody outside the conversation chose is told, not decided."""
    decisions = [s for s in read(text).statements if s.kind is StatementKind.DECISION]
    assert [s.choice for s in decisions] == ([choice] if choice else [])
    assert all("**" not in s.text for s in decisions)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Please don't use default exports in this repository.", True),
        ("I never use default exports in a repository of mine.", True),
        ("The settings tests use t.Chdir and don't use t.Parallel because of that.", False),
        ("These helpers never use the global state of the package.", False),
    ],
)
def test_a_rule_is_told_from_a_description(read: Read, text: str, kept: bool) -> None:
    """F-INTENT-1, vocabulary.md §6: "don't use" is a rule only where nothing else is its subject."""
    found = [s for s in read(f"USER: {text}").statements if s.kind is StatementKind.PREFERENCE]
    assert bool(found) is kept
