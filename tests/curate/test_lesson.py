"""What should be done instead, from the words themselves (F-CMD-2)."""

from __future__ import annotations

import pytest

from memory_fabric.curate.lesson import lesson_of
from memory_fabric.lexicon import load


@pytest.mark.parametrize(
    ("text", "lesson"),
    [
        ("It broke. We should have used cursors.", "should have used cursors"),
        ("It broke; instead use a queue; then retry", "instead use a queue"),
        ("Better to ask v1.2 first! Always.", "Better to ask v1.2 first"),
        ("We SHOULD HAVE tested\nmore", "SHOULD HAVE tested"),
        ("It is better to wait, better to ask", "better to wait, better to ask"),
        ("We should have. Instead use Redis", "Instead use Redis"),
        ("We should have", None),
        ("A bitter torment and a shoulder", None),
        ("unbetter to", None),
        ("", None),
    ],
)
def test_a_lesson_runs_from_its_cue_to_the_end_of_its_sentence(text: str, lesson: str | None) -> None:
    assert lesson_of(text, load()) == lesson
