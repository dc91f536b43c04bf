"""The labelled pairs of the suite ``neardup``: one reader a set, and what is left out.

Shapes: ``near-dup`` of the evaluation data.  The meaning of "same" is that of its README: MRPC and PAN-MT label 1,
STS-B score from 4.5 (of 5), SICK relatedness from 4.5 with entailment, Quora the listed duplicates of a question
against every other text of the corpus, records the label of the pair.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_fabric.evals.suites.datafiles import found, json_lines, rows, shaped, the_file
from memory_fabric.evals.suites.fields import listed, text

SAME_SCORE = 4.5
"""Of 5: from here two sentences mean the same in STS-B and SICK (README of the data)."""

LEFT_OUT: Mapping[str, str] = {
    "AbtBuy": "no labelled pairs: only which products are equal",
    "csv_example_input_with_true_ids": "no labelled pairs: clusters of one table",
}
"""Files of the set that are not measured → the reason."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two texts and whether they are one thing."""

    left: str
    right: str
    same: bool


def sets(data: Path) -> Iterator[tuple[str, tuple[Pair, ...]]]:
    """Name and pairs of each set that is in the folder, in the order of the table.

    Raises:
        UsageError: a file is not of the documented shape, or one of two that belong together is missing.
    """
    for name, (patterns, read) in _SETS.items():
        paths = found(data, *patterns)
        if paths:
            yield name, tuple(pair for path in paths for pair in _all(path, read))
    corpus, asked = ("quora_corpus*.json",), ("quora_queries*.json",)
    if found(data, *corpus, *asked):
        texts = shaped(the_file(data, *corpus), lambda content: {text(x, "id"): text(x, "text") for x in rows(content)})
        yield "quora", tuple(shaped(the_file(data, *asked), lambda content: list(_quora(content, texts))))


def _all(path: Path, read: Callable[[str], Iterator[Pair]]) -> list[Pair]:
    return shaped(path, lambda content: list(read(content)))


def _mrpc(content: str) -> Iterator[Pair]:
    """Quotes are literal."""
    for row in _table(content, "\t"):
        yield Pair(row["#1 String"], row["#2 String"], _flag(row["Quality"]))


def _stsb(content: str) -> Iterator[Pair]:
    for left, right, score in csv.reader(io.StringIO(content)):
        yield Pair(left, right, float(score) >= SAME_SCORE)


def _sick(content: str) -> Iterator[Pair]:
    for row in _table(content, "\t"):
        same = float(row["relatedness_score"]) >= SAME_SCORE and row["entailment_judgment"] == "ENTAILMENT"
        yield Pair(row["sentence_A"], row["sentence_B"], same)


def _pan(content: str) -> Iterator[Pair]:
    for row in json_lines(content):
        yield Pair(text(row, "sentence1"), text(row, "sentence2"), _flag(str(row["label"])))


def _papers(content: str) -> Iterator[Pair]:
    return _records(content, ("title", "authors", "venue", "year"), ".")


def _restaurants(content: str) -> Iterator[Pair]:
    return _records(content, ("name", "addr", "city", "phone"), "_")


def _records(content: str, fields: Sequence[str], mark: str) -> Iterator[Pair]:
    """A record's text is its fields, separated by commas."""
    for row in csv.DictReader(io.StringIO(content)):
        left, right = (", ".join(_whole(row[f"{side}{mark}{field}"]) for field in fields) for side in _SIDES)
        yield Pair(left, right, _flag(row["gold"]))


_SIDES = ("ltable", "rtable")


def _whole(value: str) -> str:
    """Without the ``.0`` that a table program added to the years of one side."""
    return value.removesuffix(".0") if value.removesuffix(".0").isdigit() else value


def _quora(content: str, texts: Mapping[str, str]) -> Iterator[Pair]:
    """Each question with every text of the corpus but its own, which stands there too."""
    for row in rows(content):
        question, duplicates = text(row, "question"), frozenset(map(str, listed(row, "duplicate_ids")))
        if not duplicates <= texts.keys():
            raise ValueError(f"duplicates of {question!r:.100} that the corpus does not hold")
        yield from (Pair(question, other, id_ in duplicates) for id_, other in texts.items() if other != question)


def _table(content: str, delimiter: str) -> Iterator[dict[str, str]]:
    return iter(csv.DictReader(io.StringIO(content, newline=""), delimiter=delimiter, quoting=csv.QUOTE_NONE))


def _flag(value: str) -> bool:
    if value not in ("0", "1"):
        raise ValueError(f"a label is 0 or 1, not {value!r:.100}")
    return value == "1"


_SETS: Mapping[str, tuple[tuple[str, ...], Callable[[str], Iterator[Pair]]]] = {
    "mrpc": (("mrpc_*.tsv",), _mrpc),
    "stsb": (("stsb_*.csv",), _stsb),
    "sick": (("sick_*.tsv",), _sick),
    "pan": (("pan_*.jsonl",), _pan),
    "papers": (("entity-records/dblp_acm*labels.csv", "dblp_acm*labels.csv"), _papers),
    "restaurants": (("entity-records/lbl_restnt*.csv", "lbl_restnt*.csv"), _restaurants),
}
"""Name → its files and what reads them."""
