"""The suite ``extraction``: what the built-in rules find in a text, against what people found there.

An entity counts once a text, wherever it stands there: exact, where a name of ours stands exactly where one of theirs
does and the kind is equal; relaxed, where they overlap.  A relation is right if its predicate and both ends are.
Statements (``memory_extraction``) have no places: a text counts once for each of their types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from memory_fabric.errors import UsageError
from memory_fabric.evals.suites.annotated import LEFT_OUT, SETS, Link, Set, Span, Text, Thing, labelled, occurrences
from memory_fabric.evals.suites.finding import Finder, scores
from memory_fabric.model.memory import StatementKind
from memory_fabric.model.vocabulary import SYMMETRIC, Kind

FOLDERS = ("", "ner-re", "mempalace-model-eval")
"""Where sets may lie in the folder: the top folder of an archive, or its content."""

STATEMENTS = "memory_extraction"

T = TypeVar("T")

Places = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Ours:
    """What the rules find in a text."""

    things: tuple[tuple[Kind | None, Places], ...]
    links: tuple[Link, ...]


def measure(data: Path) -> dict[str, object]:
    """Precision, recall and F1 per set, exact and relaxed, with all counts, the mapping of types and what is left out.

    Shares are in [0, 1], four digits; a share of nothing is None.

    Raises:
        UsageError: the folder holds none of the sets, one of them is empty, or a file is not of the documented shape.
    """
    finder = Finder()
    measured: dict[str, object] = {}
    for name, of in SETS.items():
        folder = _folder(data, name)
        if folder is not None:
            texts = tuple(of.read(folder))
            if not texts:
                raise UsageError(f"{folder}: no text of this set is in it", "unpack the set's archive again")
            measured[name] = _measured(texts, of, finder)
    folder = _folder(data, STATEMENTS)
    if folder is not None:
        measured[STATEMENTS] = _statements(folder, finder)
    if not measured:
        raise UsageError(
            f"{data}: none of the sets of extraction is there", "unpack ner-re-dev.tar.xz, or give mempalace-model-eval"
        )
    return {"suite": "extraction", "sets": measured, "left_out": dict(LEFT_OUT)}


def _folder(data: Path, name: str) -> Path | None:
    return next((path for top in FOLDERS if (path := data / top / name).is_dir()), None)


def ours(whole: str, finder: Finder) -> Ours:
    """What ingest finds in a text, each entity with every place where one of its names stands."""
    places: dict[str, Places] = {}
    kinds: dict[str, Kind | None] = {}
    links: dict[Link, None] = {}
    for found in finder.found(whole):
        for entity in found.entities:
            places.setdefault(entity.id, ())
            places[entity.id] += occurrences(whole, [entity.name, *entity.aliases])
            kinds[entity.id] = entity.kind
        for each in found.relations:
            if each.predicate is not None:
                links[Link(each.predicate, places[each.subject], places[each.object])] = None
    return Ours(tuple((kinds[id_], spans) for id_, spans in places.items()), tuple(links))


def _measured(texts: Sequence[Text], of: Set, finder: Finder) -> dict[str, object]:
    pairs = [(each, ours(each.text, finder)) for each in texts]
    report: dict[str, object] = {"n": len(texts)}
    if of.kinds:
        report["mapping"] = {label: kind.value for label, kind in of.kinds.items()}
        report["entities"] = _entities(pairs, of.kinds)
    if of.predicates:
        report["relations"] = _relations(pairs, of)
    return report


Touch = Callable[[Places, Places], bool]
"""Whether two entities stand at one place."""


def equal(mine: Places, theirs: Places) -> bool:
    """One place is the same."""
    return not frozenset(mine).isdisjoint(theirs)


def overlapping(mine: Places, theirs: Places) -> bool:
    """Two places share a character."""
    return any(start < last and first < end for start, end in mine for first, last in theirs)


WAYS: Mapping[str, Touch] = {"exact": equal, "relaxed": overlapping}


def _entities(pairs: Iterable[tuple[Text, Ours]], kinds: Mapping[str, Kind]) -> dict[str, object]:
    chosen = frozenset(kinds.values())
    gold = [(number, each) for number, (theirs, _) in enumerate(pairs) for each in theirs.things]
    given = [
        (number, kind, spans) for number, (_, mine) in enumerate(pairs) for kind, spans in mine.things if kind in chosen
    ]
    report: dict[str, object] = {"gold": len(gold), "given": len(given)}
    for name, touch in WAYS.items():
        reached = _reached(gold, given, kinds, touch)
        hit = _hits(gold, given, kinds, touch)
        report[name] = {"correct": hit, "found": len(reached), **scores(hit, len(given), len(gold), len(reached))}
        report[f"{name}_by_type"] = {
            label: {"gold": sum(each.label == label for _, each in gold), "found": sum(x == label for x in reached)}
            for label in kinds
        }
    return report


Gold = Sequence[tuple[int, Thing]]
Given = Sequence[tuple[int, Kind | None, Places]]


def _reached(gold: Gold, given: Given, kinds: Mapping[str, Kind], touch: Touch) -> list[str]:
    """Types of the gold that we found."""
    mine = _by_text((number, (kind, spans)) for number, kind, spans in given)
    return [
        each.label
        for number, each in gold
        if any(kind is kinds[each.label] and touch(spans, each.spans) for kind, spans in mine.get(number, ()))
    ]


def _hits(gold: Gold, given: Given, kinds: Mapping[str, Kind], touch: Touch) -> int:
    """How many of ours are gold."""
    theirs = _by_text(gold)
    return sum(
        any(kinds[each.label] is kind and touch(spans, each.spans) for each in theirs.get(number, ()))
        for number, kind, spans in given
    )


def _relations(pairs: Iterable[tuple[Text, Ours]], of: Set) -> dict[str, object]:
    found = [(theirs.links, [link for link in mine.links if link.predicate in of.predicates]) for theirs, mine in pairs]
    wanted, given = sum(len(theirs) for theirs, _ in found), sum(len(mine) for _, mine in found)
    report: dict[str, object] = {"gold": wanted, "given": given, "predicates": [each.value for each in of.predicates]}
    for name, touch in WAYS.items():
        hit = sum(any(_same(link, each, touch) for each in theirs) for theirs, mine in found for link in mine)
        reached = sum(any(_same(link, each, touch) for link in mine) for theirs, mine in found for each in theirs)
        report[name] = {"correct": hit, "found": reached, **scores(hit, given, wanted, reached)}
    return report


def _same(mine: Link, theirs: Link, touch: Touch) -> bool:
    if mine.predicate is not theirs.predicate:
        return False
    if touch(mine.subject, theirs.subject) and touch(mine.object, theirs.object):
        return True
    turned = mine.predicate in SYMMETRIC
    return turned and touch(mine.subject, theirs.object) and touch(mine.object, theirs.subject)


def _by_text(found: Iterable[tuple[int, T]]) -> dict[int, list[T]]:
    grouped: dict[int, list[T]] = {}
    for number, each in found:
        grouped.setdefault(number, []).append(each)
    return grouped


_KINDS = {"decision": StatementKind.DECISION, "preference": StatementKind.PREFERENCE}


def _statements(folder: Path, finder: Finder) -> dict[str, object]:
    """Texts that decide or prefer; their other types (commitment, fact, opinion) have no equal."""
    texts = labelled(folder, "memories", "type")
    gold = {(number, type_) for number, (_, memories) in enumerate(texts) for (type_,) in memories}
    given = {
        (number, statement.kind.value)
        for number, (whole, _) in enumerate(texts)
        for found in finder.found(whole)
        for statement in found.statements
    }
    report: dict[str, object] = {"n": len(texts)}
    for label, kind in _KINDS.items():
        theirs = {number for number, type_ in gold if type_ == label}
        mine = {number for number, type_ in given if type_ == kind.value}
        both = len(theirs & mine)
        report[label] = {"gold": len(theirs), "given": len(mine), "correct": both} | scores(
            both, len(mine), len(theirs)
        )
    return report
