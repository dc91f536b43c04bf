"""Full text: any user text is safe, every script is found, scores are BM25."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_fabric.model.memory import MemoryId, ProjectId, SessionId
from memory_fabric.model.query import Scope, Window
from memory_fabric.ports import Store
from memory_fabric.text import analyse, clean

if TYPE_CHECKING:
    from tests.contract.conftest import Build

HOSTILE = (
    "multi-agent", "-pnpm", "BENCH-100821", "tier1-test AND unicode", "TODO: fix", "error:timeout", "time: 9am",
    "src/main.py", "don't", "C++", "node.js", "v1.2.3", "(", '"open', "*", "AND", "foo OR", "NEAR", "NOT x", "",
    "a|b", "x/y", "[z]", "~q", "@w", "col:x", "prompt : x", "\0", "^a", "{a b}", "a* b", '""', "'", ";--", "\ud83d",
)  # fmt: skip


def found(store: Store, text: str, scope: Scope | None = None) -> list[str]:
    return [unit.memory for unit in store.match(analyse(text), scope or Scope(), 20)]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_is_taken_for_a_query_language(store: Store, build: Build, text: str) -> None:
    """C-051, C-052, C-053, C-064: neither raw nor analysed."""
    store.save(build.batch(build.record("m1", clean(text) or "nothing"), build.record("m2", "other words", seq=1)))
    for terms in ([text], analyse(text), [text, "words"]):
        store.match(terms, Scope(), 5)
        store.session_scores(terms, Scope(), 5)
        store.references(terms, Scope(), 5)
        store.statistics(terms)
    if analyse(clean(text)):
        assert "m1" in found(store, clean(text))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("步2 重跑gen-itgc后50条", "重跑"),
        ("步2 重跑gen-itgc后50条", "itgc"),
        ("新しい用户登録", "用户"),
        ("अनीता uses Postgres", "अनीता"),
        ("Инна prefers tabs", "инна"),
        ("ผู้ใช้ชอบแท็บ", "ผู้ใช้ชอบแท็บ"),
        ("naïve café", "café"),
        ("getUserName failed", "user name"),
        ("snake_case_name", "case"),
        ("Straße", "STRASSE"),
        ("𐐨𐐩 deseret", "𐐨𐐩"),
    ],
)
def test_every_script_is_found(store: Store, build: Build, text: str, question: str) -> None:
    """C-056, C-057."""
    store.save(build.batch(build.record("m1", text), build.record("m2", "quite different", seq=1)))
    assert found(store, question) == ["m1"]


def test_marks_tell_words_apart(store: Store, build: Build) -> None:
    """The index must not fold what the analysis kept."""
    store.save(build.batch(build.record("m1", "café"), build.record("m2", "cafe", seq=1)))
    assert found(store, "café") == ["m1"]
    assert found(store, "cafe") == ["m2"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(min_size=1, max_size=60))
def test_every_token_of_a_text_finds_it(store: Store, build: Build, text: str) -> None:
    """C-056, C-057, as a law: the index keeps our tokens as they are."""
    text = clean(text)
    store.save(build.batch(build.record("law", text)))
    tokens = analyse(text)
    for token in set(tokens):
        assert [unit.memory for unit in store.match([token], Scope(), 5)] == ["law"]
        assert store.statistics([token]).frequency[token] == 1
    unit = store.units([build.memory("law").id])[0]
    assert unit.prompt.split() == tokens
    assert unit.length == len(tokens)


def test_the_prompt_counts_more_than_the_reply(store: Store, build: Build) -> None:
    store.save(
        build.batch(build.record("reply", "apples", "parsers"), build.record("prompt", "parsers", "apples", seq=1))
    )
    assert found(store, "parsers") == ["prompt", "reply"]


def test_more_matching_terms_come_first_and_the_limit_holds(store: Store, build: Build) -> None:
    records = [
        build.record("both", "walrus penguin"),
        *(build.record(f"m{i}", "walrus heron", seq=i + 1) for i in range(3)),
    ]
    store.save(build.batch(*records, build.record("none", "eagle owl", seq=9), build.record("no", "ibis owl", seq=10)))
    assert found(store, "walrus penguin")[0] == "both"
    assert len(found(store, "walrus penguin")) == 4
    for limit, count in ((-1, 0), (0, 0), (1, 1), (4, 4), (5, 4)):
        assert len(store.match(["walrus"], Scope(), limit)) == count


def test_a_unit_holds_its_tokens_between_spaces_of_their_own(store: Store, build: Build) -> None:
    store.save(build.batch(build.record("m1", "fix fix parser", "done fix", session="s7")))
    [unit] = store.match(["fix"], Scope(), 5)
    assert (unit.prompt, unit.reply, unit.length) == (" fix  fix  parser ", " fix ", 4)
    assert unit.prompt.count(" fix ") == 2
    assert (unit.session, unit.place) == ("s7", 0)


def test_units_come_by_id_in_the_order_asked(store: Store, build: Build) -> None:
    store.save(build.batch(build.record("m1"), build.record("m2", seq=1)))
    ids = [build.memory(key).id for key in ("m2", "ghost", "m1", "m2")]
    assert [unit.memory for unit in store.units(ids)] == ["m2", "m1"]


def test_within_keeps_what_is_in_scope(store: Store, build: Build) -> None:
    """C-148: what is found beside something must be in scope itself."""
    store.save(
        build.batch(build.record("m1"), build.record("m2", seq=1, project="p2"), build.record("m3", seq=2, day=9))
    )
    ids = [MemoryId("m1"), MemoryId("m2"), MemoryId("m3"), MemoryId("unknown")]
    assert store.within(ids[:3], Scope()) == {"m1", "m2", "m3"}
    assert store.within(ids, Scope(projects=(ProjectId("p1"),))) == {"m1", "m3"}
    assert store.within(ids, Scope(window=Window(before=build.at(5)))) == {"m1", "m2"}
    assert store.within([], Scope(projects=(ProjectId("p1"),))) == frozenset()


def test_around_gives_each_neighbour_once_ordered_by_place(store: Store, build: Build) -> None:
    store.save(build.batch(*(build.record(f"a{i}", "alpha", session="s1", seq=i) for i in range(10))))
    store.save(build.batch(*(build.record(f"b{i}", "beta", session="s2", seq=i) for i in range(2))))
    units = store.units([build.memory(key).id for key in ("a6", "a4", "a0", "b1")])
    around = store.around(units, 1, 2)
    assert {session: [str(u.memory) for u in found] for session, found in around.items()} == {
        "s1": ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8"],
        "s2": ["b0", "b1"],
    }
    assert [u.memory for u in store.around(units[:1], 0, 0)[SessionId("s1")]] == ["a6"]
    assert store.around([], 3, 3) == {}


def test_sessions_are_scored_by_all_their_text(store: Store, build: Build) -> None:
    for session, words in {"s1": ["walrus", "penguin"], "s2": ["walrus", "heron"], "s3": ["owl", "ibis"]}.items():
        records = [build.record(f"{session}{i}", word, session=session, seq=i) for i, word in enumerate(words)]
        store.save(build.batch(*records))
    scores = store.session_scores(["walrus", "penguin"], Scope(), 5)
    assert list(scores) == ["s1", "s2"]
    assert scores[SessionId("s1")] > scores[SessionId("s2")] > 0
    store.save(build.batch(build.record("s3x", "walrus penguin", session="s3", seq=9)))
    assert set(store.session_scores(["penguin"], Scope(), 5)) == {"s1", "s3"}, "a session grows"
    assert store.session_scores(["penguin"], Scope(), 0) == {}


def test_references_find_what_tools_touched(store: Store, build: Build) -> None:
    store.save(
        build.batch(
            build.record("m1", touched=("src/date_parser.py", "npm run build")),
            build.record("m2", touched=("docs/index.md",), seq=1),
            build.record("m3", "date parser", seq=2),
        )
    )
    assert list(store.references(analyse("date parser"), Scope(), 5)) == ["m1"]
    assert list(store.references(["build"], Scope(), 5)) == ["m1"]


def test_statistics_count_units_not_occurrences_and_ignore_scope(store: Store, build: Build) -> None:
    assert store.statistics(["fix"]).mean_length == 0.0
    store.save(
        build.batch(build.record("m1", "fix fix"), build.record("m2", "fix owl heron ibis", project="p2", seq=1))
    )
    statistics = store.statistics(["fix", "owl", "none"])
    assert (statistics.units, statistics.mean_length) == (2, 3.0)
    assert statistics.frequency == {"fix": 2, "owl": 1, "none": 0}
    store.save(build.batch(build.record("m3", "owl", seq=2)))
    assert store.statistics(["owl"]).frequency == {"owl": 2}, "counts follow the index"


def test_the_rarest_terms_come_first_and_counting_stops(store: Store, build: Build) -> None:
    """F-HOOK-7: a prompt of many words is asked by those that say most."""
    texts = ["fix owl heron", "fix owl", "fix fox", "fix"]
    store.save(build.batch(*(build.record(f"m{place}", text, seq=place) for place, text in enumerate(texts))))
    terms = ["fix", "owl", "heron", "none", "fox", "fix"]
    counted = store.rarest(terms, 100)
    assert list(counted.items()) == [("none", 0), ("heron", 1), ("fox", 1), ("owl", 2), ("fix", 4)]
    assert list(store.rarest(terms, 2).items())[-2:] == [("fix", 2), ("owl", 2)], "beyond the count all are alike"
    assert store.rarest([], 100) == {}
    assert store.rarest(['a" OR *', " "], 100) == {'a" OR *': 0}


@pytest.mark.parametrize("rounds", [1, 60])
def test_counts_follow_a_rewrite_that_keeps_every_total(store: Store, build: Build, rounds: int) -> None:
    """As many memories, as many tokens, other words; so often that the index merges its parts meanwhile."""
    for turn in range(rounds):
        for word, other in (("owl", "fox"), ("fox", "owl")):
            store.save(build.batch(build.record("m1", f"{word} parser {turn}")))
            assert store.statistics(["owl", "fox"]).frequency == {word: 1, other: 0}


def test_a_thousand_terms_are_one_question(store: Store, build: Build) -> None:
    store.save(build.batch(build.record("m1", "needle")))
    terms = [f"word{i}" for i in range(999)] + analyse("needle")
    assert [unit.memory for unit in store.match(terms, Scope(), 5)] == ["m1"]
