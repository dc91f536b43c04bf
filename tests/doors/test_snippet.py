"""The few words of a long text that answer a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.doors.snippet import WIDTH, matches, passage, snippet
from memory_fabric.text import analyse, exchange_text

FILLER = " ".join(f"filler{number}" for number in range(300))


def terms(question: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(analyse(question)))


def test_a_short_text_is_shown_whole_on_one_line() -> None:
    assert snippet("one\n\n  two\tthree ", terms("two")) == "one two three"


@pytest.mark.parametrize(("length", "cut"), [(WIDTH - 1, False), (WIDTH, False), (WIDTH + 1, True)])
def test_a_text_is_cut_above_the_width_only(length: int, cut: bool) -> None:
    shown = snippet("x" * length, ())
    assert len(shown) <= WIDTH
    assert shown.endswith("…") is cut


def test_the_window_lies_where_most_different_words_of_the_question_stand() -> None:
    text = f"redis {FILLER} the redis session store was replaced by postgres {FILLER} postgres"
    shown = snippet(text, terms("Why did postgres replace redis?"), 120)
    assert "redis session store was replaced by postgres" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= 120


def test_a_text_without_any_of_the_words_is_shown_from_its_beginning() -> None:
    assert snippet(FILLER, terms("nothing"), 40).startswith("filler0 filler1")


def test_a_match_near_the_beginning_keeps_the_beginning() -> None:
    assert snippet(f"The redis cache. {FILLER}", terms("redis"), 60).startswith("The redis")


def test_a_match_at_the_very_end_is_in_the_window() -> None:
    shown = snippet(f"{FILLER} at last redis", terms("redis"), 60)
    assert shown.endswith("at last redis")


def test_inflected_words_match_as_the_index_does() -> None:
    assert [text for _, _, text in matches("migrating the databases", terms("database migration"))] == [
        "migrat",
        "databas",
    ]


def test_japanese_words_are_found_inside_their_sentence() -> None:
    """C-056: a run of ideographs is no single word."""
    text = "税" * 400 + "では端数は切り捨てることに決めました" + "品" * 400
    shown = snippet(text, terms("端数の切り捨て"), 60)
    assert "端数は切り捨てる" in shown
    assert len(shown) <= 60


def test_cuts_fall_between_words() -> None:
    inside = snippet(f"{FILLER} redis {FILLER}", terms("redis"), 100).strip("…")
    assert set(inside.split()) <= {*FILLER.split(), "redis"}


def test_the_reply_gets_what_a_short_prompt_leaves() -> None:
    shown = passage(exchange_text("short?", FILLER), ())
    assert shown.prompt == "short?"
    assert WIDTH * 0.9 < len(shown.reply) <= WIDTH - len("short?")


def test_a_long_prompt_leaves_the_larger_part_to_a_long_reply() -> None:
    shown = passage(exchange_text(FILLER, FILLER), ())
    assert len(shown.prompt) < len(shown.reply)
    assert len(shown.prompt) + len(shown.reply) <= WIDTH


def test_a_long_prompt_with_a_short_reply_gets_the_rest() -> None:
    shown = passage(exchange_text(FILLER, "Done."), ())
    assert shown.reply == "Done."
    assert len(shown.prompt) > WIDTH * 0.9


def test_a_note_is_all_prompt() -> None:
    assert passage("just a note", ()).prompt == "just a note"
    assert passage("just a note", ()).reply == ""


@given(
    st.text(alphabet="ab cé税込品 \n.", max_size=400),
    st.lists(st.sampled_from(["ab", "a", "税込", "込品", "cé"]), max_size=3),
    st.integers(20, 120),
)
def test_a_snippet_is_never_too_long_and_only_holds_what_was_there(text: str, words: list[str], width: int) -> None:
    shown = snippet(text, words, width)
    assert len(shown) <= width
    assert shown.strip("…").strip() in " ".join(text.split())


@given(st.text(alphabet="xy z", min_size=0, max_size=300), st.integers(30, 90), st.integers(0, 300))
def test_a_single_match_is_always_shown(text: str, width: int, place: int) -> None:
    line = f"{text[:place]} redis {text[place:]}"
    assert "redis" in snippet(line, ("redi",), width)
