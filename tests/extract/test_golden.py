"""Golden extractions: ``NAME.json`` holds an exchange, ``NAME.expected.json`` what is read from it.

``MF_REGENERATE=1 pytest tests/extract`` writes the expected files anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.ingest.extract import extract_all, extractors
from memory_fabric.lexicon import Lexicon
from memory_fabric.model.graph import as_stated
from memory_fabric.model.memory import Memory, Project
from memory_fabric.model.transcript import Exchange, ToolCall, ToolKind
from memory_fabric.ports import Extraction
from memory_fabric.text import exchange_text

FOLDER = Path(__file__).parent / "golden"
INPUTS = sorted(path for path in FOLDER.glob("*.json") if not path.name.endswith(".expected.json"))


def shown(extraction: Extraction) -> dict[str, Any]:
    """What a reader of the golden file wants to see."""
    return {
        "entities": [[e.id, e.name, e.label, list(e.aliases)] for e in extraction.entities],
        "relations": [
            [*as_stated(r), f"{r.subject} {r.predicate} {r.object}", r.origin.value, r.line]
            for r in extraction.relations
        ],
        "mentions": [mention.entity for mention in extraction.mentions],
        "statements": [
            {
                key: value
                for key in ("kind", "speaker", "text", "confidence", "category", "choice", "rationale", "position")
                if (value := getattr(s, key)) is not None
            }
            | {
                key: list(value)
                for key in ("alternatives", "constraints", "tradeoffs", "entities")
                if (value := getattr(s, key))
            }
            for s in extraction.statements
        ],
        "dropped": dict(extraction.dropped),
    }


@pytest.mark.parametrize("source", INPUTS, ids=lambda path: path.stem)
def test_golden(
    source: Path,
    words: Lexicon,
    project: Project,
    remember: Callable[[str], Memory],
    exchange: Callable[..., Exchange],
) -> None:
    given = json.loads(source.read_text("utf-8"))
    calls = [ToolCall(ToolKind(call.pop("kind")), **call) for call in given.get("tools", ())]
    memory = remember(exchange_text(given.get("prompt", ""), given.get("reply", "")))
    result = shown(extract_all(extractors(words), memory, exchange(*calls), project))
    expected = source.with_suffix(".expected.json")
    if os.environ.get("MF_REGENERATE"):
        expected.write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
    assert result == json.loads(expected.read_text("utf-8"))


def test_every_golden_file_has_its_pair() -> None:
    assert INPUTS
    expected = {path.with_suffix(".expected.json").name for path in INPUTS}
    assert {path.name for path in FOLDER.glob("*.expected.json")} == expected
