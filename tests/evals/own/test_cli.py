"""``memory-fabric eval own`` as it is called."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.evals.own.conftest import SUBJECTS

from memory_fabric.app import Fabric
from memory_fabric.doors.cli import call as call_program
from memory_fabric.evals.half import Half

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(own: Fabric, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """Runs the program on the small memory: exit code, stdout, stderr."""
    monkeypatch.setenv("MEMORY_FABRIC_HOME", str(own.settings.home))
    monkeypatch.setenv("MEMORY_FABRIC_EMBEDDER", "hashed")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*words: str | Path) -> tuple[int, str, str]:
        capsys.readouterr()
        code = call_program("eval", "own", *map(str, words))
        return code, *capsys.readouterr()

    return run


def test_the_table_and_the_sentences_are_markdown(call: Call) -> None:
    """The seed's table: a row a mode, a column a set."""
    code, out, err = call("--tune", "--ablate", "--sweep-k")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "# Own memory"
    assert lines[2].startswith("* commits (n = ")
    assert [line for line in lines if line.startswith("## ")] == [
        "## Mean reciprocal rank, tuning half",
        "## Mean reciprocal rank, checking half (nothing was tuned on it)",
        "## Milliseconds a question",
        "## auto with a source left out, mean reciprocal rank",
        "## auto by memories asked for, mean reciprocal rank",
        "## Sweep of the routing, on the tuning half",
        "## Questions",
    ]
    rows = [line.split(" | ")[0].removeprefix("| ") for line in lines if re.match(r"\| \w+ \| \d\.\d{3} \(", line)]
    assert rows[:6] == ["bm25", "text", "vector", "graph", "hybrid", "auto"]
    assert any(line.startswith("| auto, tuned |") for line in lines)
    assert any(line.startswith("Proposal: ") for line in lines)
    assert "Not run: hybrid, semantic seeds" in out
    tables = [line for line in lines if line.startswith("|")]
    assert all(line.endswith("|") for line in tables)


def test_data_is_printed_for_programs(call: Call) -> None:
    code, out, _ = call("--json", "--half", "check")
    found = json.loads(out)
    assert code == 0
    assert list(found["figures"]) == ["check"]
    assert set(found["verdict"]) == set(found["figures"]["check"]["auto"])


def test_the_questions_can_be_looked_at(call: Call) -> None:
    """The only place where their words are shown."""
    code, out, _ = call("--list", "--json")
    rows = json.loads(out)["questions"]
    assert code == 0
    assert {row["query"] for row in rows if row["set"] == "commits"} == set(SUBJECTS)
    assert all(row["half"] == Half.of(row["id"]).value for row in rows)
    _, shown, _ = call("--list", "--half", "tune")
    assert len(shown.splitlines()) == sum(row["half"] == "tune" for row in rows)


def test_fewer_questions_may_be_asked(call: Call) -> None:
    rows = json.loads(call("--list", "--json", "--limit", "2")[1])["questions"]
    assert sorted(row["set"] for row in rows) == ["commits"] * 2 + ["cross-session"] * 2 + ["single-hop"] * 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tune", "--half", "tune"), "--tune needs both halves"),
        (("--questions", "nowhere.json"), "nowhere.json: not a file of questions"),
        (("--limit", "0"), "limit"),
    ],
)
def test_mistakes_are_named_in_one_line(call: Call, words: tuple[str, ...], said: str) -> None:
    code, out, err = call(*words)
    assert code == 2
    assert said in err
    assert out == ""


def test_without_a_memory_there_is_nothing_to_ask(call: Call, tmp_path: Path) -> None:
    code, _, err = call("--home", tmp_path / "nobody")
    assert code == 1
    assert "there is no memory" in err
