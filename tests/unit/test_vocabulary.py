"""The closed vocabulary (F-VOC-1 to F-VOC-5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.model.vocabulary import (
    KIND_ALIASES,
    PREDICATE_ALIASES,
    SINGLE_VALUED,
    SYMMETRIC,
    CanonicalPredicate,
    Kind,
    Predicate,
    fold_label,
    kind_of,
    predicate_of,
)

KINDS = {
    "technology": "technology framework library language tool service database model",
    "concept": (
        "pattern anti_pattern convention best_practice workflow architecture security skill category solution "
        "event topic"
    ),
    "decision": "decision preference guideline constraint",
    "problem": "blocker problem issue bug error",
    "project": "project",
    "person": "agent person user organization",
    "artifact": "file module document dataset api endpoint config environment session",
}
"""features.md §9.2, first table."""

PREDICATES = {
    "uses": "uses use decided_to_use caches_with used_for⇄",
    "depends_on": "requires needs depends_on enables⇄ extends",
    "implements": "implements",
    "decided": "recommends prefers chose selected",
    "compared_to": "chose_over conflicts_with",
    "replaces": "supersedes replaced replaced_by⇄ superseded_by⇄",
    "fixes": "solved_by⇄ fixed_by⇄ solves",
    "blocked_by": "blocks⇄ blocked_by",
    "causes": "caused_by⇄",
    "part_of": "belongs_to contains⇄",
    "evaluates": "tests measures",
}
"""features.md §9.2, second table; ⇄ turns subject and object round."""

OWN_SPELLINGS = {"antipattern", "bestpractice", "organisation"}
"""Accepted besides: other spellings of what the table names."""


def test_there_are_seven_kinds_and_eleven_predicates() -> None:
    """F-VOC-1."""
    assert [kind.value for kind in Kind] == "technology concept artifact problem decision project person".split()
    assert [predicate.value for predicate in Predicate] == (
        "uses implements evaluates causes fixes replaces depends_on compared_to part_of blocked_by decided".split()
    )


def test_the_table_of_kinds_is_closed() -> None:
    table = {word: Kind(kind) for kind, words in KINDS.items() for word in words.split()}
    table |= {kind.value: kind for kind in Kind}
    given_words = {word: kind for word, kind in KIND_ALIASES.items() if word not in OWN_SPELLINGS}
    assert given_words == table
    assert KIND_ALIASES.keys() >= OWN_SPELLINGS


def test_the_table_of_predicates_is_closed() -> None:
    """F-VOC-5: with the direction of each."""
    table = {
        word.rstrip("⇄"): CanonicalPredicate(Predicate(predicate), word.endswith("⇄"))
        for predicate, words in PREDICATES.items()
        for word in words.split()
    }
    table |= {predicate.value: CanonicalPredicate(predicate) for predicate in Predicate}
    assert dict(PREDICATE_ALIASES) == table


@pytest.mark.parametrize("label", ["used_for", "used for", "Used For", "USED-FOR", " used__for "])
def test_a_label_is_folded_before_it_is_looked_up(label: str) -> None:
    """F-VOC-2."""
    assert fold_label(label) == "used_for"
    assert predicate_of(label) == CanonicalPredicate(Predicate.USES, inverted=True)


@pytest.mark.parametrize(
    ("label", "kind"), [("Agent", Kind.PERSON), ("AntiPattern", Kind.CONCEPT), ("Best Practice", Kind.CONCEPT)]
)
def test_a_type_is_folded_before_it_is_looked_up(label: str, kind: Kind) -> None:
    """F-VOC-2."""
    assert kind_of(label) is kind


@pytest.mark.parametrize(
    "label", ["mentions", "relates_to", "shares_skill", "collaborates_with", "constraint", "tradeoff", ""]
)
def test_links_that_are_no_edges_have_no_predicate(label: str) -> None:
    assert predicate_of(label) is None


@pytest.mark.parametrize("label", ["", "planet", "technologies", "tech nology"])
def test_a_type_outside_the_vocabulary_has_no_kind(label: str) -> None:
    """F-VOC-4."""
    assert kind_of(label) is None


@given(st.text(max_size=30))
def test_folding_a_label_again_changes_nothing(label: str) -> None:
    assert fold_label(fold_label(label)) == fold_label(label)


def test_only_part_of_is_single_valued_and_only_comparison_symmetric() -> None:
    """Design decision 9."""
    assert [predicate for predicate in Predicate if predicate in SINGLE_VALUED] == [Predicate.PART_OF]
    assert [predicate for predicate in Predicate if predicate in SYMMETRIC] == [Predicate.COMPARED_TO]


def test_the_tables_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        KIND_ALIASES["planet"] = Kind.CONCEPT  # type: ignore[index]
