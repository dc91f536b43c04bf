"""How Japanese, Chinese and Korean are cut for the index (C-056)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric import text
from memory_fabric.cjk import is_japanese, tokens_of

CJK = st.text(st.sampled_from("猫会議目的了解何什么的在々きゃべつからサーバーヴ사용자・ー゛〆"), max_size=30)


def test_chinese_characters_give_themselves_and_their_pairs() -> None:
    assert text.analyse("部署失败") == ["部", "部署", "署", "署失", "失", "失败", "败"]


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("猫可以吃什么？", ["猫", "吃"]),
        ("备份为什么是空的？", ["备", "备份", "份", "空"]),
        ("你们在哪里", []),
        ("牙醫什麼時候看診？", ["牙", "牙醫", "醫", "看", "看診", "診"]),
    ],
)
def test_chinese_words_of_grammar_are_left_out_and_no_pair_reaches_across_them(asked: str, left: list[str]) -> None:
    assert text.analyse(asked) == left


def test_what_denies_stays() -> None:
    assert {"不", "没"} <= set(text.analyse("不重启，也没回滚"))


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("猫は何を食べますか", ["猫", "食"]),
        ("食べられませんでした", ["食"]),
        ("どうすればいいですか", []),
        ("ごみの日", ["ごみ", "日"]),
        ("りんごを買った", ["りん", "んご", "買"]),
        ("とまとを植える", ["とま", "まと", "とを", "植"]),
        ("とまと", ["とま", "まと"]),
        ("引っ越しの手続き", ["引", "越", "手", "手続", "続"]),
    ],
)
def test_japanese_particles_and_endings_are_left_out_and_words_in_hiragana_stay(asked: str, left: list[str]) -> None:
    assert text.analyse(asked) == left


@pytest.mark.parametrize("word", ["会議", "目的", "了解", "最後", "有効", "対象", "現在地"])
def test_what_is_grammar_in_chinese_is_part_of_a_word_in_japanese(word: str) -> None:
    """The same characters: kana anywhere in the text tell the two apart."""
    assert word[:2] in text.analyse(f"{word}について")
    assert set(text.analyse(word)) & set(text.analyse(f"{word}について")), "even a word alone finds it"


@pytest.mark.parametrize(("spelled", "otherwise"), [("サーバー", "サーバ"), ("データー", "データ"), ("ｻｰﾊﾞｰ", "サーバ")])
def test_a_long_vowel_at_the_end_of_a_loanword_makes_no_difference(spelled: str, otherwise: str) -> None:
    assert text.analyse(spelled) == text.analyse(otherwise)


def test_a_short_loanword_keeps_its_long_vowel() -> None:
    """At the limit of three characters: キー is a key, キ is nothing."""
    assert text.analyse("キー") == ["キー"]
    assert text.analyse("コピー") == ["コピ", "ピー"]
    assert text.analyse("コピーー") == ["コピ", "ピー"]


def test_a_run_is_cut_where_the_script_changes() -> None:
    assert text.analyse("複合インデックス") == ["複", "複合", "合", *text.analyse("インデックス")]
    assert text.analyse("ヘルス・チェック") == [*text.analyse("ヘルス"), *text.analyse("チェック")]
    assert text.analyse("Pythonコード3行") == ["python", *text.analyse("コード"), "3", "行"]


def test_full_width_letters_are_the_plain_ones() -> None:
    assert text.analyse("ＡＰＩ１２０") == text.analyse("API120")


def test_kana_make_a_text_japanese() -> None:
    assert is_japanese("会議は")
    assert is_japanese("会議メモ")
    assert not is_japanese("会议记录 API ー・")


@given(CJK, CJK)
def test_what_is_found_in_a_part_is_found_in_the_whole(left: str, right: str) -> None:
    """A question that quotes a sentence finds it: cutting at punctuation changes nothing."""
    for japanese in (True, False):
        whole = list(tokens_of(f"{left}、{right}", japanese=japanese))
        parts = [*tokens_of(left, japanese=japanese), *tokens_of(right, japanese=japanese)]
        assert whole == parts


@given(CJK)
def test_tokens_are_one_or_two_characters_of_the_run_in_order(run: str) -> None:
    at = 0
    for token in tokens_of(run, japanese=is_japanese(run)):
        assert 1 <= len(token) <= 2
        place = run.find(token, at)
        assert place >= 0
        at = place
