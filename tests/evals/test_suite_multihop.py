"""The suite ``multihop``: HotpotQA's gold by title, MuSiQue's by title and text, each over its own passages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.evals.sets import gold_titles, real, write

from memory_fabric.errors import UsageError
from memory_fabric.evals.suite import Corpus
from memory_fabric.evals.suites.multihop import read
from memory_fabric.model.record import Document

HOTPOT_CORPUS = {
    "Ott (river)": ["The Ott is a river.", " It rises near Vexby."],
    "Vexby": ["Vexby is a town."],
    "Odile Marchetti": ["She directs."],
}
HOTPOT = [
    {
        "_id": "h1",
        "question": "In which town does the Ott rise?",
        "answer": "Vexby",
        "type": "bridge",
        "supporting_facts": [["Ott (river)", 1], ["Vexby", 0], ["Ott (river)", 0]],
        "context": [["Ott (river)", ["The Ott is a river."]]],
    }
]
MUSIQUE_CORPUS = [
    {"title": "Vexby", "text": "Vexby is a town on the Ott."},
    {"title": "Vexby", "text": "Vexby had a mayor, Ilse Brandt."},
    {"title": "Ilse Brandt", "text": "Ilse Brandt wrote plays."},
]


def paragraph(place: int, supports: Any) -> dict[str, Any]:
    row = MUSIQUE_CORPUS[place]
    return {"idx": place, "title": row["title"], "paragraph_text": row["text"], "is_supporting": supports}


MUSIQUE = [
    {
        "id": "2hop__1",
        "question": "What did the mayor of Vexby write?",
        "question_decomposition": [{"question": "Vexby >> mayor", "answer": "Ilse Brandt", "paragraph_support_idx": 1}],
        "answer": "plays",
        "paragraphs": [paragraph(0, supports=False), paragraph(1, supports=True), paragraph(2, supports=True)],
    }
]
FILES: dict[str, Any] = {
    "hotpotqa_part.json": HOTPOT,
    "hotpotqa_part_corpus.json": HOTPOT_CORPUS,
    "musique_part.json.gz": MUSIQUE,
    "musique_part_corpus.json.gz": MUSIQUE_CORPUS,
    "openie_musique_part.json.gz": {"docs": []},
}


def texts(corpus: Corpus) -> dict[str, str]:
    return {record.id: record.text for record in corpus.records if isinstance(record, Document)}


def test_both_sets_are_corpora_of_their_own_named_in_the_categories(tmp_path: Path) -> None:
    data = read(write(tmp_path, FILES))
    assert [corpus.name for corpus in data.corpora] == ["hotpotqa", "musique"]
    assert [[each.categories for each in corpus.questions] for corpus in data.corpora] == [
        [("hotpotqa",)],
        [("musique",)],
    ]


def test_sentences_join_to_a_passage_and_gold_titles_count_once(tmp_path: Path) -> None:
    hotpotqa = read(write(tmp_path, FILES)).corpora[0]
    assert next(iter(texts(hotpotqa).values())) == "The Ott is a river. It rises near Vexby."
    assert gold_titles(hotpotqa) == {"h1": ["Ott (river)", "Vexby"]}


def test_passages_of_one_title_are_told_apart_by_their_text(tmp_path: Path) -> None:
    musique = read(write(tmp_path, FILES)).corpora[1]
    assert len(musique.records) == 3
    assert gold_titles(musique) == {"2hop__1": ["Ilse Brandt", "Vexby"]}
    found = {texts(musique)[item] for item in musique.questions[0].gold}
    assert found == {"Vexby had a mayor, Ilse Brandt.", "Ilse Brandt wrote plays."}


def test_a_passage_that_stands_there_twice_is_one(tmp_path: Path) -> None:
    musique = read(write(tmp_path, {**FILES, "musique_part_corpus.json.gz": MUSIQUE_CORPUS * 2})).corpora[1]
    assert len(musique.records) == 3


def test_answers_and_decompositions_change_nothing(tmp_path: Path) -> None:
    bare = [{key: MUSIQUE[0][key] for key in ("id", "question", "paragraphs")}]
    less = [{key: HOTPOT[0][key] for key in ("_id", "question", "supporting_facts")}]
    with_them = read(write(tmp_path / "a", FILES))
    without = read(write(tmp_path / "b", {**FILES, "musique_part.json.gz": bare, "hotpotqa_part.json": less}))
    assert with_them == without


def test_one_of_the_two_sets_is_enough_and_half_a_set_is_not(tmp_path: Path) -> None:
    musique = {name: content for name, content in FILES.items() if name.startswith("musique")}
    assert [corpus.name for corpus in read(write(tmp_path / "a", musique)).corpora] == ["musique"]
    half = {"hotpotqa_part.json": HOTPOT}
    with pytest.raises(UsageError, match=r"hotpotqa\*_corpus\.json"):
        read(write(tmp_path / "b", half))
    with pytest.raises(UsageError, match=r"no file matches hotpotqa\*\.json"):
        read(write(tmp_path / "c", {"hotpotqa_part_corpus.json": HOTPOT_CORPUS}))
    with pytest.raises(UsageError, match="no file matches"):
        read(write(tmp_path / "d", {"openie_musique_part.json": {}}))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("hotpotqa_part.json", [{"_id": "h1", "question": "x", "supporting_facts": "Vexby"}]),
        ("hotpotqa_part.json", [{"_id": "h1", "question": "x", "supporting_facts": [["Vexby"]]}]),
        ("hotpotqa_part.json", [{"_id": "h1", "question": "x", "supporting_facts": [[1, 0]]}]),
        ("hotpotqa_part_corpus.json", [HOTPOT_CORPUS]),
        ("hotpotqa_part_corpus.json", {"Vexby": [1]}),
        ("musique_part.json.gz", [{**MUSIQUE[0], "paragraphs": [paragraph(0, supports=1)]}]),
        ("musique_part.json.gz", [{**MUSIQUE[0], "paragraphs": None}]),
        ("musique_part_corpus.json.gz", {"title": "x"}),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: Any) -> None:
    with pytest.raises(UsageError, match=name):
        read(write(tmp_path, {**FILES, name: content}))


def test_evidence_that_the_corpus_does_not_hold_is_counted(tmp_path: Path) -> None:
    data = read(write(tmp_path, {**FILES, "hotpotqa_part_corpus.json": {"Vexby": ["Vexby is a town."]}}))
    assert data.left_out == {"evidence that the corpus does not hold": 1}
    assert [len(corpus.questions) for corpus in data.corpora] == [0, 1]


def test_two_files_of_questions_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="2 files"):
        read(write(tmp_path, {**FILES, "hotpotqa_other.json": HOTPOT}))


def test_the_development_part_has_its_documented_size() -> None:
    data = read(real("hipporag-train"))
    sizes = [(corpus.name, len(corpus.records), len(corpus.questions)) for corpus in data.corpora]
    assert sizes == [("hotpotqa", 994, 100), ("musique", 1890, 100)]
    assert data.left_out == {}


def test_hotpotqa_as_hipporag_2_packs_it_is_read_alike(tmp_path: Path) -> None:
    """Passages as a list of titles and texts."""
    old, new = tmp_path / "old", tmp_path / "new"
    listed = [{"title": title, "text": "".join(sentences)} for title, sentences in HOTPOT_CORPUS.items()]
    write(old, {"hotpotqa.json": HOTPOT, "hotpotqa_corpus.json": HOTPOT_CORPUS})
    write(new, {"hotpotqa.json": HOTPOT, "hotpotqa_corpus.json": listed})
    assert read(new) == read(old)
