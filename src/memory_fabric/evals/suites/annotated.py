"""The annotated texts of the suite ``extraction``: one reader a set, and what of its types maps to ours.

Shapes: ``ner-re`` and ``mempalace-model-eval`` of the evaluation data.  Where a set gives tokens, its text is the
tokens joined by single spaces.  Only types with an equal among our kinds and predicates are read; ``LEFT_OUT`` says
why others are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_fabric.evals.suites.datafiles import found, json_lines, rows, shaped, the_file
from memory_fabric.evals.suites.fields import listed, text
from memory_fabric.model.vocabulary import Kind, Predicate
from memory_fabric.text import entity_key

Span = tuple[int, int]
"""First character and the one behind the last."""


@dataclass(frozen=True, slots=True)
class Thing:
    """An entity of a text, once, wherever it stands there."""

    label: str
    """The set's own type."""
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between two places of a text, in the direction of our predicate."""

    predicate: Predicate
    subject: tuple[Span, ...]
    object: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Text:
    """One text and what people found in it."""

    text: str
    things: tuple[Thing, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Set:
    """How a set is read, and its types that are ours."""

    read: Callable[[Path], Iterable[Text]]
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Its type → our kind; empty where its entities are not measured."""
    predicates: tuple[Predicate, ...] = ()
    """What its relations map to; empty where they are not measured."""


LEFT_OUT: Mapping[str, str] = {
    "stackoverflow-ner": "versions, values, variables, code: no entities of ours; File_Name and Error_Name, which we "
    "read from tool calls alone; Algorithm, User_Name, Organization, Website, Device: no equal, or too few",
    "somesci": "Version, Developer, URL, Citation, License: no entities of ours; relations: none equals a predicate, "
    "and PlugIn_of could be part_of or depends_on",
    "crossner": "algorithm, field, task, metrics, product, conference, places, misc: no equal kind",
    "conll04": "Loc, Other: no equal kind; relations (Work_For, Kill, Live_In, …): no equal predicate",
    "scierc": "entities (Task, Method, Metric, Material, …): no equal kind; CONJUNCTION, FEATURE-OF, HYPONYM-OF",
    "re-docred": "LOC, MISC, TIME, NUM: no equal kind; all relations but part of, has part, replaces, replaced by",
    "entity_extraction": "place: no equal kind",
    "calibration, room_classification": "neither entities nor relations",
}
"""Set → types that no kind or predicate of ours stands for."""


def _bio(tokens: Iterable[tuple[str, str]], labels: Iterable[str]) -> Text:
    """Tokens with BIO tags as a text; mentions of one type and name are one thing."""
    parts: list[str] = []
    spans: list[tuple[str, int, int]] = []
    place, last = 0, "O"
    for token, tag in tokens:
        label = tag[2:]
        if tag.startswith("I-") and last == label and spans:
            spans[-1] = (label, spans[-1][1], place + len(token))
        elif tag != "O":
            spans.append((label, place, place + len(token)))
        last = label if tag != "O" else "O"
        parts.append(token)
        place += len(token) + 1
    return _grouped(" ".join(parts), spans, labels)


def _grouped(whole: str, spans: Iterable[tuple[str, int, int]], labels: Iterable[str]) -> Text:
    wanted, grouped = frozenset(labels), dict[tuple[str, str], list[Span]]()
    for label, start, end in spans:
        if label in wanted:
            grouped.setdefault((label, entity_key(whole[start:end])), []).append((start, end))
    return Text(whole, tuple(Thing(label, tuple(found)) for (label, _), found in grouped.items()))


def _blocks(content: str) -> Iterator[list[list[str]]]:
    """Runs of lines between empty ones, each line split at tabs."""
    block: list[list[str]] = []
    for line in [*content.splitlines(), ""]:
        if line.strip():
            block.append(line.split("\t"))
        elif block:
            yield block
            block = []


_POST, _HEAD = ("Question_ID", "Answer_to_Question_ID"), "Question_URL"


def _stackoverflow(folder: Path) -> list[Text]:
    return shaped(the_file(folder, "*.txt"), _posts)


def _posts(content: str) -> list[Text]:
    """One text a post, without its head; the second column holds the tags."""
    posts: list[list[tuple[str, str]]] = []
    for block in _blocks(content):
        if block[0][0] in _POST:
            posts.append([])
        elif block[0][0] != _HEAD:
            posts[-1] += [(line[0], line[1]) for line in block]
    return [_bio(post, TECHNOLOGY) for post in posts]


def _somesci(folder: Path) -> Iterator[Text]:
    """Stand-off annotation beside each text; ``Application_Usage`` is an Application."""
    for path in sorted(folder.glob("*/*.ann")):
        whole = shaped(path.with_suffix(".txt"), str)
        spans = shaped(path, lambda content: [_stand_off(line) for line in content.splitlines() if line[:1] == "T"])
        yield _grouped(whole, spans, SOFTWARE)


def _stand_off(line: str) -> tuple[str, int, int]:
    label, start, *_, end = re.split(r"[ ;]", line.split("\t")[1])
    return label.partition("_")[0], int(start), int(end)


def _crossner(folder: Path) -> list[Text]:
    return _each(folder, "*.txt", lambda content: [_bio(_columns(block, 0), PEOPLE) for block in _blocks(content)])


def _conll04(folder: Path) -> list[Text]:
    """Documents begin with ``#doc``; index, token and tag lead each line."""

    def documents(content: str) -> list[Text]:
        parts = (part.splitlines()[1:] for part in content.split("#doc ")[1:])
        return [_bio(_columns([line.split("\t") for line in part if line.strip()], 1), PEOPLE) for part in parts]

    return _each(folder, "*.txt", documents)


def _columns(block: Iterable[Sequence[str]], token: int) -> list[tuple[str, str]]:
    """Token and tag, which stands behind it."""
    return [(line[token], line[token + 1]) for line in block]


def _each(folder: Path, pattern: str, read: Callable[[str], list[Text]]) -> list[Text]:
    return [each for path in found(folder, pattern) for each in shaped(path, read)]


USED_FOR = "USED-FOR"
_SCIERC = {
    USED_FOR: Predicate.USES,
    "PART-OF": Predicate.PART_OF,
    "COMPARE": Predicate.COMPARED_TO,
    "EVALUATE-FOR": Predicate.EVALUATES,
}
"""``A USED-FOR B`` is our ``used_for``, stored as ``B uses A``."""


def _scierc(folder: Path) -> list[Text]:
    return _each(folder, "re_*.txt", _marked_lines)


def _marked_lines(content: str) -> list[Text]:
    """One line a relation, ``[[ ]]`` around its subject and ``<< >>`` around its object; lines of one text are one."""
    texts: dict[str, list[Link]] = {}
    for row in json_lines(content):
        whole, subject, target = _marked(text(row, "text"))
        links = texts.setdefault(whole, [])
        label = text(row, "label")
        if label in _SCIERC:
            first, second = (target, subject) if label == USED_FOR else (subject, target)
            links.append(Link(_SCIERC[label], (first,), (second,)))
    return [Text(whole, links=tuple(links)) for whole, links in texts.items()]


def _marked(marked: str) -> tuple[str, Span, Span]:
    """The text without its marks, and what they enclose."""
    parts: list[str] = []
    places: dict[str, int] = {}
    place = 0
    for token in marked.split():
        if token in {"[[", "]]", "<<", ">>"} and token not in places:
            places[token] = place - 1 if token in {"]]", ">>"} else place
            continue
        parts.append(token)
        place += len(token) + 1
    return " ".join(parts), (places["[["], places["]]"]), (places["<<"], places[">>"])


_DOCRED = {
    "P361": (Predicate.PART_OF, False),
    "P527": (Predicate.PART_OF, True),
    "P1365": (Predicate.REPLACES, False),
    "P1366": (Predicate.REPLACES, True),
}
"""Wikidata: part of, has part, replaces, replaced by; and whether the ends change places."""


def _docred(folder: Path) -> Iterator[Text]:
    path = the_file(folder, "*.json")
    return iter(shaped(path, lambda content: [_document(row) for row in rows(content)]))


def _document(row: Mapping[str, Any]) -> Text:
    starts: list[list[Span]] = []
    place = 0
    for sentence in row["sents"]:
        starts.append([])
        for token in sentence:
            starts[-1].append((place, place + len(token)))
            place += len(token) + 1
    whole = " ".join(token for sentence in row["sents"] for token in sentence)
    ends = [
        tuple((starts[m["sent_id"]][m["pos"][0]][0], starts[m["sent_id"]][m["pos"][1] - 1][1]) for m in mentions)
        for mentions in row["vertexSet"]
    ]
    things = [Thing(mentions[0]["type"], spans) for mentions, spans in zip(row["vertexSet"], ends, strict=True)]
    links = dict.fromkeys(_oriented(label["r"], ends[label["h"]], ends[label["t"]]) for label in row["labels"])
    return Text(whole, tuple(each for each in things if each.label in PEOPLE), tuple(link for link in links if link))


def _oriented(relation: str, head: tuple[Span, ...], tail: tuple[Span, ...]) -> Link | None:
    if relation not in _DOCRED:
        return None
    predicate, turned = _DOCRED[relation]
    return Link(predicate, tail, head) if turned else Link(predicate, head, tail)


def labelled(folder: Path, key: str, *fields: str) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Texts of a task of ``mempalace-model-eval``, each with these fields of what its label lists under ``key``."""

    def of(row: Mapping[str, Any]) -> list[tuple[str, ...]]:
        return [tuple(text(each, field) for field in fields) for each in listed(row, key)]

    path = the_file(folder, "labels.jsonl")
    labels = shaped(path, lambda content: {text(row, "id"): of(row) for row in json_lines(content)})
    path = the_file(folder, "dataset.jsonl")
    return shaped(path, lambda content: [(text(x, "text"), labels[text(x, "id")]) for x in json_lines(content)])


def _mempalace(folder: Path) -> Iterator[Text]:
    """Names without places: they stand wherever the text holds them."""
    for whole, entities in labelled(folder, "entities", "type", "name"):
        yield Text(
            whole, tuple(Thing(label, occurrences(whole, [name])) for label, name in entities if label in PEOPLE)
        )


def occurrences(whole: str, names: Sequence[str]) -> tuple[Span, ...]:
    """Where any of the names stands as words of its own, whatever its case, in order; a longer name goes first."""
    forms = sorted({r"\s+".join(map(re.escape, name.split())) for name in names if name.strip()}, key=len, reverse=True)
    if not forms:
        return ()
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(forms)})(?!\w)", re.IGNORECASE)
    return tuple(match.span() for match in pattern.finditer(whole))


TECHNOLOGY = dict.fromkeys(
    "Application Library Library_Class Library_Function Library_Variable Language Operating_System "
    "Data_Structure".split(),
    Kind.TECHNOLOGY,
)
"""As the README of the data names them."""
SOFTWARE = dict.fromkeys("Application PlugIn ProgrammingEnvironment OperatingSystem".split(), Kind.TECHNOLOGY)
PEOPLE = {
    **dict.fromkeys("Peop Org PER ORG person researcher organisation organization university".split(), Kind.PERSON),
    "programlang": Kind.TECHNOLOGY,
    "project": Kind.PROJECT,
}
"""Organizations are of our kind ``person`` (vocabulary: F-VOC-2)."""


def _of(*labels: str) -> dict[str, Kind]:
    return {label: PEOPLE[label] for label in labels}


SETS: Mapping[str, Set] = {
    "stackoverflow-ner": Set(_stackoverflow, TECHNOLOGY),
    "somesci": Set(_somesci, SOFTWARE),
    "crossner": Set(_crossner, _of("programlang", "person", "researcher", "organisation", "university")),
    "conll04": Set(_conll04, _of("Peop", "Org")),
    "scierc": Set(_scierc, predicates=tuple(dict.fromkeys(_SCIERC.values()))),
    "re-docred": Set(_docred, _of("PER", "ORG"), (Predicate.PART_OF, Predicate.REPLACES)),
    "entity_extraction": Set(_mempalace, _of("person", "organization", "project")),
}
"""Folder of a set → how it is measured; its licence allows running it (README of the data)."""
