"""Makes the two sets that are excerpts of public ones; the others were written for this repository.

    python -m tests.quality.excerpt --data DIR

``DIR`` holds ``hipporag-train`` and ``longmemeval`` as ``scripts/bench-quality`` expects them.  Only questions of the
half to tune with are taken: whoever looks at a failing floor sees nothing of the half that is reported.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from memory_fabric.evals.half import Half

HERE = Path(__file__).parent / "data"

PAGES = 40
"""Questions of MuSiQue: about 800 passages, ten seconds of embedding."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True)
    data = parser.parse_args().data
    musique(data / "hipporag-train", HERE / "pages")
    longmemeval(data / "longmemeval", HERE / "assistant")


def musique(source: Path, target: Path) -> None:
    """The first questions of the half with the passages that MuSiQue lists with them; titles and texts as they are."""
    rows = [row for row in unpacked(source / "musique_train.json.gz") if Half.of(row["id"]) is Half.TUNE][:PAGES]
    questions = [{"id": row["id"], "question": row["question"], "paragraphs": _supporting(row)} for row in rows]
    passages = {(each["title"], each["paragraph_text"]): None for row in rows for each in row["paragraphs"]}
    pack(target / "musique_excerpt.json.gz", json.dumps(questions, ensure_ascii=False))
    corpus = [{"title": title, "text": text} for title, text in sorted(passages)]
    pack(target / "musique_excerpt_corpus.json.gz", json.dumps(corpus, ensure_ascii=False))


def _supporting(row: dict[str, Any]) -> list[dict[str, Any]]:
    names = ("title", "paragraph_text", "is_supporting")
    return [{name: each[name] for name in names} for each in row["paragraphs"] if each["is_supporting"]]


def longmemeval(source: Path, target: Path) -> None:
    """The half's answerable questions and every session that answers one of them."""
    rows = json.loads((source / "questions_dev.json").read_text(encoding="utf-8"))
    chosen = [row for row in rows if Half.of(row["question_id"]) is Half.TUNE and not row["abstention"]]
    names = ("question_id", "question_type", "abstention", "question", "gold_sessions")
    questions = [{name: row[name] for name in names} for row in chosen]
    wanted = {id_ for row in chosen for id_ in row["gold_sessions"]}
    with gzip.open(source / "sessions.jsonl.gz", "rt", encoding="utf-8") as lines:
        sessions = [line.rstrip("\n") for line in lines if json.loads(line)["session_id"] in wanted]
    write(target / "questions_excerpt.json", json.dumps(questions, indent=1, ensure_ascii=False) + "\n")
    pack(target / "sessions.jsonl.gz", "\n".join(sessions) + "\n")


def unpacked(path: Path) -> Iterable[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(gzip.decompress(path.read_bytes()))
    return rows


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def pack(path: Path, text: str) -> None:
    """Packed without a time, so that the same data make the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    main()
