"""Exchanges to memories: ids that last, parts that hold everything (F-ING-4, F-ING-5)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_fabric.ingest.assemble import (
    CHUNK_CHARACTERS,
    MAX_TOOLS,
    dated,
    memories,
    memory_id,
    redact_exchange,
    without_tools,
)
from memory_fabric.model.memory import Memory, MemoryKind, ProjectId, SessionId
from memory_fabric.model.transcript import Exchange, ToolCall, ToolKind
from memory_fabric.text import split_exchange

RECORD = "0000000a-0000-4000-8000-000000000000"
PLAIN = Exchange(SessionId("s"), RECORD, "Ask", "Tell", first_line=3, last_line=7)


def made(exchange: Exchange, **more: int) -> list[Memory]:
    return list(memories(exchange, "claude_code", "/t/a.jsonl", ProjectId("p"), **more))


def with_length(total: int) -> Exchange:
    """An exchange whose text form has that many characters, in words."""
    reply = ("word " * total)[: total - len("USER: Ask\n\nASSISTANT: ")]
    return replace(PLAIN, reply=reply[:-1] + "x")


@pytest.mark.parametrize(("length", "parts"), [(5_999, 1), (6_000, 1), (6_001, 2), (12_001, 3)])
def test_an_exchange_is_split_above_six_thousand_characters(length: int, parts: int) -> None:
    """F-ING-4: the seed number at, just below and just above."""
    assert CHUNK_CHARACTERS == 6_000
    found = made(with_length(length))
    assert len(found) == parts
    assert all(len(memory.text) <= CHUNK_CHARACTERS for memory in found)


def test_parts_are_numbered_and_share_their_origin() -> None:
    """F-ING-4: parts know their number and how many there are; a whole exchange says neither."""
    found = made(with_length(13_000))
    assert [(m.metadata["part"], m.metadata["parts"]) for m in found] == [(0, 3), (1, 3), (2, 3)]
    assert len({m.origin for m in found}) == 1
    assert len({m.id for m in found}) == 3
    assert "part" not in made(PLAIN)[0].metadata


@given(st.text(st.sampled_from("ab \n"), max_size=300), st.integers(20, 60))
def test_the_parts_hold_every_character_that_is_not_white_space(reply: str, limit: int) -> None:
    """F-ING-4: nothing is lost at a cut."""
    parts = list(made(replace(PLAIN, reply=reply), limit=limit))
    halves = [split_exchange(memory.text) for memory in parts]
    assert "".join("".join(prompt for prompt, _ in halves).split()) == "".join(PLAIN.prompt.split())
    assert "".join("".join(said for _, said in halves).split()) == "".join(reply.split())
    assert all(len(memory.text) <= limit for memory in parts)


def test_a_memory_is_the_exchange_in_text_form() -> None:
    """F-ING-2: ``USER: …``, a blank line, ``ASSISTANT: …``."""
    (memory,) = made(PLAIN)
    assert memory.text == "USER: Ask\n\nASSISTANT: Tell"
    assert (memory.kind, memory.project) == (MemoryKind.EXCHANGE, "p")
    origin = memory.origin
    assert (origin.source, origin.session, origin.file) == ("claude_code", "s", "/t/a.jsonl")
    assert (origin.first_line, origin.last_line, origin.record) == (3, 7, RECORD)


def test_an_exchange_in_which_nobody_said_anything_gives_no_memory() -> None:
    tool = ToolCall(ToolKind.FILE, "Edit", "a.py")
    assert made(replace(PLAIN, prompt="", reply="", tools=(tool,))) == []


def test_a_summary_is_kept_as_derived_text() -> None:
    """C-019: without a speaker's label."""
    (memory,) = made(replace(PLAIN, prompt="", reply="In short", derived=True))
    assert (memory.kind, memory.text) == (MemoryKind.SUMMARY, "In short")


def test_a_uuid_names_its_record_in_every_session_and_case() -> None:
    """C-016: a resumed session repeats it."""
    assert memory_id("claude_code", "s1", RECORD, 0) == memory_id("claude_code", "s2", RECORD.upper(), 0)


@pytest.mark.parametrize("record", ["line:4", "msg_1", RECORD + "0", "x" + RECORD])
def test_any_other_record_id_means_something_in_its_session_only(record: str) -> None:
    assert memory_id("claude_code", "s1", record, 0) != memory_id("claude_code", "s2", record, 0)


def test_ids_differ_by_source_record_and_part() -> None:
    ids = [memory_id(s, "s", r, p) for s in ("codex", "claude_code") for r in (RECORD, "line:1") for p in (0, 1)]
    assert len(set(ids)) == len(ids)


def test_references_belong_to_every_part_of_the_exchange() -> None:
    """F-ING-5: the original tied them to part 0."""
    tools = tuple(ToolCall(ToolKind.FILE, "Edit", name) for name in ("a.py", "b.py", "a.py", ""))
    found = made(replace(with_length(7_000), tools=tools))
    expected = [{"kind": "file", "name": "Edit", "target": name} for name in ("a.py", "b.py")]
    assert [memory.metadata["tools"] for memory in found] == [expected, expected]


@pytest.mark.parametrize(("targets", "left_out"), [(399, None), (400, None), (401, 1)])
def test_more_tool_targets_than_the_limit_are_counted(targets: int, left_out: int | None) -> None:
    """Design promise 1: nothing is silently dropped."""
    assert MAX_TOOLS == 400
    tools = tuple(ToolCall(ToolKind.FILE, "Read", f"{n}.py") for n in range(targets))
    (memory,) = made(replace(PLAIN, tools=tools))
    kept = memory.metadata["tools"]
    assert isinstance(kept, list)
    assert len(kept) == min(targets, MAX_TOOLS)
    assert memory.metadata.get("tools_left_out") == left_out


def test_metadata_says_only_what_is_known() -> None:
    assert made(PLAIN)[0].metadata == {}
    at = datetime(2026, 3, 1, 9, tzinfo=UTC)
    full = replace(
        PLAIN, at=at, ended_at=at.replace(hour=10), branch="main", models=("m",), sidechain=True, abandoned=True
    )
    (memory,) = made(replace(full, at_source="file"))
    assert memory.metadata == {
        "branch": "main",
        "models": ["m"],
        "ended_at": 1772359200000,
        "at_source": "file",
        "sidechain": True,
        "abandoned": True,
    }


def test_secrets_go_before_the_text_is_cut_and_are_counted() -> None:
    """C-110, F-PRIV-1: a cut must not divide one; prompt, reply and tool targets alike."""
    secret = "ghp_" + "a" * 36
    tool = ToolCall(ToolKind.COMMAND, "Bash", f"push {secret}")
    counts: Counter[str] = Counter()
    clean = redact_exchange(replace(PLAIN, prompt=f"p {secret}", reply=f"r {secret}", tools=(tool,)), counts)
    assert secret not in repr(clean)
    assert counts.total() == 3
    split = made(redact_exchange(replace(PLAIN, reply="x" * 170 + " " + secret), Counter()), limit=200)
    assert "a" * 8 not in "".join(memory.text for memory in split)


def test_later_parts_see_the_exchange_without_its_tool_calls() -> None:
    """ports.Extractor: they belong to part 0."""
    tool = ToolCall(ToolKind.FILE, "Edit", "a.py")
    assert without_tools(replace(PLAIN, tools=(tool,))) == PLAIN
    assert without_tools(PLAIN) is PLAIN


def test_only_what_is_undated_takes_the_time_of_its_file() -> None:
    """C-138."""
    written = datetime(2026, 3, 1, tzinfo=UTC)
    assert dated(PLAIN, None) is PLAIN
    found = dated(replace(PLAIN, at_source="none"), written)
    assert (found.at, found.at_source) == (written, "mtime")
    known = replace(PLAIN, at=written.replace(year=2024))
    assert dated(known, written) is known
