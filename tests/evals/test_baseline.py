"""The lexical baseline: by hand, and against ``bm25s`` with its defaults."""

from __future__ import annotations

from math import log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_fabric.evals.baseline import Bm25, tokens

WORDS = "cat cats running runs the dog_one x naïve 12 retries retry queue and 1:1".split()
texts = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)


def scores(index: Bm25, question: str) -> dict[str, float]:
    return dict(index.rank(question, 99))


def test_a_score_is_that_of_the_formula() -> None:
    """By hand: two documents of two terms, ``cat`` in one of them, twice; k1 1.5, b 0.75."""
    index = Bm25.of({"a": "cat cats", "b": "dog bark"})
    assert scores(index, "cat") == pytest.approx({"a": log(1 + 1.5 / 1.5) * 2 / (2 + 1.5)})


def test_length_lowers_a_score() -> None:
    """By hand: 2 and 4 terms, 3 on average, each with one ``cat``; a word in both has the idf log(1 + .5 / 2.5)."""
    index = Bm25.of({"long": "cat dog bird fish", "short": "cat dog"})
    rarity = log(1 + 0.5 / 2.5)
    assert list(scores(index, "cat")) == ["short", "long"]
    assert scores(index, "cat") == pytest.approx(
        {
            "short": rarity / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)),
            "long": rarity / (1 + 1.5 * (0.25 + 0.75 * 4 / 3)),
        }
    )


def test_a_document_without_any_word_of_the_question_is_not_returned() -> None:
    index = Bm25.of({"a": "cat", "b": "dog"})
    assert [item for item, _ in index.rank("dog", 5)] == ["b"]
    assert index.rank("bird", 5) == []
    assert index.rank("the and of", 5) == []


def test_ties_keep_the_documents_order_and_the_limit_is_kept() -> None:
    index = Bm25.of({"b": "cat", "a": "cat", "c": "cat"})
    assert [item for item, _ in index.rank("cat", 3)] == ["b", "a", "c"]
    assert [item for item, _ in index.rank("cat", 2)] == ["b", "a"]
    assert [item for item, _ in index.rank("cat", 4)] == ["b", "a", "c"]


def test_nothing_to_search_gives_nothing() -> None:
    assert Bm25.of({}).rank("cat", 5) == []
    assert Bm25.of({"a": "", "b": "the"}).rank("cat the", 5) == []


def test_words_of_one_letter_and_stop_words_go_and_the_rest_is_stemmed() -> None:
    assert tokens("The retries of a Naïve x-queue: 1:1, 12 dog_one") == ["retri", "naïv", "queue", "12", "dog_on"]


@given(st.lists(texts, min_size=1, max_size=8), texts)
@settings(deadline=None, max_examples=60)
def test_terms_and_scores_are_those_of_bm25s(documents: list[str], question: str) -> None:
    """0.3.16 with its defaults, English stop words and the Snowball stemmer: what the floors were computed with."""
    import bm25s
    import Stemmer

    how = {"stopwords": "en", "stemmer": Stemmer.Stemmer("english"), "show_progress": False, "return_ids": False}
    cut = bm25s.tokenize(documents, **how)
    asked = bm25s.tokenize([question], **how)[0]
    assert cut == [tokens(each) for each in documents]
    if not any(cut):
        return  # bm25s does not index nothing
    theirs = bm25s.BM25()
    theirs.index(cut, show_progress=False)
    known = [term for term in asked if any(term in each for each in cut)]
    expected = theirs.get_scores(known) if known else [0.0] * len(documents)
    ours = scores(Bm25.of({str(number): each for number, each in enumerate(documents)}), question)
    assert [ours.get(str(number), 0.0) for number in range(len(documents))] == pytest.approx(
        list(map(float, expected)), abs=1e-4
    )
