"""The closed vocabulary: seven kinds, eleven predicates, and the aliases of every other list.

Source: features.md §9.1 and §9.2 (F-VOC-1 to F-VOC-5).  The word lists for *spotting* entities are data
(``memory_fabric.lexicon``); these tables are the law.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType


class Kind(StrEnum):
    """What an entity is (F-VOC-1)."""

    TECHNOLOGY = "technology"
    CONCEPT = "concept"
    ARTIFACT = "artifact"
    PROBLEM = "problem"
    DECISION = "decision"
    PROJECT = "project"
    PERSON = "person"


class Predicate(StrEnum):
    """What a relation says (F-VOC-1)."""

    USES = "uses"
    IMPLEMENTS = "implements"
    EVALUATES = "evaluates"
    CAUSES = "causes"
    FIXES = "fixes"
    REPLACES = "replaces"
    DEPENDS_ON = "depends_on"
    COMPARED_TO = "compared_to"
    PART_OF = "part_of"
    BLOCKED_BY = "blocked_by"
    DECIDED = "decided"


@dataclass(frozen=True, slots=True)
class CanonicalPredicate:
    """Where a given relation word leads."""

    predicate: Predicate
    inverted: bool = False
    """True when subject and object change places (marked ⇄ in features.md §9.2)."""


SINGLE_VALUED: frozenset[Predicate] = frozenset({Predicate.PART_OF})
"""A later object of these supersedes the earlier one (decision 9); all others accumulate."""

SYMMETRIC: frozenset[Predicate] = frozenset({Predicate.COMPARED_TO})

_KIND_ALIASES = {
    Kind.TECHNOLOGY: "technology framework library language tool service database model",
    Kind.CONCEPT: (
        "concept pattern anti_pattern antipattern convention best_practice bestpractice workflow architecture "
        "security skill category solution event topic"
    ),
    Kind.DECISION: "decision preference guideline constraint",
    Kind.PROBLEM: "problem blocker issue bug error",
    Kind.PROJECT: "project",
    Kind.PERSON: "person agent user organization organisation",
    Kind.ARTIFACT: "artifact file module document dataset api endpoint config environment session",
}

_PREDICATE_ALIASES = {
    Predicate.USES: "uses use decided_to_use caches_with used_for<",
    Predicate.DEPENDS_ON: "depends_on requires needs extends enables<",
    Predicate.IMPLEMENTS: "implements",
    Predicate.DECIDED: "decided recommends prefers chose selected",
    Predicate.COMPARED_TO: "compared_to chose_over conflicts_with",
    Predicate.REPLACES: "replaces supersedes replaced replaced_by< superseded_by<",
    Predicate.FIXES: "fixes solves solved_by< fixed_by<",
    Predicate.BLOCKED_BY: "blocked_by blocks<",
    Predicate.CAUSES: "causes caused_by<",
    Predicate.PART_OF: "part_of belongs_to contains<",
    Predicate.EVALUATES: "evaluates tests measures",
}

KIND_ALIASES = MappingProxyType({word: kind for kind, words in _KIND_ALIASES.items() for word in words.split()})
"""Given type, folded → kind."""

PREDICATE_ALIASES = MappingProxyType(
    {
        word.rstrip("<"): CanonicalPredicate(predicate, word.endswith("<"))
        for predicate, words in _PREDICATE_ALIASES.items()
        for word in words.split()
    }
)
"""Given relation, folded → predicate and whether the ends change places."""


def fold_label(label: str) -> str:
    """Lower snake case of a label as given: ``"Used For"`` → ``"used_for"`` (F-VOC-2)."""
    return "_".join(label.casefold().replace("-", " ").replace("_", " ").split())


def kind_of(label: str) -> Kind | None:
    """The kind that a given type stands for, or None outside the vocabulary."""
    return KIND_ALIASES.get(fold_label(label))


def predicate_of(label: str) -> CanonicalPredicate | None:
    """The predicate that a given relation stands for, or None outside the vocabulary."""
    return PREDICATE_ALIASES.get(fold_label(label))
