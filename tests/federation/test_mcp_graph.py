"""Reading graphs of all kinds, choosing what to ask for and what to take."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.federation.conftest import asked
from tests.search.builders import question

from memory_fabric.sources.mcp.graph import (
    EXACT,
    LONGEST,
    MOST_NEEDLES,
    PARTIAL,
    Answers,
    Found,
    chosen,
    graph_of,
    needles,
    observed,
    stemmed,
    whole,
)


@pytest.mark.parametrize(
    ("text", "hints", "wanted"),
    [
        ("", (), []),
        ("cache", (), ["cache", "cach"]),
        ("the and of", (), ["the and of"]),
        ("redis cache", ("Redis",), ["redis cache", "Redis", "cach"]),
        ("caching policies", (), ["caching policies", "polici", "cach"]),
        ("go map", (), ["go map", "map"]),
    ],
)
def test_what_is_asked_for(text: str, hints: tuple[str, ...], wanted: list[str]) -> None:
    """The whole, what is named, then word by word, longer ones first, each once whatever its case."""
    assert needles(asked(text, *hints)) == wanted


@pytest.mark.parametrize(("words", "made"), [(9, 11), (10, 12), (11, 12), (40, 12)])
def test_one_question_makes_so_many_searches_and_no_more(words: int, made: int) -> None:
    """The whole, a hint, and a search a word: twelve at most."""
    text = " ".join(f"{a}{b}mp" for a in "bdfgklnprst" for b in "aeiou")[: 5 * words - 1]
    assert len(text.split()) == words
    assert MOST_NEEDLES == 12
    assert len(needles(asked(text, "Redis"))) == made


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("caching", "cach"),
        ("retries", "retri"),
        ("policy", "policy"),
        ("goes", "goes"),
        ("日本", "日本"),
        ("runs", "runs"),
    ],
)
def test_a_stem_stands_for_its_word_where_it_begins_it_and_is_long_enough(word: str, stem: str) -> None:
    assert stemmed(word) == stem


GRAPH = {"entities": [{"name": "a", "entityType": "t", "observations": ["b"]}], "relations": []}


@pytest.mark.parametrize(
    ("structured", "texts", "there"),
    [
        (GRAPH, [], True),
        (None, [json.dumps(GRAPH)], True),
        ({"result": "x"}, ["found:", json.dumps(GRAPH)], True),
        (None, [json.dumps(GRAPH["entities"])], True),
        (None, ["[]"], True),
        (None, [], False),
        (None, ["no", "{}", "7", "null", '["a"]'], False),
        ({"nodes": []}, [], False),
    ],
)
def test_a_graph_is_found_in_every_kind_of_result(structured: Any, texts: list[str], there: bool) -> None:
    assert (graph_of(structured, texts) is not None) is there


def test_answers_are_merged_by_name() -> None:
    """Of two versions the fuller one stays; relations stand once."""
    answers = Answers()
    relation = {"from": "a", "to": "c", "relationType": "uses"}
    answers.take({"entities": [{"name": "a", "observations": ["x", "y", "x"]}], "relations": [relation]})
    answers.take({"entities": [{"name": "a", "observations": ["x"]}, {"name": "b"}], "relations": [relation]})
    assert answers.nodes == {"a": Found("a", "", ("x", "y")), "b": Found("b")}
    assert answers.of("a") == answers.of("c") == [("a", "uses", "c")]
    assert answers.of("b") == []
    assert answers.broken == 0


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["name", "entities", "relations", "observations", "from", "to", "relationType", "content"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(["entities", "relations"]), json_values))
def test_no_answer_upsets_the_reader(graph: dict[str, Any]) -> None:
    answers = Answers()
    answers.take(graph)
    for node, raw in chosen(answers, question("cache of things"), 5):
        assert whole(node).strip()
        assert raw in (EXACT, PARTIAL)


@pytest.mark.parametrize(
    ("name", "text", "raw"),
    [
        ("Redis", "how is redis used", EXACT),
        ("redis_cache", "the redis cache is full", EXACT),
        ("redis cache", "redis and the cache", PARTIAL),
        ("dis", "redis", PARTIAL),
        ("the", "the redis", PARTIAL),
        ("C++", "is c faster", EXACT),
        ("支払い", "支払い はどこ", EXACT),
    ],
)
def test_a_node_is_named_by_whole_words(name: str, text: str, raw: float) -> None:
    """F-NORM-3, C-050."""
    answers = Answers({name: Found(name, "", ("x",))})
    assert chosen(answers, question(text), 1)[0][1] == raw


@pytest.mark.parametrize(
    ("observations", "text"),
    [
        ((), "n."),
        (("a",), "n. a"),
        (("a.", "b"), "n. a. b"),
        (("a!", "b?", "c: "), "n. a! b? c: "),
    ],
)
def test_a_node_as_one_text(observations: tuple[str, ...], text: str) -> None:
    """F-NORM-3: joined by ". "."""
    assert whole(Found("n", "", observations)) == (text if observations else "n")


@pytest.mark.parametrize(("size", "kept"), [(LONGEST - 1, 2), (LONGEST, 2), (LONGEST + 1, 1)])
def test_so_much_of_a_node_is_taken(size: int, kept: int) -> None:
    node = Found("n", "", ("a" * (size - 4), "tail"))
    assert len(observed(node)) == kept
    assert observed(node, question("tail"))[-1] == ("tail" if kept == 2 or size > LONGEST else "")
