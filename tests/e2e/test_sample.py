"""The packaged sample, whole: read, embedded with the bundled model, asked, exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import memory_fabric
from memory_fabric.app import Fabric
from memory_fabric.ingest.report import IngestReport
from memory_fabric.model.memory import StatementKind
from memory_fabric.model.query import Mode, Scope
from memory_fabric.settings import Settings

SAMPLE = Path(memory_fabric.__file__).parent / "sample"
QUESTIONS: list[dict[str, Any]] = json.loads((SAMPLE / "questions.json").read_text(encoding="utf-8"))["questions"]
BY_KIND = {question["kind"]: question for question in QUESTIONS}
FIRST = 3


@dataclass(frozen=True)
class Asked:
    """A memory of the sample, and what reading it said."""

    fabric: Fabric
    report: IngestReport

    @property
    def home(self) -> Path:
        """Where it is kept."""
        return self.fabric.settings.home


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    home = tmp_path_factory.mktemp("sample") / "home"
    with Fabric.open(Settings(home=home)) as fabric:
        report = fabric.ingest([SAMPLE / "home"])
        fabric.embed()
        yield Asked(fabric, report)


def sessions(sample: Asked, question: str, mode: Mode) -> list[str]:
    answer = sample.fabric.search(question, Scope(), mode=mode)
    assert not answer.degraded, answer.outages
    return [str(result.candidate.memory.origin.session) for result in answer.results]


def texts(sample: Asked, question: str, mode: Mode) -> str:
    answer = sample.fabric.search(question, Scope(), mode=mode)
    return "\n".join(result.candidate.memory.text for result in answer.results[:FIRST])


def test_the_whole_sample_is_read_and_embedded(sample: Asked) -> None:
    assert sample.report.exit_code == 0
    assert {file.status for file in sample.report.files} == {"read"}
    assert sample.fabric.store.count() == 60
    assert sample.fabric.pending() == 0
    assert {project.name for project in sample.fabric.store.projects()} == {"payments-api", "web-shop", "tidylog"}
    assert all(memory.project for memory in sample.fabric.store.recent(Scope(), 99))


@pytest.mark.parametrize("kind", BY_KIND)
def test_the_session_that_knows_is_among_the_first(sample: Asked, kind: str) -> None:
    """The demo's questions, with the bundled embedder."""
    asked = BY_KIND[kind]
    assert asked["session"] in sessions(sample, asked["question"], Mode.AUTO)[:FIRST]
    said = texts(sample, asked["question"], Mode.AUTO)
    assert all(expected in said for expected in asked["expect"])


def test_a_japanese_question_is_answered_by_text_alone(sample: Asked) -> None:
    """C-056: no spaces, no stemming."""
    asked = BY_KIND["japanese"]
    assert asked["session"] in sessions(sample, asked["question"], Mode.TEXT)[:FIRST]


def test_the_resumed_copy_left_the_original_its_own(sample: Asked) -> None:
    """C-016: its name sorts before the original's and both begin with the same records."""
    owners = {
        memory.text.partition("\n")[0]: str(memory.origin.session)[:8]
        for memory in sample.fabric.store.recent(Scope(), 99)
        if str(memory.origin.session)[:8] in {"02f787eb", "e59064e3"}
    }
    assert sorted(owners.values()) == ["02f787eb", *["e59064e3"] * 4]
    assert owners["USER: Does logout delete the Redis key or only the cookie?"] == "02f787eb"


def test_the_secret_that_was_typed_is_nowhere(sample: Asked) -> None:
    """C-110: not in any byte of any file, nor in what is exported."""
    raw = b"".join(path.read_bytes() for path in (SAMPLE / "home").rglob("*.jsonl"))
    (secret,) = set(re.findall(rb"sk-ant-[\w-]{20,}", raw))
    assert sample.report.redacted == {"anthropic-key": 1}
    kept = [path for path in sample.home.rglob("*") if path.is_file()]
    assert kept
    assert all(secret not in path.read_bytes() for path in kept)
    assert secret.decode() not in json.dumps(list(sample.fabric.export()))


def test_a_decision_that_was_replaced_is_shown_as_such(sample: Asked) -> None:
    """F-CMD-11, decision 9: superseded, never deleted."""
    items = sample.fabric.history(Scope(), kinds=[StatementKind.DECISION])
    by_text = {item.statement.text: item for item in items}
    redis = next(item for text, item in by_text.items() if "use Redis for session storage" in text)
    assert redis.superseded_by == "PostgreSQL"
    assert redis.superseded_at is not None
    assert redis.memory.at is not None
    assert redis.superseded_at > redis.memory.at
    kept = next(item for text, item in by_text.items() if "integer minor units" in text)
    assert kept.superseded_by is None
    times = [item.memory.at for item in items if item.memory.at]
    assert times == sorted(times, reverse=True)


def test_every_memory_opens_its_source_at_the_right_line(sample: Asked) -> None:
    """Design §1: the answer gives its source line."""
    for memory in sample.fabric.store.recent(Scope(), 99):
        origin = memory.origin
        assert origin.file is not None
        lines = Path(origin.file).read_bytes().split(b"\n")
        assert origin.first_line is not None
        assert origin.last_line is not None
        cited = b"\n".join(lines[origin.first_line - 1 : origin.last_line]).decode()
        first = re.sub(r"\[redacted:[^]]*\]", "", memory.text.partition("\n")[0].removeprefix("USER:"))
        words = re.findall(r"[a-zA-Z]{5,}", first)[:4]
        assert all(word in cited for word in words), (memory.text[:80], origin)


def test_reading_it_again_changes_nothing(sample: Asked) -> None:
    """F-ING-7."""
    before = list(sample.fabric.export())
    report = sample.fabric.ingest([SAMPLE / "home"])
    assert {file.status for file in report.files} == {"unchanged"}
    assert report.lines == 0
    assert list(sample.fabric.export()) == before
    assert sample.fabric.pending() == 0


def test_what_is_exported_and_imported_is_exported_the_same(sample: Asked, tmp_path: Path) -> None:
    """ports.Store: restore takes what dump gave; taking it twice changes nothing."""
    before = list(sample.fabric.export())
    with Fabric.open(Settings(home=tmp_path / "copy", embedder="none")) as copy:
        counts = copy.restore(before)
        assert sum(counts.values()) > 0
        assert list(copy.export()) == before
        assert not any(copy.restore(before).values())
        assert list(copy.export()) == before
        asked = BY_KIND["japanese"]["question"]
        there = [r.candidate.memory.id for r in copy.search(asked, Scope(), mode=Mode.TEXT).results]
        here = [r.candidate.memory.id for r in sample.fabric.search(asked, Scope(), mode=Mode.TEXT).results]
        assert there == here


def test_all_is_well(sample: Asked) -> None:
    """F-CMD: ``doctor`` finds nothing."""
    assert sample.fabric.store.check() == []


def test_vectors_are_searched_without_any_extension_of_sqlite(sample: Asked) -> None:
    """C-070, decision 16: many Pythons cannot load one, so nothing asks for it."""
    source = Path(memory_fabric.__file__).parent
    asking = [path for path in source.rglob("*.py") if "load_extension" in path.read_text(encoding="utf-8")]
    assert asking == []
    answer = sample.fabric.search(BY_KIND["bug"]["question"], Scope(), mode=Mode.VECTOR)
    assert answer.results
    assert set(answer.counts) == {"vector"}
