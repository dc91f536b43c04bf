"""How full the context is, from the transcript's last reply (F-CMD-8, F-CMD-9)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory_fabric.doors.hooks.used import TAIL, used_share


def written(tmp_path: Path, *usages: dict[str, object], after: str = "") -> str:
    path = tmp_path / "t.jsonl"
    lines = [json.dumps({"type": "assistant", "message": {"usage": usage}}) for usage in usages]
    path.write_text("\n".join([*lines, after]), encoding="utf-8")
    return str(path)


def test_all_that_the_last_reply_read_and_wrote_counts(tmp_path: Path) -> None:
    usage = {
        "input_tokens": 10_000,
        "cache_creation_input_tokens": 20_000,
        "cache_read_input_tokens": 60_000,
        "output_tokens": 10_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 20_000, "ephemeral_1h_input_tokens": 0},
        "service_tier": "standard",
    }
    assert used_share(written(tmp_path, {"input_tokens": 5}, usage)) == 0.5


def test_a_larger_context_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    assert used_share(written(tmp_path, {"input_tokens": 200_000})) == 1.0
    assert used_share(written(tmp_path, {"input_tokens": 200_001})) == pytest.approx(0.2, abs=0.001)
    assert used_share(written(tmp_path, {"input_tokens": 5_000_000})) == 1.0


def test_a_transcript_that_does_not_say_gives_nothing(tmp_path: Path) -> None:
    assert used_share(written(tmp_path)) is None
    assert used_share(str(tmp_path / "none.jsonl")) is None
    assert used_share("") is None
    assert used_share(str(tmp_path)) is None


def test_only_the_end_is_looked_at(tmp_path: Path) -> None:
    assert used_share(written(tmp_path, {"input_tokens": 100_000}, after="x" * (TAIL // 2))) == 0.5
    assert used_share(written(tmp_path, {"input_tokens": 100_000}, after="x" * TAIL)) is None
