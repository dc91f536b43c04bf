"""Names that only a note's own wording marks as names (features.md §9.2, assignment rules of ``remember``)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memory_fabric.errors import ExtractionError
from memory_fabric.ingest.extract import extractors
from memory_fabric.ingest.extract.coined import MAX_TITLE, title
from memory_fabric.ingest.note import extract_note
from memory_fabric.lexicon import load
from memory_fabric.model.memory import Memory, MemoryId, MemoryKind, Origin, Project, ProjectId, SessionId
from memory_fabric.ports import Extraction

LEXICON = load()
PROJECT = Project(ProjectId("p"), "web-shop", "/w/web-shop")


def note(text: str, **metadata: object) -> Memory:
    at = datetime(2026, 5, 1, tzinfo=UTC)
    return Memory(MemoryId("m"), text, MemoryKind.NOTE, PROJECT.id, at, Origin("note", SessionId("n")), (), metadata)


def found(text: str, **metadata: object) -> dict[str, str]:
    extraction = extract_note(extractors(LEXICON), LEXICON, note(text, **metadata), PROJECT)
    assert {mention.entity for mention in extraction.mentions} == {entity.id for entity in extraction.entities}
    return {entity.name: str(entity.label) for entity in extraction.entities}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the files live in Tigris now", {"Tigris": "technology"}),
        ("Zenoh moves the messages of Tigris", {"Tigris": "technology"}),
        ("PostHog counts the clicks", {"PostHog": "technology"}),
        ("the release-manager signs", {"release-manager": "agent"}),
        ("we like circuit-opening", {"circuit-opening": "pattern"}),
        ("Foo.bar and Tigris. Then more", {"Tigris": "technology"}),
        ("Redis and Tigris", {"Redis": "technology", "Tigris": "technology"}),
    ],
)
def test_a_note_marks_names_by_how_they_are_written(text: str, expected: dict[str, str]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Always ask first. Never guess: Monday is closed",
        "a read-only, sheet-like, well-known, end-to-end thing",
        "see src/Parser and Foo.bar() and @Handle",
        "we met on Tuesday in March",
        "- Keep it\n- Drop it",
        "do NOT do THAT",
        "a-b x-1 re-do",
    ],
)
def test_what_only_looks_like_a_name_is_none(text: str) -> None:
    assert set(found(text).values()) == {"decision"}, "the decision that stands for a note without names"


def test_a_failure_is_called_by_its_first_sentence() -> None:
    names = found("Sharding by day made hot spots. Hash instead.", outcome="failed")
    assert names["Sharding by day made hot spots"] == "anti_pattern"
    later = found("Sharding by day made hot spots.", outcome="failed", part=1)
    assert "anti_pattern" not in later.values()


def test_a_later_part_without_names_has_no_decision_of_its_own() -> None:
    assert found("keep the kettle on", part=1) == {}


def test_a_note_whose_extraction_fails_keeps_its_decision() -> None:
    """F-ERR-9."""

    class Failing:
        name = "failing"

        def extract(self, memory: object, exchange: object, project: object) -> Extraction:  # noqa: ARG002
            raise ExtractionError("the reply could not be used")

    extraction = extract_note([Failing()], LEXICON, note("keep the kettle on"), None)
    assert [entity.label for entity in extraction.entities] == ["decision"]
    assert extraction.dropped == {"failing failed": 1}


def test_extraction_sees_no_kind_of_a_secret() -> None:
    memory = note("use [redacted:anthropic-key] with care, Redis")
    extraction = extract_note(extractors(LEXICON), LEXICON, memory, PROJECT)
    assert [entity.name for entity in extraction.entities] == ["Redis"]
    assert replace(memory) == memory


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two.", "One"),
        ("  spread\n over lines", "spread"),
        ("a; b", "a"),
        ("v1.2 broke", "v1.2 broke"),
        ("x" * MAX_TITLE, "x" * MAX_TITLE),
        ("x" * (MAX_TITLE + 1), "x" * (MAX_TITLE - 1) + "…"),
    ],
)
def test_a_title_is_the_first_sentence_of_at_most_eighty_characters(text: str, expected: str) -> None:
    assert title(text) == expected
