"""Where the real sets lie, for the few tests that count them; they are not in this repository."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from memory_fabric.evals.suite import Corpus

_ROOT = os.environ.get("MEMORY_FABRIC_EVAL_DATA")
"""Read on import: each test runs without the variables of the product."""


def real(name: str) -> Path:
    """The folder of a set of the evaluation data; the test is skipped where there is none."""
    if not _ROOT or not Path(_ROOT, name).is_dir():
        pytest.skip("MEMORY_FABRIC_EVAL_DATA names no folder that holds this set")
    return Path(_ROOT, name)


def write(folder: Path, files: dict[str, Any]) -> Path:
    """Files by name: text as it is, anything else as JSON; packed where the name ends in ``.gz``."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = (content if isinstance(content, str) else json.dumps(content)).encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder


def gold_titles(corpus: Corpus) -> dict[str, list[str]]:
    """Question → titles of its gold, sorted."""
    titles = {record.id: record.title for record in corpus.records}
    return {each.id: sorted(str(titles[item]) for item in each.gold) for each in corpus.questions}
