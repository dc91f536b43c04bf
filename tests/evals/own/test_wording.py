"""Vague words: none that gives the passage away (F-EVAL-2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evals.own.held import COMMON, chunk, entity, fillers, held

from memory_fabric.evals.own.synonyms import _GROUPS, synonyms
from memory_fabric.evals.own.wording import FEWEST, KEPT, MOST, RARE_MEMORIES, UNCOUNTED, Worded, Wording
from memory_fabric.text import STOP_WORDS, analyse

SAID = "Check the folder when the hook fails and update the branch before the review starts again."


def worded(prompt: str, *others: str, reply: str = "", names: tuple[str, ...] = (), count: int = 20) -> Worded | str:
    """What is asked about a passage among passages of common words."""
    extra = [chunk(f"other-{number}", text) for number, text in enumerate(others)]
    store = held([*fillers(count), chunk("it", prompt, reply), *extra], map(entity, names))
    return Wording(store).vague("it", "seed")


def test_a_sentence_is_said_in_other_words() -> None:
    found = worded(SAID)
    assert isinstance(found, Worded)
    said = set(analyse(found.text))
    assert said.isdisjoint(analyse("check folder starts fails"))  # each has a synonym
    assert {"hook"} <= said  # which has none
    assert found.kept <= KEPT


def test_the_wording_is_the_same_each_time_and_the_seed_chooses_among_synonyms() -> None:
    store = held([*fillers(20), chunk("it", SAID)])
    wordings = {str(Wording(store).vague("it", seed)) for seed in map(str, range(20))}
    assert str(Wording(store).vague("it", "1")) == str(Wording(store).vague("it", "1"))
    assert len(wordings) > 1


@pytest.mark.parametrize(("more", "kept"), [(-2, False), (-1, True), (0, True)])
def test_a_word_in_fewer_than_five_memories_is_rare(more: int, kept: bool) -> None:
    """With the passage itself: four, five and six memories hold it."""
    others = ["The zebra runs."] * (RARE_MEMORIES + more)
    found = worded(f"The zebra: {SAID}", *others)
    assert isinstance(found, Worded)
    assert ("zebra" in found.text.split()) is kept


@pytest.mark.parametrize(("memories", "rare"), [(999, 5.0), (1000, 5.0), (1001, 5.005), (4000, 20.0)])
def test_in_a_large_store_a_word_is_rare_in_less_than_half_a_per_cent(memories: int, rare: float) -> None:
    assert Wording(held(fillers(memories))).rare == pytest.approx(rare)


@pytest.mark.parametrize(
    "literal", ["`folder`", "parse_date", "getFolder", "src/folder", "folder.py", "v2", "#12", "HTTP", "f00d"]
)
def test_code_and_identifiers_are_no_words(literal: str) -> None:
    store = held([*fillers(20, f"{COMMON} {literal}"), chunk("it", SAID.replace("again", literal))])
    found = Wording(store).vague("it", "seed")
    assert isinstance(found, Worded)
    assert literal.strip("`").casefold() not in found.text.split()


def test_names_are_left_out_even_where_they_are_common() -> None:
    store = [*fillers(20, f"{COMMON} with redis"), chunk("it", f"{SAID[:-1]} with Redis.")]
    open_ = Wording(held(store)).vague("it", "seed")
    closed = Wording(held(store, [entity("Redis")])).vague("it", "seed")
    assert isinstance(open_, Worded)
    assert isinstance(closed, Worded)
    assert "redis" in open_.text
    assert "redis" not in closed.text


def test_function_words_stay_only_where_no_retriever_counts_them() -> None:
    """The plain baseline keeps "when", "before" and "again" as terms: said again they would give the passage away."""
    assert set(STOP_WORDS) >= UNCOUNTED
    found = worded(SAID)
    assert isinstance(found, Worded)
    said = set(found.text.split())
    assert "the" in said
    assert said.isdisjoint({"when", "before", "again"})


@pytest.mark.parametrize(("words", "asked"), [(FEWEST - 1, False), (FEWEST, True), (FEWEST + 1, True)])
def test_a_question_needs_four_content_words(words: int, asked: bool) -> None:
    plain = ["folder", "branch", "review", "check", "hook"][:words]
    found = worded(" ".join(plain))
    assert isinstance(found, Worded) is asked
    if not asked:
        assert found == "no sentence with enough plain words"


@pytest.mark.parametrize("words", [MOST - 1, MOST, MOST + 1])
def test_a_question_has_twelve_content_words_at_most(words: int) -> None:
    plain = "folder delete error start branch update review change choose hide finish improve answer".split()
    said = " ".join(plain[:words])
    store = held([*fillers(20, " ".join(plain)), chunk("it", said)])
    found = Wording(store).vague("it", "seed")
    assert isinstance(found, Worded)
    assert len(found.text.split()) == min(words, MOST)


@pytest.mark.parametrize(("own", "asked"), [(3, True), (4, True), (5, False)])
def test_at_most_two_thirds_of_the_words_may_be_the_passages(own: int, asked: bool) -> None:
    """Of six words three, four and five are the passage's own: 0.5, 0.67 and 0.83."""
    kept = ["hook", "river", "candle", "violet", "marble"][:own]
    changed = ["folder", "delete", "error"][: 6 - own]
    said = " ".join([*kept, *changed])
    store = held([*fillers(20, said), chunk("it", said)])
    found = Wording(store).vague("it", "seed")
    assert isinstance(found, Worded) is asked
    if isinstance(found, Worded):
        assert found.kept == pytest.approx(own / 6)
    else:
        assert found == "too close to the words of the passage"


def test_code_blocks_lists_and_consoles_are_not_quoted() -> None:
    blocks = f"```\n{SAID}\n```\n\n$ {SAID}\n\n- {SAID}\n\n> {SAID}"
    assert worded(blocks) == "no sentence with enough plain words"


def test_the_reply_is_asked_about_where_nobody_prompted() -> None:
    assert isinstance(worded("", reply=SAID), Worded)


def test_a_synonym_that_the_passage_holds_too_is_none() -> None:
    found = worded(f"{SAID} The directory is here.")
    assert isinstance(found, Worded)
    assert "folder" in found.text.split()


def test_hints_are_the_words_said_most_often() -> None:
    store = held([*fillers(20), chunk("it", "The branch. The branch. The review, the hook. The hook, the branch.")])
    wording = Wording(store)
    assert wording.hints("it", 2, frozenset()) == ["branch", "hook"]
    assert wording.hints("it", 2, frozenset(analyse("branches"))) == ["hook", "review"]


def test_every_word_of_the_list_is_one_term_of_one_group() -> None:
    listed = [word for line in _GROUPS.split("\n") for word in line.split()]
    terms = [analyse(word) for word in listed]
    assert all(len(each) == 1 for each in terms)
    assert len({each[0] for each in terms}) == len(listed) == len(synonyms())
    assert all(others and analyse(other) != [term] for term, others in synonyms().items() for other in others)


@given(st.text(max_size=400))
def test_no_text_breaks_the_wording(text: str) -> None:
    found = worded(text)
    assert isinstance(found, str | Worded)
    if isinstance(found, Worded):
        assert 0.0 <= found.kept <= KEPT
