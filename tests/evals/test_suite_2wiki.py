"""The suite ``2wiki``: gold by title, nothing of it in what is stored or asked."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.evals.sets import gold_titles, real, write

from memory_fabric.app import Fabric
from memory_fabric.errors import UsageError
from memory_fabric.evals.suites.twowiki import read
from memory_fabric.model.query import Mode
from memory_fabric.model.record import Document
from memory_fabric.settings import Settings

CORPUS = [
    {"title": "The Glass Ferry", "text": "The Glass Ferry is a film by Odile Marchetti."},
    {"title": "Odile Marchetti", "text": "Odile Marchetti was born in Lower Vexby."},
    {"title": "Lower Vexby", "text": "Lower Vexby is a village on the river Ott."},
]
QUESTIONS: list[dict[str, Any]] = [
    {
        "id": "q1",
        "type": "compositional",
        "question": "Where was the director of The Glass Ferry born?",
        "answer": "Lower Vexby",
        "evidence": [["The Glass Ferry", "director", "Odile Marchetti"]],
        "gold_titles": ["The Glass Ferry", "Odile Marchetti"],
        "gold_source": "invented",
    }
]


def changed(**fields: Any) -> list[dict[str, Any]]:
    return [{**QUESTIONS[0], **fields}]


def folder(path: Path, corpus: Any = CORPUS, questions: Any = QUESTIONS) -> Path:
    return write(path, {"corpus.json": corpus, "questions_part.json": questions})


def test_every_passage_is_a_document_in_the_order_of_the_file_and_gold_is_found_by_title(tmp_path: Path) -> None:
    (corpus,) = read(folder(tmp_path)).corpora
    assert [(record.title, record.text) for record in corpus.records if isinstance(record, Document)] == [
        (row["title"], row["text"]) for row in CORPUS
    ]
    assert gold_titles(corpus) == {"q1": ["Odile Marchetti", "The Glass Ferry"]}
    assert corpus.questions[0].text == QUESTIONS[0]["question"]
    assert corpus.questions[0].categories == ("compositional",)


def test_answers_and_evidence_change_nothing(tmp_path: Path) -> None:
    whole = read(folder(tmp_path / "a")).corpora[0]
    bare = [{key: QUESTIONS[0][key] for key in ("id", "type", "question", "gold_titles")}]
    without = read(folder(tmp_path / "b", questions=bare)).corpora[0]
    assert (whole.records, whole.questions) == (without.records, without.questions)


def test_ids_tell_neither_title_nor_place(tmp_path: Path) -> None:
    forward = read(folder(tmp_path / "a")).corpora[0]
    backward = read(folder(tmp_path / "b", corpus=CORPUS[::-1])).corpora[0]
    assert forward.questions == backward.questions
    assert {record.id for record in forward.records} == {record.id for record in backward.records}
    assert all(set(record.id) <= set("0123456789abcdef") for record in forward.records)


def test_packed_files_and_the_official_shape_are_read_alike(tmp_path: Path) -> None:
    official = {
        "_id": "q1",
        "type": "compositional",
        "question": QUESTIONS[0]["question"],
        "supporting_facts": [["The Glass Ferry", 0], ["Odile Marchetti", 0], ["The Glass Ferry", 1]],
    }
    names = {"2wikimultihopqa_corpus.json.gz": CORPUS, "2wikimultihopqa.json.gz": [official]}
    assert read(write(tmp_path / "a", names)).corpora == read(folder(tmp_path / "b")).corpora


def test_questions_of_another_file_are_not_asked(tmp_path: Path) -> None:
    write(tmp_path, {"extra_questions.json.gz": changed(id="q9")})
    assert [each.id for each in read(folder(tmp_path)).corpora[0].questions] == ["q1"]


def test_a_question_whose_evidence_is_not_there_is_left_out_and_counted(tmp_path: Path) -> None:
    questions = [
        *QUESTIONS,
        *changed(id="q2", gold_titles=["The Glass Ferry", "Nowhere"]),
        *changed(id="q3", gold_titles=[]),
    ]
    data = read(folder(tmp_path, questions=questions))
    assert [each.id for each in data.corpora[0].questions] == ["q1"]
    assert data.left_out == {"evidence that the corpus does not hold": 1, "no passage is named as evidence": 1}


@pytest.mark.parametrize(
    ("corpus", "questions", "named"),
    [
        ("[", QUESTIONS, r"corpus\.json"),
        ({"title": "x"}, QUESTIONS, r"corpus\.json"),
        ([{"title": "x"}], QUESTIONS, r"corpus\.json"),
        ([*CORPUS, CORPUS[0]], QUESTIONS, "The Glass Ferry is there twice"),
        (CORPUS, [{"id": "q1"}], r"questions_part\.json"),
        (CORPUS, changed(gold_titles="The Glass Ferry"), r"questions_part\.json"),
        (CORPUS, changed(gold_titles=[1]), r"questions_part\.json"),
        (CORPUS, changed(question=None), r"questions_part\.json"),
        (CORPUS, QUESTIONS * 2, "q1 is there twice"),
        (CORPUS, [], "no question can be scored"),
        (CORPUS, changed(gold_titles=["Nowhere"]), "no question can be scored"),
    ],
)
def test_a_broken_file_is_named_with_a_remedy(tmp_path: Path, corpus: Any, questions: Any, named: str) -> None:
    with pytest.raises(UsageError, match=named) as raised:
        read(folder(tmp_path, corpus, questions))
    assert raised.value.hint


def test_a_missing_file_and_two_of_one_kind_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"corpus\.json"):
        read(tmp_path)
    write(tmp_path, {"corpus.json": CORPUS})
    with pytest.raises(UsageError, match=r"questions_\*\.json"):
        read(tmp_path)
    write(tmp_path, {"questions_a.json": QUESTIONS, "questions_b.json.gz": QUESTIONS})
    with pytest.raises(UsageError, match=r"2 files .* questions_a\.json, questions_b\.json\.gz"):
        read(tmp_path)


def test_a_packed_file_beside_its_unpacked_self_is_one(tmp_path: Path) -> None:
    write(folder(tmp_path), {"corpus.json.gz": CORPUS, "questions_part.json.gz": QUESTIONS})
    assert len(read(tmp_path).corpora[0].questions) == 1


def test_a_damaged_packed_file_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"questions_a.json": QUESTIONS})
    (tmp_path / "corpus.json.gz").write_bytes(b"not packed")
    with pytest.raises(UsageError, match=r"corpus\.json\.gz"):
        read(tmp_path)


def test_stored_and_asked_a_passage_is_found_under_its_id_whole_or_in_parts(tmp_path: Path) -> None:
    long = {"title": "Annals", "text": "\n\n".join(f"The annals of year {year} tell of tolls." for year in range(60))}
    (corpus,) = read(folder(tmp_path / "data", corpus=[*CORPUS, long])).corpora
    with Fabric.open(Settings(home=tmp_path / "home", embedder="none", chunk_characters=400)) as fabric:
        fabric.add(corpus.records)
        assert fabric.store.count() > len(corpus.records)
        found = [
            corpus.ranking(result.candidate.memory for result in fabric.search(text, mode=Mode.TEXT).results)
            for text in ("Who directed The Glass Ferry?", "What do the annals tell of tolls?")
        ]
    assert found[0][0] == corpus.records[0].id
    assert found[1] == [corpus.records[3].id]


def test_the_development_part_has_its_documented_size() -> None:
    data = read(real("2wiki-hipporag"))
    (corpus,) = data.corpora
    assert (len(corpus.records), len(corpus.questions), data.left_out) == (6119, 300, {})
    kinds = Counter(each.categories[0] for each in corpus.questions)
    assert kinds == {"compositional": 111, "comparison": 83, "bridge_comparison": 78, "inference": 28}
