"""Restatements fold into the best of them, and nothing is lost (F-DEDUP-1 to F-DEDUP-8, D-5, C-146)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.search.builders import candidate, memory

from memory_fabric.model.graph import EntityId, Relation, RelationOrigin
from memory_fabric.model.memory import MemoryKind
from memory_fabric.model.result import Candidate
from memory_fabric.model.vocabulary import Predicate
from memory_fabric.search.dedupe import CROSS_VALIDATED, SIMILAR, dedupe, independent
from memory_fabric.text import jaccard, words

SHARED = tuple(f"{a}{b}um" for a in "bdfgklmnpr" for b in "aeiou")
"""Fifty plain words."""


def texts(shared: int, union: int) -> tuple[str, str]:
    """Two texts of so many shared words, of so many in all; the rest is the first one's own."""
    return " ".join(SHARED[:union]), " ".join(SHARED[:shared])


def fold(one: str, other: str, threshold: float = SIMILAR) -> int:
    """How many candidates are left of two texts."""
    return len(dedupe([candidate(memory("a", one), 0.9), candidate(memory("b", other), 0.8)], threshold))


@pytest.mark.parametrize(("shared", "union", "left"), [(16, 20, 2), (17, 20, 2), (18, 20, 1), (34, 40, 2), (35, 40, 1)])
def test_strictly_more_than_85_percent_folds(shared: int, union: int, left: int) -> None:
    """F-DEDUP-1: 17 of 20 is exactly 0.85 and does not fold."""
    one, other = texts(shared, union)
    assert jaccard(words(one), words(other)) == shared / union
    assert fold(one, other) == left


@pytest.mark.parametrize(("own", "left"), [(2, 1), (3, 2), (4, 2)])
def test_words_of_either_text_count_alike(own: int, left: int) -> None:
    """F-DEDUP-1: 34 shared and three of each one's own are exactly 0.85 of 40, and do not fold."""
    one, other = SHARED[: 34 + own], (*SHARED[:34], *SHARED[-own:])
    assert jaccard(one, other) == 34 / (34 + 2 * own)
    assert fold(" ".join(one), " ".join(other)) == left


@pytest.mark.parametrize(("threshold", "left"), [(0.59, 1), (0.6, 2), (0.61, 2), (0.0, 1), (1.0, 2)])
def test_the_threshold_is_a_setting(threshold: float, left: int) -> None:
    """F-DEDUP-1: 12 of 20 shared."""
    assert fold(*texts(12, 20), threshold) == left


def test_the_measure_is_on_sets_of_words_without_case_and_punctuation() -> None:
    """F-DEDUP-2: a full stop broke a duplicate when words were split at white space only."""
    assert fold("We use cursor pagination.", "we use, cursor pagination") == 1
    assert fold("we use use use cursor pagination", "we use cursor pagination") == 1


def test_different_words_of_a_restatement_fold() -> None:
    one = "We use cursor pagination in the orders service because pages stay stable while rows arrive during reading"
    assert fold(one, one.replace("reading", "loading")) == 1


@pytest.mark.parametrize(
    ("one", "other", "left"),
    [
        (("Postgres", "orders"), ("orders", "MySQL"), 2),
        (("Postgres",), ("orders",), 2),
        (("orders",), ("MySQL",), 2),
        (("orders",), ("orders",), 1),
        ((), (), 1),
    ],
)
def test_two_names_in_one_place_do_not_fold(one: tuple[str, ...], other: tuple[str, ...], left: int) -> None:
    """D-7, F-DEDUP-6, unsure keeps both: a name stands where the other text says something else."""
    text = "{} holds the orders of the shop since the rewrite as our team knows how to run and tune and back it up"
    both = [
        candidate(memory("a", text.format("Postgres"), entities=one)),
        candidate(memory("b", text.format("MySQL"), entities=other)),
    ]
    assert len(dedupe(both)) == left


def test_a_name_that_is_only_added_folds() -> None:
    """F-DEDUP-3: entities are united when one text says more than the other."""
    text = "the orders of the shop live where our team knows how to run and tune and back them up"
    both = [candidate(memory("a", text)), candidate(memory("b", text + " Postgres", entities=("Postgres",)))]
    assert len(dedupe(both)) == 1


def test_the_more_relevant_stays_whatever_it_is() -> None:
    """F-DEDUP-3: the shell version let the graph win whatever the relevance."""
    weak = candidate(memory("a", "the same words"), 0.3, authority=1.1, found_by={"graph": 0.3})
    strong = candidate(memory("b", "the same words"), 0.7, found_by={"text": 0.7, "graph": 0.1})
    (kept,) = dedupe([weak, strong])
    assert kept.memory.id == "b"
    assert [each.id for each in kept.absorbed] == ["a"]
    assert kept.relevance == 0.7
    assert kept.found_by == {"text": 0.7, "graph": 0.3}
    assert kept.authority == 1.1


def test_ties_fall_to_the_smaller_id() -> None:
    (kept,) = dedupe([candidate(memory(name, "the same words")) for name in "cab"])
    assert (kept.memory.id, [each.id for each in kept.absorbed]) == ("a", ["b", "c"])


def test_what_was_absorbed_before_stays_listed() -> None:
    """F-DEDUP-6."""
    first = candidate(memory("a", "the same words"), 0.9, absorbed=(memory("c"),))
    second = candidate(memory("b", "the same words"), 0.8, absorbed=(memory("d"),))
    assert [each.id for each in dedupe([first, second])[0].absorbed] == ["c", "b", "d"]


def test_relations_are_united() -> None:
    """F-DEDUP-3."""
    said = [
        Relation(EntityId("x"), Predicate.USES, EntityId(name), "uses", RelationOrigin.STATED) for name in ("y", "z")
    ]
    first = candidate(memory("a", "the same words"), 0.9, relations=(said[0],))
    second = candidate(memory("b", "the same words"), 0.8, relations=(said[0], said[1]))
    assert dedupe([first, second])[0].relations == tuple(said)


# ── witnesses ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("session", "source", "two"),
    [("s1", "claude_code", False), ("s2", "claude_code", True), ("s1", "codex", True), ("s2", "codex", True)],
)
def test_witnesses_are_other_sessions_or_other_sources(session: str, source: str, two: bool) -> None:
    """D-5, F-DEDUP-4: any duplicate counted in the originals."""
    one = memory("a", "the same words")
    other = memory("b", "the same words", session=session, source=source)
    assert independent(one, other) is two
    (kept,) = dedupe([candidate(one, 0.9), candidate(other, 0.8)])
    assert kept.cross_validated is two
    assert kept.authority == (CROSS_VALIDATED if two else 1.0)


def test_one_memory_found_twice_is_one_witness() -> None:
    """D-5: the same transcript found by vector and by graph."""
    (kept,) = dedupe([candidate("a", 0.9, found_by={"vector": 0.9, "graph": 0.9, "text": 0.9})])
    assert not kept.cross_validated
    assert kept.authority == 1.0


def test_one_other_session_among_many_copies_is_enough() -> None:
    same = [candidate(memory(name, "the same words"), 0.9) for name in "abc"]
    (kept,) = dedupe([*same, candidate(memory("d", "the same words", session="s2"), 0.1)])
    assert kept.cross_validated
    assert len(kept.absorbed) == 3


def test_the_same_fact_of_five_sessions_is_one_line_with_a_count() -> None:
    """C-146: half of what was injected were restatements."""
    said = "We use cursor pagination in the orders API"
    them = [
        candidate(memory(f"m{place}", said + "." * place, session=f"s{place}"), 0.5 + place / 10) for place in range(5)
    ]
    (kept,) = dedupe(them)
    assert kept.memory.id == "m4"
    assert len(kept.absorbed) == 4
    assert kept.cross_validated
    assert {each.text for each in (kept.memory, *kept.absorbed)} == {each.memory.text for each in them}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("API port is 8080", "API port is 8081"),
        ("We prefer Postgres over MySQL", "We prefer MySQL over Postgres"),
        ("Always rebase", "Never rebase"),
        ("2026-05-01 build 41 s", "2026-05-01 build 41 s"),
        ("I love tabs", "I hate tabs"),
    ],
)
def test_guards_hold_at_every_threshold(one: str, other: str) -> None:
    """D-7: similarity is necessary, never sufficient; C-140, C-141, C-143, C-144."""
    assert fold(one, other, 0.0) == 2


def test_derived_text_is_no_witness_and_never_folds() -> None:
    """C-019: a compaction summary repeats what was said; it is nobody's word."""
    said, summary = memory("a", "the same words"), memory("b", "the same words", session="s2", kind=MemoryKind.SUMMARY)
    kept = dedupe([candidate(said), candidate(summary)])
    assert len(kept) == 2
    assert not any(each.cross_validated for each in kept)


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────────────

PLAIN = "we use redis cache for orders api and never kafka over sqs at port 8080 8081 41 s".split()
texts_drawn = st.one_of(
    st.sampled_from(["we use redis", "We use redis.", "we never use redis", "port 8080", "port 8081", ""]),
    st.lists(st.sampled_from(PLAIN), max_size=9).map(" ".join),
)


@st.composite
def several(draw: st.DrawFn) -> list[Candidate]:
    count = draw(st.integers(0, 7))
    return [
        candidate(
            memory(
                f"m{place}",
                draw(texts_drawn),
                session=draw(st.sampled_from(["s1", "s2"])),
                kind=draw(st.sampled_from([MemoryKind.EXCHANGE, MemoryKind.EXCHANGE, MemoryKind.SUMMARY])),
            ),
            draw(st.sampled_from([0.0, 0.2, 0.5, 0.5, 0.9, 1.0])),
        )
        for place in range(count)
    ]


thresholds = st.sampled_from([0.3, 0.6, 0.85])


@given(several(), thresholds)
def test_deduping_twice_is_deduping_once(them: list[Candidate], threshold: float) -> None:
    """F-DEDUP-8."""
    once = dedupe(them, threshold)
    assert dedupe(once, threshold) == once


@given(several().flatmap(lambda them: st.tuples(st.just(them), st.permutations(them))), thresholds)
def test_the_order_of_the_input_does_not_matter(
    both: tuple[list[Candidate], list[Candidate]], threshold: float
) -> None:
    """F-DEDUP-8."""
    assert dedupe(both[0], threshold) == dedupe(both[1], threshold)


@given(several(), thresholds)
def test_kept_and_absorbed_are_the_input_each_once(them: list[Candidate], threshold: float) -> None:
    """F-DEDUP-6: no text is destroyed."""
    kept = dedupe(them, threshold)
    seen = [each.id for it in kept for each in (it.memory, *it.absorbed)]
    assert sorted(seen) == sorted(each.memory.id for each in them)


@given(several(), thresholds)
def test_only_other_sessions_validate(them: list[Candidate], threshold: float) -> None:
    """F-DEDUP-4."""
    for it in dedupe(them, threshold):
        assert it.cross_validated == (len({each.origin.session for each in (it.memory, *it.absorbed)}) > 1)


@given(st.sets(st.sampled_from(SHARED)), st.sets(st.sampled_from(SHARED)), st.floats(0.0, 0.99))
def test_bits_hide_no_texts_that_are_alike(one: set[str], other: set[str], threshold: float) -> None:
    """As a law: what folds is told by the words alone, however their bits fall."""
    left, right = " ".join(sorted(one)), " ".join(sorted(other))
    alike = jaccard(words(memory("a", left).text), words(memory("b", right).text)) > threshold
    assert fold(left, right, threshold) == (1 if alike else 2)
