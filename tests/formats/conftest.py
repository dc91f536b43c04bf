"""Fixtures for the readers of transcript files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def write_jsonl(tmp_path: Path) -> Callable[..., Path]:
    """A function that writes records (objects, or bytes as they are) as lines of a file and returns its path."""

    def write(*records: object, name: str = "11111111-1111-4111-8111-111111111111.jsonl") -> Path:
        lines = [r if isinstance(r, bytes) else json.dumps(r, ensure_ascii=True).encode() for r in records]
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line + b"\n" for line in lines))
        return path

    return write
