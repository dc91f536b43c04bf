"""Web sessions of Claude Code, saved as one document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.formats import golden

from memory_fabric.errors import MalformedFile
from memory_fabric.ingest.formats.claude_web import ClaudeWeb
from memory_fabric.model.transcript import SessionFacts, Tally

FOLDER = Path(__file__).parent / "claude_web"


@pytest.mark.parametrize("path", golden.inputs(FOLDER), ids=golden.name_of)
def test_a_document_is_read_as_expected(path: Path) -> None:
    golden.check(ClaudeWeb(), path)


def test_every_input_has_its_expected_file() -> None:
    assert golden.unpaired(FOLDER) == []


def test_every_record_is_counted() -> None:
    tally = Tally()
    list(ClaudeWeb().read(FOLDER / "saved.json", tally))
    assert tally.lines == len(json.loads((FOLDER / "saved.json").read_text())["loglines"])


@pytest.mark.parametrize("text", ['{"loglines": [', '{"loglines": []', '{"loglines": {}}', "[]"])
def test_a_document_that_is_cut_or_of_another_shape_is_named(tmp_path: Path, text: str) -> None:
    """C-001: a document that is cut gives nothing, and says so."""
    path = tmp_path / "cut.json"
    path.write_text(text)
    with pytest.raises(MalformedFile, match=r"cut\.json"):
        list(ClaudeWeb().read(path, Tally()))


def test_the_session_is_named_by_the_file(tmp_path: Path) -> None:
    path = tmp_path / "trip.json"
    path.write_bytes((FOLDER / "saved.json").read_bytes())
    turns = [item for item in ClaudeWeb().read(path, Tally()) if not isinstance(item, SessionFacts)]
    assert {turn.session for turn in turns} == {"trip"}
    assert [turn.text for turn in turns][:2] == [
        "Add a retry to the upload.",
        "I add three attempts with a growing pause.",
    ]


@pytest.mark.parametrize("odd", [None, 5, "text", [], {"message": None}, {"type": 7}, {"type": "user", "message": []}])
def test_an_odd_record_breaks_nothing(tmp_path: Path, odd: object) -> None:
    """formats.md §0: never fail a whole file because of one record."""
    records = json.loads((FOLDER / "saved.json").read_text())["loglines"]
    path = tmp_path / "odd.json"
    path.write_text(json.dumps({"loglines": [records[0], odd, *records[1:]]}))
    tally = Tally()
    turns = [item for item in ClaudeWeb().read(path, tally) if not isinstance(item, SessionFacts)]
    assert turns[0].text == "Add a retry to the upload."
    assert tally.lines == len(records) + 1
