"""The suite ``extraction``: every annotation is read as its set means it, and scores agree with those by hand."""

from __future__ import annotations

import shutil
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.evals.sets import real, write

from memory_fabric.errors import UsageError
from memory_fabric.evals.suites.annotated import SETS, Link, Text, occurrences
from memory_fabric.evals.suites.extraction import equal, measure, overlapping
from memory_fabric.model.vocabulary import Predicate


def tagged(*tokens: str) -> str:
    """``token/TAG`` as lines of the four columns of StackOverflow NER."""
    pairs = [token.rpartition("/") for token in tokens]
    return "\n".join(f"{token}\t{tag}\t{token}\t{tag}" for token, _, tag in pairs) + "\n\t\n"


HEAD = tagged("Question_ID/O", ":/O", "7/O") + tagged("Question_URL/O", ":/O", "https://example.org/7/O")
STACK = (
    HEAD
    + tagged("We/O", "use/O", "PostgreSQL/B-Application", "with/O", "Acme/B-Library", "Query/I-Library", "9/B-Version")
    + tagged("postgresql/B-Application", "beside/O", "Django/O")
    + HEAD.replace("Question_ID", "Answer_to_Question_ID")
    + tagged("Nothing/O")
)
DOCRED = [
    {
        "title": "x",
        "sents": [["The", "Mill", "Guild", "is", "part", "of", "Vexby", "League", "."], ["The", "Guild", "grew", "."]],
        "vertexSet": [
            [
                {"name": "Mill Guild", "pos": [1, 3], "sent_id": 0, "type": "ORG"},
                {"name": "Guild", "pos": [1, 2], "sent_id": 1, "type": "ORG"},
            ],
            [{"name": "Vexby League", "pos": [6, 8], "sent_id": 0, "type": "MISC"}],
        ],
        "labels": [
            {"h": 0, "t": 1, "r": "P361", "evidence": [0]},
            {"h": 1, "t": 0, "r": "P527", "evidence": [0]},
            {"h": 0, "t": 1, "r": "P17", "evidence": []},
        ],
    }
]
SCIERC = [
    '{"text": "We use a [[ parser ]] for << old maps >> .", "label": "USED-FOR", "metadata": [3, 3, 5, 6]}',
    '{"text": "We use a << parser >> for [[ old maps ]] .", "label": "PART-OF", "metadata": [5, 6, 3, 3]}',
    '{"text": "We use a [[ parser ]] for << old maps >> .", "label": "CONJUNCTION", "metadata": [3, 3, 5, 6]}',
]
FILES: dict[str, Any] = {
    "ner-re/stackoverflow-ner/part.txt": STACK,
    "ner-re/somesci/A/p1.txt": "Plots were made in Python 3 by Acme.\n",
    "ner-re/somesci/A/p1.ann": "T1\tProgrammingEnvironment_Usage 19 25\tPython\nT2\tVersion 26 27\t3\n"
    "R1\tVersion_of Arg1:T2 Arg2:T1\t\nT3\tApplication_Mention 31 35\tAcme\n",
    "ner-re/somesci/LICENCE": "x",
    "ner-re/crossner/ai_part.txt": "Written\tO\nin\tO\nPython\tB-programlang\n\n"
    "Ada\tB-researcher\nMarsh\tI-researcher\n",
    "ner-re/conll04/part.txt": "#doc 1\n0\tAda\tB-Peop\t['N']\t[0]\n1\tMarsh\tI-Peop\t['N']\t[1]\n"
    "#doc 2\n0\tVexby\tB-Loc\t['N']\t[0]\n",
    "ner-re/scierc/re_part.txt": "\n".join(SCIERC),
    "ner-re/scierc/ner_part.txt": "We NN O O\n",
    "ner-re/re-docred/part.json": DOCRED,
    "entity_extraction/dataset.jsonl": '{"id": "e1", "text": "Ada Marsh of Acme met ada marsh."}\n',
    "entity_extraction/labels.jsonl": '{"id": "e1", "entities": [{"name": "Ada Marsh", "type": "person"}, '
    '{"name": "Vexby", "type": "place"}]}\n',
    "memory_extraction/dataset.jsonl": '{"id": "m1", "text": "We decided to use PostgreSQL over MySQL because it is '
    'safer."}\n{"id": "m2", "text": "The sky was grey."}\n',
    "memory_extraction/labels.jsonl": '{"id": "m2", "memories": [{"type": "preference", "content": "x"}]}\n'
    '{"id": "m1", "memories": [{"type": "decision", "content": "x"}, {"type": "fact", "content": "y"}]}\n',
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def texts(folder: Path, name: str) -> list[Text]:
    return list(SETS[name].read(next(path for path in (folder / "ner-re" / name, folder / name) if path.is_dir())))


def named(text: Text) -> list[tuple[str, list[str]]]:
    return [(thing.label, [text.text[start:end] for start, end in thing.spans]) for thing in text.things]


def linked(text: Text) -> list[tuple[Predicate, str, str]]:
    return [
        (link.predicate, text.text[slice(*link.subject[0])], text.text[slice(*link.object[0])]) for link in text.links
    ]


def test_a_post_is_one_text_without_its_head_and_a_name_in_it_one_thing(folder: Path) -> None:
    question, answer = texts(folder, "stackoverflow-ner")
    assert question.text == "We use PostgreSQL with Acme Query 9 postgresql beside Django"
    assert named(question) == [("Application", ["PostgreSQL", "postgresql"]), ("Library", ["Acme Query"])]
    assert (answer.text, answer.things) == ("Nothing", ())


def test_stand_off_places_are_kept_and_the_kind_of_use_is_not(folder: Path) -> None:
    (text,) = texts(folder, "somesci")
    assert named(text) == [("ProgrammingEnvironment", ["Python"]), ("Application", ["Acme"])]


def test_tags_and_documents_of_the_other_sets(folder: Path) -> None:
    assert [named(text) for text in texts(folder, "crossner")] == [
        [("programlang", ["Python"])],
        [("researcher", ["Ada Marsh"])],
    ]
    assert [named(text) for text in texts(folder, "conll04")] == [[("Peop", ["Ada Marsh"])], []]


def test_marks_are_taken_out_and_used_for_changes_its_ends(folder: Path) -> None:
    (text,) = texts(folder, "scierc")
    assert text.text == "We use a parser for old maps ."
    assert linked(text) == [
        (Predicate.USES, "old maps", "parser"),
        (Predicate.PART_OF, "old maps", "parser"),
    ]


def test_a_relation_said_both_ways_is_one_and_its_ends_may_be_of_any_type(folder: Path) -> None:
    (text,) = texts(folder, "re-docred")
    assert named(text) == [("ORG", ["Mill Guild", "Guild"])]
    assert linked(text) == [(Predicate.PART_OF, "Mill Guild", "Vexby League")]
    assert [len(link.subject) for link in text.links] == [2]


def test_names_without_places_stand_wherever_the_text_holds_them(folder: Path) -> None:
    (text,) = texts(folder, "entity_extraction")
    assert named(text) == [("person", ["Ada Marsh", "ada marsh"])]


def test_figures_by_hand(folder: Path) -> None:
    """Ours: PostgreSQL (right) and Django (not annotated); theirs: PostgreSQL (found) and Acme Query (not)."""
    report: Any = measure(folder)
    found = report["sets"]["stackoverflow-ner"]["entities"]
    assert (found["gold"], found["given"]) == (2, 2)
    expected = {"correct": 1, "found": 1, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert (found["exact"], found["relaxed"]) == (expected, expected)
    assert found["exact_by_type"]["Application"] == {"gold": 1, "found": 1}
    assert found["exact_by_type"]["Library"] == {"gold": 1, "found": 0}
    relations = report["sets"]["scierc"]["relations"]
    assert (relations["gold"], relations["given"], relations["exact"]["recall"]) == (2, 0, 0.0)
    statements = report["sets"]["memory_extraction"]
    assert statements["decision"] == {
        "gold": 1, "given": 1, "correct": 1, "precision": 1.0, "recall": 1.0, "f1": 1.0
    }  # fmt: skip
    assert statements["preference"]["recall"] == 0.0
    assert set(report["sets"]) == {*SETS, "memory_extraction"}


def test_a_stated_relation_is_right_by_predicate_and_both_ends(tmp_path: Path) -> None:
    lines = [
        '{"text": "[[ PostgreSQL ]] replaced << MySQL >> .", "label": "COMPARE", "metadata": []}',
        '{"text": "<< Django >> uses [[ PostgreSQL ]] .", "label": "USED-FOR", "metadata": []}',
        '{"text": "[[ Redis ]] uses the old << Kafka >> .", "label": "USED-FOR", "metadata": []}',
    ]
    report: Any = measure(write(tmp_path, {"scierc/re_part.txt": "\n".join(lines)}))
    relations = report["sets"]["scierc"]["relations"]
    assert relations["gold"] == 3
    assert (relations["exact"]["correct"], relations["exact"]["found"]) == (1, 1)


def test_the_archive_s_top_folder_may_be_given(folder: Path) -> None:
    inside: Any = measure(folder / "ner-re")
    whole: Any = measure(folder)
    assert inside["sets"] == {name: whole["sets"][name] for name in inside["sets"]}
    assert "somesci" in inside["sets"]


@pytest.mark.parametrize(
    ("mine", "theirs", "exact", "relaxed"),
    [
        ([(0, 5)], [(0, 5)], True, True),
        ([(0, 5)], [(4, 9)], False, True),
        ([(0, 5)], [(5, 9)], False, False),
        ([(6, 9)], [(5, 7)], False, True),
        ([(0, 1), (5, 9)], [(5, 9)], True, True),
        ([], [(0, 5)], False, False),
    ],
)
def test_places_are_equal_or_share_a_character(
    mine: Sequence[tuple[int, int]], theirs: Sequence[tuple[int, int]], exact: bool, relaxed: bool
) -> None:
    assert equal(tuple(mine), tuple(theirs)) is exact
    assert overlapping(tuple(mine), tuple(theirs)) is relaxed


def test_a_name_stands_where_its_words_do_the_longer_one_first() -> None:
    assert occurrences("Go, gopher: go  web Go", ["go", "Go web"]) == ((0, 2), (12, 19), (20, 22))
    assert occurrences("C++ and C", ["C++"]) == ((0, 3),)
    assert occurrences("anything", []) == ()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ner-re/stackoverflow-ner/part.txt", HEAD + "word without tag\n"),
        ("ner-re/stackoverflow-ner/part.txt", tagged("before/O", "any/O", "post/O")),
        ("ner-re/somesci/A/p1.ann", "T1\tApplication\tx\n"),
        ("ner-re/conll04/part.txt", "#doc 1\nAda\n"),
        ("ner-re/scierc/re_part.txt", '{"text": "no marks", "label": "COMPARE"}'),
        ("ner-re/re-docred/part.json", [{**DOCRED[0], "vertexSet": []}]),
        ("entity_extraction/labels.jsonl", "["),
        ("memory_extraction/labels.jsonl", '{"id": 1}'),
    ],
)
def test_a_broken_file_is_named(folder: Path, name: str, content: Any) -> None:
    with pytest.raises(UsageError, match=Path(name).name):
        measure(write(folder, {name: content}))


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none of the sets"):
        measure(tmp_path)
    folder = write(tmp_path, FILES)
    (folder / "ner-re/somesci/A/p1.txt").unlink()
    with pytest.raises(UsageError, match=r"p1\.txt"):
        measure(folder)
    shutil.rmtree(folder / "ner-re/somesci/A")
    with pytest.raises(UsageError, match="somesci: no text"):
        measure(folder)


def test_links_are_told_apart_by_their_direction() -> None:
    there, back = Link(Predicate.USES, ((0, 1),), ((2, 3),)), Link(Predicate.USES, ((2, 3),), ((0, 1),))
    assert there != back


def test_the_development_part_has_its_documented_size(tmp_path: Path) -> None:
    with tarfile.open(real("ner-re") / "ner-re-dev.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    sizes = {name: len(texts(tmp_path, name)) for name in SETS if name != "entity_extraction"}
    assert sizes == {
        "stackoverflow-ner": 536, "somesci": 820, "crossner": 450, "conll04": 1153, "scierc": 1553, "re-docred": 500
    }  # fmt: skip
    assert len(texts(real("mempalace-model-eval"), "entity_extraction")) == 25
