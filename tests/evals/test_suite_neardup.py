"""The suite ``neardup``: the search's own decision, over labelled pairs of every shape."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.evals.sets import real, write

from memory_fabric.errors import UsageError
from memory_fabric.evals.suites.finding import Finder, scores
from memory_fabric.evals.suites.neardup import CURVE, folds, measure
from memory_fabric.evals.suites.pairs import sets
from memory_fabric.search.dedupe import SIMILAR

LONG = "the ferry across the river leaves the old pier by the mill early in the morning on most days of summer"
MRPC = "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n" + "\n".join(
    [
        f"1\t1\t2\t{LONG}\t{LONG} now",
        '1\t3\t4\tHe said "so\tHe was "silent',
        f"0\t5\t6\t{LONG}\t{LONG} indeed",
        f"0\t7\t8\t{LONG} at 7\t{LONG} at 8",
    ]
)
FILES: dict[str, Any] = {
    "near-dup/mrpc_part.tsv": MRPC,
    "near-dup/stsb_part.csv": '"A dog, asleep","A dog, awake",4.4\n"a, b",c,4.5\n',
    "near-dup/stsb_other.csv": "x,x,5.0\n",
    "near-dup/sick_part.tsv": "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    "1\ta\tb\t4.5\tENTAILMENT\n2\ta\tb\t4.5\tNEUTRAL\n3\ta\tb\t4.4\tENTAILMENT\n",
    "near-dup/pan_part.jsonl": '{"sentence1": "a", "sentence2": "b", "label": 1}\n',
    "near-dup/quora_corpus.json": [
        {"id": "0", "text": "Why?"},
        {"id": "1", "text": "How so?"},
        {"id": "2", "text": "Who?"},
    ],
    "near-dup/quora_queries_part.json": [{"id": "0", "question": "Why?", "duplicate_ids": ["1"]}],
    "near-dup/entity-records/dblp_acm_part_labels.csv": "_id,ltable.title,ltable.authors,ltable.venue,ltable.year,"
    "rtable.title,rtable.authors,rtable.venue,rtable.year,gold\n"
    "0,On Ferries,Odile M,Piers,1999.0,On Ferries,Odile M,Piers,1999,1\n",
    "near-dup/entity-records/lbl_restnt_part.csv": "_id,ltable_name,ltable_addr,ltable_city,ltable_phone,rtable_name,"
    "rtable_addr,rtable_city,rtable_phone,gold\n0,mill inn,1 pier st,vexby,1/2,ott inn,2 pier st,vexby,1-2,0\n",
}


def read(path: Path, files: dict[str, Any]) -> dict[str, list[tuple[str, str, bool]]]:
    folder = write(path, files) / "near-dup"
    return {name: [(pair.left, pair.right, pair.same) for pair in pairs] for name, pairs in sets(folder)}


def test_every_shape_is_read_with_its_own_meaning_of_the_same(tmp_path: Path) -> None:
    found = read(tmp_path, FILES)
    assert found["mrpc"][1] == ('He said "so', 'He was "silent', True)
    assert found["stsb"] == [("x", "x", True), ("A dog, asleep", "A dog, awake", False), ("a, b", "c", True)]
    assert [same for *_, same in found["sick"]] == [True, False, False]
    assert found["pan"] == [("a", "b", True)]
    assert found["papers"] == [("On Ferries, Odile M, Piers, 1999", "On Ferries, Odile M, Piers, 1999", True)]
    assert found["restaurants"] == [("mill inn, 1 pier st, vexby, 1/2", "ott inn, 2 pier st, vexby, 1-2", False)]


def test_a_question_is_compared_with_every_text_but_itself(tmp_path: Path) -> None:
    assert read(tmp_path, FILES)["quora"] == [("Why?", "How so?", True), ("Why?", "Who?", False)]


def test_figures_by_hand(tmp_path: Path) -> None:
    """Of four pairs two are the same; two fold (the digits keep the last apart), one of them rightly: 1/2 and 1/2."""
    report: Any = measure(write(tmp_path, FILES))
    mrpc = report["sets"]["mrpc"]
    curve = mrpc.pop("curve")
    assert mrpc == {"n": 4, "positive": 2, "folded": 2, "correct": 1, "precision": 0.5, "recall": 0.5, "f1": 0.5}
    assert list(curve) == [str(threshold) for threshold in CURVE]
    assert report["threshold"] == SIMILAR == 0.85


def test_the_folder_may_be_the_archive_s_own(tmp_path: Path) -> None:
    folder = write(tmp_path, FILES)
    assert measure(folder) == measure(folder / "near-dup")


def test_the_curve_is_what_each_threshold_decides_alone(tmp_path: Path) -> None:
    report: Any = measure(write(tmp_path, FILES))
    finder = Finder()
    for name, pairs in sets(tmp_path / "near-dup"):
        for threshold in CURVE:
            together = [folds(finder.candidate("a", p.left), finder.candidate("b", p.right), threshold) for p in pairs]
            assert report["sets"][name]["curve"][str(threshold)]["folded"] == sum(together), (name, threshold)


def test_the_limit_is_strictly_above() -> None:
    """19 of 20 words shared: 0.95."""
    finder = Finder()
    words = [f"word{chr(97 + place)}" for place in range(19)]
    left, right = finder.candidate("a", " ".join(words)), finder.candidate("b", " ".join([*words, "more"]))
    assert folds(left, right, 0.9499)
    assert not folds(left, right, 0.95)
    assert not folds(left, right, 0.9501)


def test_names_that_ingest_finds_keep_two_texts_apart() -> None:
    finder = Finder()
    postgres, mysql = (finder.candidate(name, f"{LONG} with {name}") for name in ("PostgreSQL", "MySQL"))
    assert postgres.memory.entities == ("PostgreSQL",)
    assert not folds(postgres, mysql)


def test_shares_of_nothing_are_none() -> None:
    assert scores(0, 0, 0) == {"precision": None, "recall": None, "f1": None}
    assert scores(0, 0, 2) == {"precision": None, "recall": 0.0, "f1": 0.0}
    assert scores(1, 2, 4) == {"precision": 0.5, "recall": 0.25, "f1": 0.3333}
    assert scores(1, 2, 4, 2) == {"precision": 0.5, "recall": 0.5, "f1": 0.5}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("mrpc_part.tsv", "Quality\tno\n1\tx\n"),
        ("mrpc_part.tsv", MRPC.replace("\n0\t", "\n2\t")),
        ("stsb_part.csv", "a,b\n"),
        ("stsb_part.csv", "a,b,high\n"),
        ("pan_part.jsonl", "{"),
        ("pan_part.jsonl", '{"sentence1": "a", "label": 1}'),
        ("quora_queries_part.json", [{"question": "Why?", "duplicate_ids": ["9"]}]),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, name: str, content: Any) -> None:
    with pytest.raises(UsageError, match=name):
        measure(write(tmp_path, {**FILES, f"near-dup/{name}": content}))


def test_half_of_a_set_of_two_files_is_named(tmp_path: Path) -> None:
    name = "near-dup/quora_corpus.json"
    with pytest.raises(UsageError, match="quora_queries"):
        measure(write(tmp_path, {name: FILES[name]}))


def test_a_folder_without_sets_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="none of the sets"):
        measure(tmp_path)


def test_the_development_part_has_its_documented_size(tmp_path: Path) -> None:
    import tarfile

    with tarfile.open(real("near-dup") / "near-dup-dev.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    sizes = {name: (len(pairs), sum(pair.same for pair in pairs)) for name, pairs in sets(tmp_path / "near-dup")}
    assert sizes == {
        "mrpc": (3941, 2692),
        "stsb": (6533, 685),
        "sick": (4396, 831),
        "pan": (1000, 526),
        "papers": (415, 231),
        "restaurants": (450, 112),
        "quora": (250 * 1102, 290),
    }
