"""``export --format memory-jsonl`` and ``import`` of such a file (F-MCP-14, F-REC-1, C-046)."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest
from tests.doors.conftest import Call

BUILD = '{"type":"entity","name":"build","entityType":"topic","observations":["uses pnpm"]}'
RUNS = '{"type":"relation","from":"build","to":"ci","relationType":"runs_in"}'


def test_a_memory_servers_file_is_recognised_and_taken_in(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "memory.json"
    file.write_text(f"\n{BUILD}\n{RUNS}\nbroken\n", encoding="utf-8")
    ended = call("import", file)
    assert ended.code == 0
    assert ended.out == "Took in 2 rows (entity 1, relation 1)\n"
    assert "note: 1 line left out: 4 (not JSON)" in ended.err
    assert "note: relations lead to names that no entity has: ci" in ended.err
    again = call("import", file)
    assert again.out == "Nothing new: everything was there already\n"
    assert "uses pnpm" in call("search", "pnpm").out


def test_data_for_programs(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(f"[{BUILD}, 7, {RUNS}]", encoding="utf-8")
    assert call("import", file, "--json").data == {
        "file": str(file),
        "counts": {"entity": 1, "observation": 0, "relation": 1},
        "known": 0,
        "bad_lines": [{"line": 2, "reason": "not an object"}],
        "unresolved": ["ci"],
        "redacted": {},
        "embedded": 0,
        "notes": ["1 line left out: 2 (not an object)", "relations lead to names that no entity has: ci"],
    }


@pytest.mark.parametrize("text", ["[]", "{}"])
def test_a_file_that_was_seeded_by_hand_is_no_fault(call: Call, tmp_path: Path, text: str) -> None:
    """C-046."""
    file = tmp_path / "memory.jsonl"
    file.write_text(text, encoding="utf-8")
    ended = call("import", file)
    assert (ended.code, ended.out) == (0, "Nothing new: everything was there already\n")


def test_standard_input_is_taken_too(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{BUILD}\n"))
    assert call("import", "-").out == "Took in 1 rows (entity 1)\n"


def test_bytes_that_are_no_utf_8_are_no_fault(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_bytes(BUILD.encode().replace(b"uses", b"us\xffes") + b"\n")
    assert call("import", file).code == 0
    assert "us\ufffdes pnpm" in call("export", "--format", "memory-jsonl").out


def test_many_broken_lines_are_counted_and_ten_named(call: Call, tmp_path: Path) -> None:
    file = tmp_path / "memory.jsonl"
    file.write_text(BUILD + "\nhunter2" * 12, encoding="utf-8")
    ended = call("import", file)
    assert "12 lines left out: 2 (not JSON), " in ended.err
    assert ended.err.rstrip().endswith("11 (not JSON), and 2 more")
    assert "hunter2" not in ended.out + ended.err


def test_what_is_written_is_what_was_read(call: Call, tmp_path: Path) -> None:
    file, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    file.write_text(f"{RUNS}{BUILD}", encoding="utf-8")
    call("import", file)
    assert call("export", out, "--format", "memory-jsonl").out == f"Wrote 2 rows (entity 1, relation 1) to {out}\n"
    assert out.read_text(encoding="utf-8") == f"{BUILD}\n{RUNS}\n"
    if os.name != "nt":
        assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert call("export", "--format", "memory-jsonl").out == f"{BUILD}\n{RUNS}\n"
    assert call("import", out, "--home", tmp_path / "other").code == 0
    assert call("export", "--format", "memory-jsonl", "--home", tmp_path / "other").out == f"{BUILD}\n{RUNS}\n"


def test_secrets_are_redacted_on_the_way_out(call: Call, tmp_path: Path) -> None:
    """C-110, C-112: also those of a memory from before a rule existed."""
    from tests.doors.making import memory

    from memory_fabric import Fabric, Settings
    from memory_fabric.clock import utcnow
    from memory_fabric.model.graph import Entity, EntityId, Mention
    from memory_fabric.model.vocabulary import Kind
    from memory_fabric.ports import Batch, Record

    secret = "ghp_" + "a" * 36
    old = memory(text=f"Redis uses {secret}", project=None)
    redis = Entity(EntityId("technology:redis"), "Redis", Kind.TECHNOLOGY)
    with Fabric.open(Settings(home=tmp_path / "memory", embedder="none")) as fabric:
        fabric.store.save(
            Batch(records=(Record(old, 0),), entities=(redis,), mentions=(Mention(old.id, redis.id),), explicit=True)
        )
        fabric.store.observe(old.id, ["Redis"], old.text, utcnow())
    ended = call("export", "--format", "memory-jsonl")
    assert secret not in ended.out
    assert "[redacted:github-token]" in ended.out
    assert "1 secrets were redacted on the way out" in ended.err


def test_another_form_is_a_mistake(call: Call) -> None:
    assert call("export", "--format", "yaml").code == 2
