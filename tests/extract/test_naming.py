"""Which names may be entities, and under which id."""

from __future__ import annotations

import pytest

from memory_fabric.ingest.extract.naming import MAX_NAME, entity_id, project_entity_id, refusal, scoped_id
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.memory import Project
from memory_fabric.model.vocabulary import Kind


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x", "name too short"),
        ("xy", None),
        ("a" * (MAX_NAME - 1), None),
        ("a" * MAX_NAME, None),
        ("a" * (MAX_NAME + 1), "name too long"),
        ("one two three four five", None),
        ("one two three four five six", None),
        ("one two three four five six seven", "name too long"),
        ("The User", None),
        ("User", "actor word"),
        ("AI assistant", "actor word"),
        ("thing", "filler"),
        ("Tests", "filler"),
        ("12 ms", "quantity"),
        ("~350 MB", "quantity"),
        ("95%", "quantity"),
        ("3 files", "quantity"),
        ("1.2.3", "quantity"),
        ("2026-03-01", "quantity"),
        ("ab12", None),
        ("ab123", "mostly digits"),
        ("s3", None),
        ("-Users-jane-work-app", "path"),
        ("~/work/app", "path"),
        ("C:\\work", "path"),
        ("Ирис", None),
        ("हिन्दी", None),
    ],
)
def test_names_that_say_nothing_are_refused_with_a_reason(words: Lexicon, name: str, reason: str | None) -> None:
    """F-EXTR-8, C-057: every number at, below and above."""
    assert refusal(name, words) == reason


def test_ids_fold_the_spelling() -> None:
    """F-EXTR-13, C-050."""
    spellings = ["database-engineer", "Database Engineer", "database_engineer", " DATABASE  ENGINEER "]
    assert {entity_id(Kind.PERSON, name) for name in spellings} == {"person:database engineer"}
    assert entity_id(Kind.TECHNOLOGY, "ＲＥＤＩＳ") == "technology:redis"


def test_projects_of_one_name_stay_apart(project: Project) -> None:
    assert project_entity_id(project) == "project:p1"
    assert scoped_id(Kind.ARTIFACT, project, "src/a.py") == "artifact:p1/src/a.py"
    assert scoped_id(Kind.ARTIFACT, None, "/etc/hosts") == "artifact:/etc/hosts"
