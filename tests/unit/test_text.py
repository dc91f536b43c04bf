"""The pure functions on text: index tokens, names, similarity, splitting."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric import text

anything = st.text(max_size=80)
repaired = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


# ── analyse ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("given_text", "tokens"),
    [
        ("getUserName", "getusernam user name"),  # `get` alone is a stop word
        ("HTTPServer", "httpserver http server"),
        ("parse_date_time", "parsedatetim pars date time"),
        ("__init__", "init"),
        ("utf8", "utf8 utf 8"),
        ("node.js", "node js"),
        ("src/main.py", "src main py"),
        ("v1.2.3", "v1 v 1 2 3"),
        ("running runs", "run run"),
        ("Redis REDIS ＲＥＤＩＳ", "redi redi redi"),
        ("naïve café", "naïve café"),
        ("  \n\t!?…", ""),
        ("", ""),
    ],
)
def test_words_and_identifiers_become_tokens(given_text: str, tokens: str) -> None:
    assert text.analyse(given_text) == tokens.split()


def test_an_identifier_is_found_whole_and_by_its_parts() -> None:
    indexed = set(text.analyse("call getUserName() first"))
    for query in ("getUserName", "getusername", "user name", "name"):
        assert set(text.analyse(query)) & indexed, query


@pytest.mark.parametrize("query", ["重跑", "itgc", "gen-itgc", "50条", "步2"])
def test_chinese_and_ascii_glued_to_it_are_found(query: str) -> None:
    """C-056."""
    wanted = text.analyse(query)
    assert wanted
    assert set(wanted) <= set(text.analyse("步2 重跑gen-itgc后50条"))


def test_a_cjk_run_becomes_overlapping_pairs() -> None:
    """C-056: `用户` inside a longer run; one character alone is itself.  What is left out: `test_cjk.py`."""
    assert text.analyse("新用户登录") == ["新", "新用", "用", "用户", "户", "户登", "登", "登录", "录"]
    assert text.analyse("后") == ["后"]
    assert text.analyse("カタカナ") == ["カタ", "タカ", "カナ"]
    assert text.analyse("사용자") == ["사용", "용자"]
    assert "用户" not in text.analyse("用 户")


@pytest.mark.parametrize("name", ["अनीता", "Инна", "สวัสดี", "Ελένη", "שָׁלוֹם", "José", "e\u0301mile"])
def test_names_of_other_scripts_stay_whole(name: str) -> None:
    """C-057: combining marks are part of a word."""
    assert len(text.words(f"{name} uses Postgres")) == 3
    assert text.analyse(f"{name} uses Postgres") == [*text.analyse(name), "use", "postgr"]
    assert len(text.analyse(name)) == 1


@pytest.mark.parametrize(
    "word", "what which who where when why how did do does is are the a of with about can we you".split()
)
def test_question_words_and_fillers_are_gone(word: str) -> None:
    assert text.analyse(word) == []
    assert text.analyse(word.upper()) == []


@pytest.mark.parametrize("word", ["not", "no", "never", "over", "instead", "between"])
def test_words_of_polarity_and_direction_stay(word: str) -> None:
    """vocabulary.md §8.5."""
    assert text.analyse(word) == [word]
    assert word not in text.STOP_WORDS


@pytest.mark.parametrize(("length", "kept"), [(63, 63), (64, 64), (65, 64), (500, 64)])
def test_a_long_run_of_letters_is_cut_and_finds_itself(length: int, kept: int) -> None:
    assert [len(token) for token in text.analyse("x" * length)] == [kept]


@given(anything)
def test_analysis_is_pure_and_its_tokens_are_plain(given_text: str) -> None:
    tokens = text.analyse(given_text)
    assert tokens == text.analyse(given_text)
    assert all(token and not any(c.isspace() for c in token) for token in tokens)
    assert all(len(token) <= 64 for token in tokens)


@given(anything, anything)
def test_a_text_is_analysed_line_by_line(one: str, other: str) -> None:
    assert text.analyse(f"{one}\n{other}") == text.analyse(one) + text.analyse(other)


@given(st.text(st.sampled_from("abcXYZ019 _.-"), max_size=40))
def test_case_of_plain_words_does_not_matter(given_text: str) -> None:
    lower = given_text.lower()
    assert text.words(given_text) == text.words(lower)


# ── names ────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["Redis", "redis", "REDIS ", "ＲＥＤＩＳ", "\tredis\n"])
def test_every_spelling_of_a_name_has_one_key(name: str) -> None:
    """C-050."""
    assert text.entity_key(name) == "redis"
    assert text.fold(name) == "redis"


@pytest.mark.parametrize(
    "name", ["event-sourcing", "event_sourcing", "Event Sourcing", "event/sourcing", " event -- sourcing_"]
)
def test_hyphens_underscores_and_slashes_are_spaces_in_a_key(name: str) -> None:
    """F-EXTR-13."""
    assert text.entity_key(name) == "event sourcing"


def test_names_that_differ_have_different_keys() -> None:
    keys = [text.entity_key(name) for name in ("node.js", "nodejs", "c", "c++", "c#", "v1.2", "v12")]
    assert len(set(keys)) == len(keys)


@given(anything)
def test_a_key_of_a_key_is_itself(name: str) -> None:
    assert text.fold(text.fold(name)) == text.fold(name)
    assert text.entity_key(text.entity_key(name)) == text.entity_key(name)
    assert text.entity_key(f"  {name}\n") == text.entity_key(name)


# ── similarity ───────────────────────────────────────────────────────────────────────────────────────────────────

tokens = st.lists(st.sampled_from("abcdef"), max_size=8)


@given(tokens, tokens)
def test_jaccard_is_symmetric_and_bounded(left: list[str], right: list[str]) -> None:
    """F-DEDUP-2."""
    value = text.jaccard(left, right)
    assert value == text.jaccard(right, left)
    assert 0.0 <= value <= 1.0
    assert (value == 1.0) == (set(left) == set(right))
    assert (value == 0.0) == (set(left) != set(right) and not set(left) & set(right))


@given(tokens, tokens, tokens)
def test_jaccard_distance_obeys_the_triangle(a: list[str], b: list[str], c: list[str]) -> None:
    assert 1 - text.jaccard(a, c) <= (1 - text.jaccard(a, b)) + (1 - text.jaccard(b, c)) + 1e-12


def test_jaccard_counts_each_token_once() -> None:
    assert text.jaccard("aab", "abb") == 1.0
    assert text.jaccard("abc", "bcd") == 0.5
    assert text.jaccard([], []) == 1.0
    assert text.jaccard([], "a") == 0.0


def test_a_full_stop_does_not_break_a_duplicate() -> None:
    """F-DEDUP-2."""
    assert text.jaccard(text.words("Use Redis, always."), text.words("use redis always")) == 1.0


# ── repair ───────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("broken", "repaired_text"),
    [
        ("ship it \ud83d", "ship it \ufffd"),
        ("\ud83dX", "\ufffdX"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ud83d\ude00", "😀"),
        ("a\0b", "ab"),
        ("\0\ud83d\0", "\ufffd"),
        ("a\u2028b", "a\u2028b"),
        ("plain", "plain"),
    ],
)
def test_broken_text_is_repaired(broken: str, repaired_text: str) -> None:
    """C-006, C-008, formats.md §0 rule 4."""
    assert text.clean(broken) == repaired_text


@given(st.text(st.characters(), max_size=60))
def test_clean_text_can_be_held_everywhere(given_text: str) -> None:
    once = text.clean(given_text)
    once.encode("utf-8")
    assert "\0" not in once
    assert text.clean(once) == once


@given(repaired)
def test_sound_text_is_left_alone(given_text: str) -> None:
    assert text.clean(given_text) == given_text.replace("\0", "")


# ── exchanges ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_exchange_has_one_text_form() -> None:
    """F-ING-2."""
    assert text.exchange_text("Fix it", "Done.") == "USER: Fix it\n\nASSISTANT: Done."
    assert text.exchange_text("Fix it", "") == "USER: Fix it"
    assert text.exchange_text("", "Done.") == "ASSISTANT: Done."
    assert text.exchange_text("", "") == ""


@given(repaired.filter(lambda prompt: "\n\nASSISTANT: " not in prompt), repaired)
def test_an_exchange_comes_back_as_it_was(prompt: str, reply: str) -> None:
    assert text.split_exchange(text.exchange_text(prompt, reply)) == (prompt, reply)


def test_other_text_is_all_prompt() -> None:
    assert text.split_exchange("a note\n\nASSISTANT: quoted") == ("a note\n\nASSISTANT: quoted", "")


# ── splitting ────────────────────────────────────────────────────────────────────────────────────────────────────

LIMIT = 6_000
"""F-ING-4."""


@pytest.mark.parametrize(
    ("length", "parts"), [(0, []), (1, [1]), (5_999, [5_999]), (6_000, [6_000]), (6_001, [6_000, 1])]
)
def test_only_a_text_above_the_limit_is_split(length: int, parts: list[int]) -> None:
    """F-ING-4."""
    assert [len(part) for part in text.split_long("x" * length, LIMIT)] == parts


@pytest.mark.parametrize(
    ("given_text", "parts"),
    [
        ("aaaa bb\ncc\n\ndd ee ff", ["aaaa bb\ncc", "dd ee ff"]),  # a blank line before a later space
        ("aaaa bb\r\ncc\r\n\r\ndd e", ["aaaa bb\r\ncc", "dd e"]),
        ("aaaa bb\ncc dd ee ff gg", ["aaaa bb", "cc dd ee ff gg"]),  # a line before a later space
        ("aaaa bbbb cccc dddd", ["aaaa bbbb cccc", "dddd"]),
        ("aaaaaaaaaaaaaaaaaaaa", ["aaaaaaaaaaaaaaa", "aaaaa"]),
        ("a\n\nbbbbbbbbbbbbbbbbbb", ["a\n\nbbbbbbbbbbbb", "bbbbbb"]),  # no part below a quarter of the limit
    ],
)
def test_the_best_cut_is_a_blank_line_then_a_line_then_a_word(given_text: str, parts: list[str]) -> None:
    """F-ING-4."""
    assert list(text.split_long(given_text, 15)) == parts


@given(st.text(st.sampled_from("ab \n\r\t界😀"), max_size=200), st.integers(1, 60))
def test_splitting_keeps_the_limit_and_every_character_but_white_space(given_text: str, limit: int) -> None:
    """F-ING-4."""
    parts = list(text.split_long(given_text, limit))
    assert all(0 < len(part) <= limit for part in parts)
    assert "".join("".join(parts).split()) == "".join(given_text.split())
    places = itertools.accumulate(parts, lambda at, part: given_text.index(part, at) + len(part), initial=0)
    assert list(places)[-1] <= len(given_text)


def test_a_text_of_many_megabytes_is_split_in_one_pass() -> None:
    """C-013: with a copy of the rest for each part this would not come back."""
    parts = list(text.split_long("word " * 4_000_000, 50))
    assert len(parts) == 400_000
