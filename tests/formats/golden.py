"""Golden files of transcript readers: ``NAME.<ext>`` holds the input, ``NAME.expected.json`` what a reader makes of it.

A format's test module needs three lines::

    FOLDER = Path(__file__).parent / "codex"

    @pytest.mark.parametrize("source", golden.inputs(FOLDER), ids=golden.name_of)
    def test_golden(source): golden.check(Codex(), source)

    def test_golden_files_are_complete(): assert golden.unpaired(FOLDER) == []

``MF_REGENERATE=1 pytest tests/formats`` writes the expected files anew; read the difference before committing it.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any

from memory_fabric.model.transcript import SessionFacts, Tally, ToolCall, Turn
from memory_fabric.ports import Format

SUFFIX = ".expected.json"


def inputs(folder: Path) -> list[Path]:
    """Every input below a folder, by path."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(SUFFIX))


def expected_of(source: Path) -> Path:
    """Where an input's expected file lies."""
    return source.with_name(source.name.split(".")[0] + SUFFIX)


def name_of(source: Path) -> str:
    """A short name for test ids."""
    return source.name


def unpaired(folder: Path) -> list[str]:
    """Inputs without an expected file and expected files without an input; empty when the folder is whole."""
    wanted = {expected_of(source) for source in inputs(folder)}
    there = set(folder.rglob("*" + SUFFIX))
    return sorted(path.relative_to(folder).as_posix() for path in wanted ^ there)


def check(reader: Format, source: Path) -> None:
    """Compare what a reader makes of an input with its expected file, or write that file when regenerating."""
    tally = Tally()
    found = document(reader.read(source, tally), tally)
    expected = expected_of(source)
    if os.environ.get("MF_REGENERATE"):
        expected.write_text(json.dumps(found, ensure_ascii=True, indent=1) + "\n", encoding="utf-8")
    assert json.loads(expected.read_text(encoding="utf-8")) == found


def document(items: Iterable[Turn | SessionFacts], tally: Tally) -> dict[str, Any]:
    """Turns, facts and counts as JSON; fields that hold their default are left out."""
    listed = [{"is": "turn" if isinstance(item, Turn) else "facts", **_fields(item)} for item in items]
    return {"items": listed, "tally": _fields(tally)}


def _fields(value: Turn | SessionFacts | ToolCall | Tally) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for field in dataclasses.fields(value):
        held = getattr(value, field.name)
        if held != field.default and held not in ((), {}):
            out[field.name] = _plain(held)
    return out


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, ToolCall):
        return _fields(value)
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return dict(sorted(value.items()))
    return str(value) if isinstance(value, str) else value
