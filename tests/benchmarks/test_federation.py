"""The experiment with three memories: a fair split, figures as defined, and a whole run with the real peers."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

OFFICIAL = Path(__file__).parents[1] / "peers/node_modules/@modelcontextprotocol/server-memory/dist/index.js"

SAID = {
    1: ["the ferry to the island leaves at nine", "pack the green tent", "the cat stays with Noor"],
    2: ["we bought a telescope", "Saturn was bright that night", "the lens needs cleaning"],
}
"""An invented conversation: its sessions and turns."""


@pytest.fixture(scope="module")
def federation(request: pytest.FixtureRequest) -> Any:
    script = request.config.rootpath / "benchmarks" / "federation.py"
    spec = importlib.util.spec_from_file_location("benchmarks_federation", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The invented conversation in the shape of LoCoMo."""
    said: dict[str, Any] = {"speaker_a": "Ada", "speaker_b": "Ben"}
    for session, texts in SAID.items():
        said[f"session_{session}_date_time"] = f"1:56 pm on {session} May, 2023"
        said[f"session_{session}"] = [
            {"speaker": "Ada" if place % 2 else "Ben", "dia_id": f"D{session}:{place}", "text": text}
            for place, text in enumerate(texts, 1)
        ]
    asked = [
        {"question": "When does the ferry leave for the island?", "evidence": ["D1:1"], "category": 4},
        {"question": "Who keeps the cat?", "evidence": ["D1:3; D01:03"], "category": 4},
        {"question": "Which planet was bright?", "evidence": ["D2:2"], "category": 4},
        {"question": "What did they buy?", "evidence": ["D2:1", "D2:9"], "category": 1},
        {"question": "Is Ada's dog brown?", "evidence": ["D1:3"], "category": 5},
        {"question": "What is nowhere?", "evidence": ["D"], "category": 4},
    ]
    folder = tmp_path / "data"
    folder.mkdir()
    records = [{"sample_id": "conv-x", "conversation": said, "qa": asked}]
    (folder / "locomo_dev.json").write_text(json.dumps(records), encoding="utf-8")
    return folder


def test_questions_without_evidence_and_adversarial_ones_are_left_out(federation: Any, data: Path) -> None:
    (corpus,) = federation.conversations(data, "turn")
    assert [(q.text[:5], sorted(q.gold)) for q in corpus.questions] == [
        ("When ", ["conv-x/D1:1"]),
        ("Who k", ["conv-x/D1:3"]),
        ("Which", ["conv-x/D2:2"]),
        ("What ", ["conv-x/D2:1"]),
    ]
    assert [unit.text for unit in corpus.units][:2] == [
        "Ada: the ferry to the island leaves at nine",
        "Ben: pack the green tent",
    ]


def test_every_unit_has_one_home_and_a_session_stays_together_where_that_is_asked(federation: Any, data: Path) -> None:
    (turns,) = federation.conversations(data, "turn")
    assert {unit.home for unit in turns.units} <= {0, 1, 2}
    assert [unit.home for unit in turns.units] == [federation.digest(unit.id) % 3 for unit in turns.units]
    (sessions,) = federation.conversations(data, "session")
    homes = {session: {u.home for u in sessions.units if u.session == session} for session in ("conv-x/session_1",)}
    assert len(homes["conv-x/session_1"]) == 1


def test_the_sample_is_the_same_each_time_and_smaller_ones_are_part_of_it(federation: Any, data: Path) -> None:
    def ids(number: int) -> set[str]:
        (corpus,) = federation.sampled(federation.conversations(data, "turn"), number)
        return {question.id for question in corpus.questions}

    assert len(ids(2)) == 2
    assert ids(2) < ids(3) < ids(100)
    assert len(ids(100)) == 4


def test_figures_are_those_of_a_case_by_hand(federation: Any) -> None:
    asked = [
        federation.Question("q1", "?", frozenset({"a", "b"}), "single-hop"),
        federation.Question("q2", "?", frozenset({"c"}), "multi-hop"),
    ]
    better = {"q1": ["x", "a"], "q2": ["c"]}
    worse: dict[str, list[str]] = {"q1": ["x", "a"], "q2": []}
    found = federation.figures(better, asked)
    assert (found["recall@10"], found["mrr"], found["answered"]) == (0.75, 0.75, 2)
    assert found["by"]["multi-hop"] == {"n": 1, "recall@10": 1.0, "mrr": 1.0}
    assert federation.difference(better, worse, asked)["recall@10"]["mean"] == 0.5
    assert federation.difference(better, worse, asked)["recall@10"]["win_tie_loss"] == [1, 1, 0]
    low, high = federation.interval([0.0, 1.0] * 50)
    assert 0.35 < low < 0.5 < high < 0.65
    alone = dict(zip(federation.SYSTEMS, ({"q1": ["a"], "q2": []}, {"q1": ["b"], "q2": []}, worse), strict=False))
    assert federation.union(alone, asked) == 0.5


@pytest.mark.skipif(
    shutil.which("node") is None or not OFFICIAL.exists() or importlib.util.find_spec("mem0") is None,
    reason="needs Node.js, tests/peers/node_modules and the extra mem0",
)
def test_it_runs_from_end_to_end(
    federation: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With the real server and the real library: together they find what each finds alone, and say what each holds."""
    monkeypatch.setenv("MEMORY_FILE_PATH", str(tmp_path / "nobody's.jsonl"))
    out = tmp_path / "result.json"
    federation.main(["--data", str(data), "--out", str(out)])
    assert json.loads(capsys.readouterr().out) == json.loads(out.read_text(encoding="utf-8"))
    result = json.loads(out.read_text(encoding="utf-8"))
    assert result["n"] == 4
    assert result["systems"].keys() == {*federation.SYSTEMS, *federation.OWN_SEARCHES}
    assert sum(each["units"] for each in result["holds"].values()) == 6
    assert sum(each["most_recall"] for each in result["holds"].values()) == pytest.approx(1.0, abs=0.001)
    for name, holds in zip(federation.SYSTEMS, result["holds"].values(), strict=False):
        assert result["systems"][name]["recall@10"] <= holds["most_recall"]
    assert result["systems"]["together"]["recall@10"] >= max(
        result["systems"][name]["recall@10"] for name in federation.SYSTEMS[:3]
    )
    assert result["systems"]["server-memory, own search"]["recall@10"] == 0.0, "one string, so two words find nothing"
    assert "ferry" not in out.read_text(encoding="utf-8"), "nothing of the data, only figures"
