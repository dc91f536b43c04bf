"""The category of a text."""

from __future__ import annotations

import pytest

from memory_fabric import lexicon

LEXICON = lexicon.load()


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("JWT authentication API endpoint", "authentication"),
        ("pagination of the database", "pagination"),
        ("a SQL migration", "database"),
        ("the GraphQL endpoint", "api"),
        ("a React component", "frontend"),
        ("the cache is slow", "performance"),
        ("a monolith", "architecture"),
        ("naming conventions", "pattern"),
        ("there is a bug", "blocker"),
        ("it is required", "constraint"),
        ("a vulnerability", "security"),
        ("pytest", "testing"),
        ("Kubernetes", "deployment"),
        ("runs in CI/CD", "deployment"),
        ("logging", "observability"),
        ("embeddings", "ai-ml"),
        ("ETL", "data-pipeline"),
        ("nothing of the kind", "decision"),
        ("", "decision"),
    ],
)
def test_the_first_group_with_a_keyword_wins(text: str, category: str) -> None:
    """vocabulary.md §4, with its check."""
    assert LEXICON.category_of(text) == category


@pytest.mark.parametrize("word", ["limit", "page", "session", "token", "system", "design", "style", "fix", "must"])
def test_a_weak_keyword_alone_says_nothing(word: str) -> None:
    assert LEXICON.category_of(f"the {word} of it") == "decision"


@pytest.mark.parametrize(
    ("text", "category"),
    [
        ("page limit", "pagination"),
        ("a page cursor", "pagination"),
        ("page page", "decision"),
        ("# Design\n\nall of it", "architecture"),
        ("**Design**: all of it", "architecture"),
        ("session token", "authentication"),
    ],
)
def test_a_weak_keyword_counts_with_a_second_one_or_in_a_heading(text: str, category: str) -> None:
    assert LEXICON.category_of(text) == category


def test_keywords_match_whole_words_only() -> None:
    """``ui`` fired in "build", ``rest`` in "restore"."""
    assert LEXICON.category_of("build, restore, breakfast, pages of apiary") == "decision"


def test_a_time_stamp_has_no_category() -> None:
    """C-035."""
    assert LEXICON.category_of("[00:12.500 - 00:14.000] we ship on Friday") == "decision"
